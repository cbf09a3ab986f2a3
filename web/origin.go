package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
)

// originPolicy is the exact allow-list of Origin and Host values. It stands on loopback too: any page of the web can
// make a browser talk to a local port, and DNS can be made to point there (case D7 #64).
type originPolicy struct {
	origins map[string]bool
	hosts   map[string]bool
}

func newOriginPolicy(cfg Config) originPolicy {
	p := originPolicy{origins: make(map[string]bool), hosts: make(map[string]bool)}
	for _, o := range cfg.Origins {
		o = strings.ToLower(strings.TrimSuffix(o, "/"))
		p.origins[o] = true
		if u, err := url.Parse(o); err == nil {
			p.hosts[u.Host] = true
		}
	}
	for _, h := range cfg.Hosts {
		p.hosts[strings.ToLower(h)] = true
	}
	return p
}

// check refuses a request whose Host is not one of ours, or whose Origin may not talk to us. A missing Origin passes
// only when the caller showed a credential that no browser sends by itself.
func (p originPolicy) check(r *http.Request, originOptional bool) error {
	host, origin := strings.ToLower(r.Host), strings.ToLower(r.Header.Get("Origin"))
	if !p.allowsHost(host) {
		return fail("forbidden", "this server does not answer to that Host; add it to the configured hosts or origins")
	}
	if origin == "" {
		if originOptional {
			return nil
		}
		return fail("forbidden", "an Origin header is required with this kind of sign-in")
	}
	if !p.allowsOrigin(origin, host) {
		return fail("forbidden", "pages of that origin may not use this server; add it to the configured origins")
	}
	return nil
}

func (p originPolicy) allowsOrigin(origin, host string) bool {
	return p.origins[origin] || (isLoopback(host) && (origin == "http://"+host || origin == "https://"+host))
}

func (p originPolicy) allowsHost(host string) bool {
	return p.hosts[host] || isLoopback(host)
}

// isLoopback takes names, never what they resolve to.
func isLoopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if name == "localhost" {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// sameOrigin guards what changes state: whoever comes with a cookie must come from one of our origins.
func (s *Server) sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		switch c.Request().Method {
		case http.MethodGet, http.MethodHead, http.MethodOptions:
			return next(c)
		}
		if identityOf(c).via == viaCookie {
			if err := s.origins.check(c.Request(), false); err != nil {
				return err
			}
		}
		return next(c)
	}
}

// sameOriginAlways guards the making of a cookie, where there is none yet: another site must not sign a browser in.
func (s *Server) sameOriginAlways(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := s.origins.check(c.Request(), false); err != nil {
			return err
		}
		return next(c)
	}
}
