package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tidemark/internal/acp"
)

// problemJSON is the body of an HTTP error (RFC 9457) with our stable code.
type problemJSON struct {
	Type         string `json:"type"`
	Title        string `json:"title"`
	Status       int    `json:"status"`
	Detail       string `json:"detail"`
	Code         string `json:"code"`
	Param        string `json:"param,omitempty"`
	Retryable    bool   `json:"retryable"`
	RetryAfterMS int64  `json:"retry_after_ms,omitempty"`
	RequestID    string `json:"request_id"`
}

// handleError is the only place that turns an error into an HTTP answer.
func (s *Server) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	p, f := describe(fromEcho(err))
	if p.Name == "internal" {
		s.Log.Error("request failed", keyRequestID, requestID(c), "route", c.Path(), "error", err)
	}
	h := c.Response().Header()
	if f.retryAfter > 0 {
		h.Set("Retry-After", fmt.Sprintf("%d", int(f.retryAfter.Seconds()+0.999)))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="tidemark"`)
	}
	if s.htmlError != nil && wantsHTML(c) && s.htmlError(c, p.Status, p.Name, f.detail) == nil {
		return
	}
	body, _ := acp.Marshal(problemJSON{
		"about:blank", p.Title, p.Status, f.detail, p.Name, f.param, p.Retryable, f.retryAfter.Milliseconds(), requestID(c),
	})
	if c.Request().Method == http.MethodHead {
		_ = c.NoContent(p.Status)
		return
	}
	_ = c.Blob(p.Status, "application/problem+json", body)
}

// fromEcho names the errors of the router itself.
func fromEcho(err error) error {
	var he *echo.HTTPError
	if !errors.As(err, &he) {
		return err
	}
	switch he.Code {
	case http.StatusNotFound:
		return fail("not_found", "there is nothing at this address")
	case http.StatusMethodNotAllowed:
		return fail("method_not_found", "this address does not take that method")
	case http.StatusRequestEntityTooLarge:
		return fail("payload_too_large", "the request is too large")
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		return fail("invalid_request", fmt.Sprint(he.Message))
	}
	return err
}

// wantsHTML reports whether a browser is looking for a page.
func wantsHTML(c echo.Context) bool {
	return strings.Contains(c.Request().Header.Get("Accept"), "text/html") && !strings.HasPrefix(c.Request().URL.Path, "/api/")
}
