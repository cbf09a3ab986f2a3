package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
	"tidemark/internal/session"
)

// info shows a session to somebody. Who may see figures alone sees no text: titles are made of what users wrote.
func (s *Server) info(rec session.Record, who auth.Principal) session.Info {
	i := session.NewInfo(rec)
	i.Attached = s.Sessions.Attached(rec.ID)
	if !who.MayRead(rec.Owner) {
		i.Title, i.CWD = "", ""
	}
	return i
}

// apiSessions lists the caller's sessions; who may see the figures of all, all. ?state=, ?cwd=, ?owner= and ?parent=
// narrow the list.
func (s *Server) apiSessions(c echo.Context) error {
	who, _ := principal(c)
	f := session.ListFilter{
		Owner: c.QueryParam("owner"), CWD: c.QueryParam("cwd"), ParentID: c.QueryParam("parent"),
		State: session.State(c.QueryParam("state")),
	}
	if !who.Can(auth.CapFigures) {
		f.Owner = who.Owner
	}
	return serveList(s, c, func(ctx context.Context, cursor string, limit int) (session.Page[session.Info], error) {
		f.Cursor, f.Limit = cursor, limit
		page, err := s.Reader.List(ctx, f)
		out := session.Page[session.Info]{Next: page.Next}
		for _, rec := range page.Items {
			out.Items = append(out.Items, s.info(rec, who))
		}
		return out, err
	})
}

// target reads the session a request names.
func (s *Server) target(c echo.Context, allowed may) (session.Record, error) {
	who, _ := principal(c)
	return s.record(c.Request().Context(), who, c.Param("id"), allowed)
}

func (s *Server) apiSession(c echo.Context) error {
	rec, err := s.target(c, maySee)
	if err != nil {
		return err
	}
	who, _ := principal(c)
	return writeJSON(c, http.StatusOK, s.info(rec, who))
}

func (s *Server) apiPosture(c echo.Context) error {
	rec, err := s.target(c, maySee)
	if err != nil {
		return err
	}
	status, err := s.Sessions.Status(c.Request().Context(), rec.ID)
	if err != nil {
		return err
	}
	who, _ := principal(c)
	posture := status.Posture
	posture.Recent = withoutText(who, rec, posture.Recent)
	return writeJSON(c, http.StatusOK, posture)
}
