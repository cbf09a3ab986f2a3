package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
)

// via says how a request showed who it is.
type via int

const (
	viaNone via = iota
	viaBearer
	viaCookie
	viaTicket
)

// identity is who a request speaks for; via is viaNone when it showed nothing.
type identity struct {
	who auth.Principal
	via via
}

func identityOf(c echo.Context) identity {
	id, _ := c.Get(ctxIdentity).(identity)
	return id
}

// principal is who the request speaks for; ok is false for nobody.
func principal(c echo.Context) (auth.Principal, bool) {
	id := identityOf(c)
	return id.who, id.via != viaNone
}

// identify resolves the credential of a request. A wrong bearer token is refused at once; a cookie that no longer holds
// counts as none, so that the browser can sign in again.
func (s *Server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id, err := s.credential(c.Request())
		if err != nil {
			return err
		}
		c.Set(ctxIdentity, id)
		return next(c)
	}
}

func (s *Server) credential(r *http.Request) (identity, error) {
	if h := r.Header.Get("Authorization"); h != "" {
		return s.bearer(r, h)
	}
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return identity{}, nil //nolint:nilerr // no cookie is no credential
	}
	who, err := s.Auth.AuthenticateLogin(r.Context(), cookie.Value)
	if errors.Is(err, auth.ErrUnauthenticated) {
		return identity{}, nil
	}
	return identity{who, viaCookie}, err
}

func (s *Server) bearer(r *http.Request, header string) (identity, error) {
	scheme, secret, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return identity{}, fail("auth_required", "the Authorization header must be a bearer token")
	}
	who, err := s.Auth.Authenticate(r.Context(), strings.TrimSpace(secret))
	return identity{who, viaBearer}, err
}

// require lets a request pass that is signed in and has all the capabilities.
func (s *Server) require(caps ...auth.Capability) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			who, ok := principal(c)
			if !ok {
				return fail("auth_required", "sign in, or send an API key as a bearer token")
			}
			for _, capability := range caps {
				if !who.Can(capability) {
					return fail("forbidden", "the role "+string(who.Role)+" may not do this")
				}
			}
			return next(c)
		}
	}
}

// requirePage is require for pages: who is not signed in is sent to /login.
func (s *Server) requirePage(caps ...auth.Capability) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		guarded := s.require(caps...)(next)
		return func(c echo.Context) error {
			if _, ok := principal(c); !ok && c.Request().Method == http.MethodGet {
				return c.Redirect(http.StatusSeeOther, "/login")
			}
			return guarded(c)
		}
	}
}
