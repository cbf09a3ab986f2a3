package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// compactJSON is the body of POST …/compact.
type compactJSON struct {
	Focus string `json:"focus"`
}

// apiCompact runs a manual compaction and answers with its record (spec 6.7).
func (s *Server) apiCompact(c echo.Context) error {
	rec, err := s.target(c, mayOperate)
	if err != nil {
		return err
	}
	in, err := readJSON[compactJSON](s, c)
	if err != nil {
		return err
	}
	pass, err := s.Sessions.Compact(c.Request().Context(), rec.ID, in.Focus)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, pass)
}

// apiUndo takes back the newest compaction and answers with its record.
func (s *Server) apiUndo(c echo.Context) error {
	rec, err := s.target(c, mayOperate)
	if err != nil {
		return err
	}
	pass, err := s.Sessions.Undo(c.Request().Context(), rec.ID)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, pass)
}

// apiCancel cancels what runs; that nothing runs is no error.
func (s *Server) apiCancel(c echo.Context) error {
	rec, err := s.target(c, mayOperate)
	if err != nil {
		return err
	}
	if err := s.Sessions.Cancel(c.Request().Context(), rec.ID); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (s *Server) apiClose(c echo.Context) error {
	rec, err := s.target(c, mayOperate)
	if err != nil {
		return err
	}
	if err := s.closeSession(c.Request().Context(), rec.ID, nil); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (s *Server) apiDelete(c echo.Context) error {
	rec, err := s.target(c, mayOperate)
	if err != nil {
		return err
	}
	if err := s.deleteSession(c.Request().Context(), rec.ID, nil); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
