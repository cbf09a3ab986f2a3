package web

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
	"tidemark/views"
)

// pages registers the HTML pages and their event stream.
func (s *Server) pages(e *echo.Echo) {
	s.shown.markdown = newMarkdown()
	s.htmlError = s.drawError

	e.GET("/login", s.getLogin)
	e.GET("/", s.getChat, s.requirePage())
	e.GET("/s/:id", s.getChatSession, s.requirePage(auth.CapSessions))
	e.GET("/ops", s.getOps, s.requirePage(auth.CapFigures))
	e.GET("/ops/s/:id", s.getOpsSession, s.requirePage())
	e.GET("/ops/stream", s.getOpsStream, s.require())
	e.POST("/ops/sample", s.postSample, s.require(auth.CapFigures, auth.CapSessions), s.sameOrigin)

	f := e.Group("/fragments", s.require(), s.sameOrigin)
	f.GET("/sessions", s.getSessionList, s.require(auth.CapSessions))
	f.GET("/s/:id/context", s.getContextPanel)
	f.GET("/s/:id/pass/:pass", s.getPassRecord)
	f.POST("/markdown", s.postMarkdown)
}

// reader is who a page is drawn for, at this moment.
func (s *Server) reader(c echo.Context) reader {
	who, _ := principal(c)
	return reader{who, s.cfg.Now()}
}

// render draws into a buffer first, so that an error in the middle is still an error answer.
func render(c echo.Context, status int, component templ.Component) error {
	var buf bytes.Buffer
	if err := component.Render(c.Request().Context(), &buf); err != nil {
		return err
	}
	return c.HTMLBlob(status, buf.Bytes())
}

// html draws a component for an event stream.
func html(ctx context.Context, parts ...templ.Component) ([]byte, error) {
	var buf bytes.Buffer
	for _, p := range parts {
		if err := p.Render(ctx, &buf); err != nil {
			return nil, err
		}
	}
	return buf.Bytes(), nil
}

// partial wraps components for one place of the page.
func partial(target, swap string, parts ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return views.Partial(target, swap).Render(templ.WithChildren(ctx, templ.Join(parts...)), w)
	})
}

// getLogin shows the sign-in form; who is signed in already is sent on.
func (s *Server) getLogin(c echo.Context) error {
	if _, ok := principal(c); ok {
		return c.Redirect(http.StatusSeeOther, "/")
	}
	return render(c, http.StatusOK, views.Login(loginPage("")))
}

func loginPage(refused string) views.LoginPage {
	return views.LoginPage{Page: views.Page{Title: "Sign in", Scripts: []string{"login.js"}}, Error: refused}
}

// drawError answers a browser with a page: the form again where a sign-in was refused.
func (s *Server) drawError(c echo.Context, status int, code, detail string) error {
	if c.Request().Method == http.MethodPost && c.Request().URL.Path == "/login" {
		return render(c, status, views.Login(loginPage(loginRefusal(code, detail))))
	}
	page := views.Page{Title: "Error"}
	if _, ok := principal(c); ok {
		page.Who = s.reader(c).viewer()
	}
	return render(c, status, views.Error(views.ErrorPage{
		Page: page, Status: strconv.Itoa(status), Title: lookupProblem(code).Title, Detail: sentence(detail), Code: code,
	}))
}

// loginRefusal says why a sign-in failed and what to do.
func loginRefusal(code, detail string) string {
	if code == "auth_required" {
		return "That key is not valid here: it may be mistyped, revoked or expired."
	}
	return sentence(detail)
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
