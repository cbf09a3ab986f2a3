package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
	"tidemark/static"
)

// routes is the one list of what this server answers (protocol section 5). No compression anywhere: it would hold back
// event streams and break upgrades (case D3 #25).
func (s *Server) routes(e *echo.Echo) {
	e.GET("/healthz", s.healthz)
	e.GET("/readyz", s.readyz)
	e.GET("/metrics", s.serveMetrics, s.require(auth.CapFigures))
	e.GET("/asyncapi.json", s.asyncAPI)
	e.GET("/static/*", echo.WrapHandler(http.StripPrefix("/static/", http.FileServerFS(static.FS))), cacheStatic)

	e.GET("/acp", s.serveACP)
	e.POST("/ws-ticket", s.postTicket, s.require(auth.CapSessions), s.sameOrigin)
	e.POST("/login", s.postLogin, s.sameOriginAlways)
	e.POST("/logout", s.postLogout, s.sameOrigin)

	e.GET("/ops/events", s.getOpsEvents, s.require(auth.CapFigures))
	s.apiRoutes(e.Group("/api/v1"))
	s.pages(e)
}

// cacheStatic lets browsers keep embedded files, and makes them ask each time whether they are still those of this
// binary: a page's modules must all be of one version, and an upgrade must not mix them.
func cacheStatic(next echo.HandlerFunc) echo.HandlerFunc {
	tag := `"` + static.Version() + `"`
	return func(c echo.Context) error {
		c.Response().Header().Set("Cache-Control", "no-cache")
		c.Response().Header().Set("ETag", tag)
		return next(c)
	}
}
