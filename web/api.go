package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"tidemark/internal/acp"
	"tidemark/internal/auth"
)

// apiRoutes are the JSON routes of protocol section 5. Lists are offered as CSV and JSON Lines too. The guards stand at
// each route: at the group they would turn a wrong method into "not found".
func (s *Server) apiRoutes(g *echo.Group) {
	user := []echo.MiddlewareFunc{s.require(), s.sameOrigin}
	list := func(path string, h echo.HandlerFunc) {
		for _, suffix := range []string{"", ".csv", ".jsonl"} {
			g.GET(path+suffix, h, user...)
		}
	}
	list("/sessions", s.apiSessions)
	list("/sessions/:id/messages", s.apiMessages)
	list("/sessions/:id/turns", s.apiTurns)
	list("/sessions/:id/compactions", s.apiCompactions)
	list("/sessions/:id/ledger", s.apiLedger)
	list("/sessions/:id/events", s.apiEvents)
	g.POST("/compact", s.apiCompactLoose, s.require(auth.CapSessions), s.sameOrigin)
	g.GET("/sessions/:id", s.apiSession, user...)
	g.GET("/sessions/:id/posture", s.apiPosture, user...)
	g.DELETE("/sessions/:id", s.apiDelete, user...)
	g.POST("/sessions/:id/compact", s.apiCompact, user...)
	g.POST("/sessions/:id/undo", s.apiUndo, user...)
	g.POST("/sessions/:id/cancel", s.apiCancel, user...)
	g.POST("/sessions/:id/close", s.apiClose, user...)

	admin := []echo.MiddlewareFunc{s.require(auth.CapKeys), s.sameOrigin}
	g.GET("/keys", s.apiKeys, admin...)
	g.POST("/keys", s.apiNewKey, admin...)
	g.DELETE("/keys/:id", s.apiRevokeKey, admin...)
}

const (
	defaultPage = 100
	maxPage     = 5000
)

// limitParam reads ?limit=; 0 when there is none.
func limitParam(c echo.Context) (int, error) {
	raw := c.QueryParam("limit")
	if raw == "" {
		return defaultPage, nil
	}
	n, err := strconv.Atoi(raw)
	if err != nil || n < 1 || n > maxPage {
		return 0, badParam("limit", fmt.Sprintf("must be 1 to %d", maxPage))
	}
	return n, nil
}

// readJSON reads a small JSON body; none is the zero value. Unknown fields are refused, so that a typo is not silently
// the default.
func readJSON[T any](s *Server, c echo.Context) (T, error) {
	var v T
	raw, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, s.cfg.Limits.BodyBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return v, fail("payload_too_large", fmt.Sprintf("a request has at most %d bytes", s.cfg.Limits.BodyBytes))
	case err != nil:
		return v, fail("invalid_request", "the body could not be read")
	case len(bytes.TrimSpace(raw)) == 0:
		return v, nil
	}
	if err := acp.CheckDepth(raw); err != nil {
		return v, fail("invalid_request", err.Error())
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		if field, want, ok := acp.WrongType(err); ok && field != "" {
			return v, badParam(field, want)
		}
		return v, fail("invalid_request", "the body is not the JSON expected here: "+strings.TrimPrefix(err.Error(), "json: "))
	}
	return v, nil
}

// writeJSON answers without escaping <, > and &.
func writeJSON(c echo.Context, status int, v any) error {
	body, err := acp.Marshal(v)
	if err != nil {
		return err
	}
	return c.Blob(status, echo.MIMEApplicationJSON, body)
}

// notNil makes an empty list of none, so that JSON says [] and not null.
func notNil[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
