package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
)

// cookieName has the prefix that makes browsers insist on Secure, Path=/ and no Domain.
const cookieName = "__Host-tidemark"

// loginRequest is a key, or the one-use ticket of a sign-in link: the link carries it in its fragment, which browsers
// never send, and the script of /login posts it here.
type loginRequest struct {
	Key    string `json:"key" form:"key"`
	Ticket string `json:"ticket" form:"ticket"`
}

// postLogin signs a browser in. A form is sent on to the chat, a script is answered 204.
func (s *Server) postLogin(c echo.Context) error {
	var in loginRequest
	c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, 16<<10)
	if err := (&echo.DefaultBinder{}).BindBody(c, &in); err != nil {
		return fail("invalid_request", "send a key or a ticket, as JSON or as a form")
	}
	cookie, who, err := s.login(c, in)
	if err != nil {
		return err
	}
	c.SetCookie(loginCookie(cookie, who.ExpiresAt))
	if strings.HasPrefix(c.Request().Header.Get("Content-Type"), "application/json") {
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

func (s *Server) login(c echo.Context, in loginRequest) (string, auth.Principal, error) {
	ctx := c.Request().Context()
	switch {
	case in.Ticket != "":
		return s.Auth.RedeemSignIn(ctx, in.Ticket)
	case in.Key != "":
		return s.Auth.Login(ctx, strings.TrimSpace(in.Key))
	}
	return "", auth.Principal{}, fail("invalid_request", "send a key or a ticket")
}

// loginCookie is Lax, so that a link from elsewhere opens a page signed in; what changes state checks the Origin. It works over plain HTTP on a loopback address in Chromium, which counts that as secure.
func loginCookie(value string, expires time.Time) *http.Cookie {
	return &http.Cookie{
		Name: cookieName, Value: value, Path: "/", Expires: expires, Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
}

// postLogout ends the login and the sockets that were opened with it.
func (s *Server) postLogout(c echo.Context) error {
	cookie, err := c.Request().Cookie(cookieName)
	if err == nil {
		if err := s.Auth.Logout(c.Request().Context(), cookie.Value); err != nil {
			return err
		}
		s.sockets.endLogin(auth.Hash(cookie.Value))
	}
	c.SetCookie(&http.Cookie{Name: cookieName, Path: "/", MaxAge: -1, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	if wantsHTML(c) {
		return c.Redirect(http.StatusSeeOther, "/login")
	}
	return c.NoContent(http.StatusNoContent)
}

// ticketRequest names the origin that will show the ticket; a browser's own Origin header decides when there is one.
type ticketRequest struct {
	Origin string `json:"origin"`
}

type ticketResponse struct {
	Ticket    string    `json:"ticket"`
	ExpiresAt time.Time `json:"expires_at"`
}

// postTicket makes a single-use ticket for one socket (protocol section 3, "Auth").
func (s *Server) postTicket(c echo.Context) error {
	origin := strings.ToLower(c.Request().Header.Get("Origin"))
	if origin == "" {
		in, err := readJSON[ticketRequest](s, c)
		if err != nil {
			return err
		}
		origin = strings.ToLower(in.Origin)
	}
	if !s.origins.allowsOrigin(origin, strings.ToLower(c.Request().Host)) {
		return badParam("origin", "is not among the configured origins")
	}
	who, _ := principal(c)
	ticket, expires, err := s.Auth.SocketTicket(who, origin)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, ticketResponse{ticket, expires.UTC()})
}
