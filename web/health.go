package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
)

// healthJSON is open to everybody in its first field; the rest needs role viewer (protocol section 5).
type healthJSON struct {
	Status      string `json:"status"`
	Version     string `json:"version,omitempty"`
	Sockets     *int   `json:"sockets,omitempty"`
	Streams     *int   `json:"event_streams,omitempty"`
	EventEpoch  string `json:"event_epoch,omitempty"`
	EventNewest int64  `json:"event_newest_id,omitempty"`
	Reason      string `json:"reason,omitempty"`
}

// healthz says that the process answers.
func (s *Server) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, s.details(c, healthJSON{Status: "ok"}))
}

// readyz says whether new work is taken: the database can be written and nobody is shutting down.
func (s *Server) readyz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 2*time.Second)
	defer cancel()
	h := healthJSON{Status: "ready"}
	switch err := s.Ready(ctx); {
	case s.ctx.Err() != nil:
		h = healthJSON{Status: "unavailable", Reason: "shutting down"}
	case err != nil:
		h = healthJSON{Status: "unavailable", Reason: err.Error()}
	}
	status := http.StatusOK
	if h.Status != "ready" {
		status = http.StatusServiceUnavailable
	}
	return c.JSON(status, s.details(c, h))
}

func (s *Server) details(c echo.Context, h healthJSON) healthJSON {
	who, ok := principal(c)
	if !ok || !who.Can(auth.CapFigures) {
		h.Reason = ""
		return h
	}
	sockets, streams := s.sockets.count(), len(s.feeds)
	h.Version, h.Sockets, h.Streams = s.Version, &sockets, &streams
	if epoch, _, newest, err := s.Reader.EventHead(c.Request().Context()); err == nil {
		h.EventEpoch, h.EventNewest = string(epoch), int64(newest)
	}
	return h
}
