package web

import (
	"context"
	"log/slog"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
	"tidemark/internal/event"
	"tidemark/internal/session"
)

// Deps are what a Server needs. All but Ready and Log are required.
type Deps struct {
	Sessions session.Service
	Reader   session.Reader
	Bus      *event.Bus
	Auth     *auth.Service
	Ready    func(context.Context) error // the database can be written; nil = always
	Log      *slog.Logger
	Version  string   // of the program, for initialize and /healthz
	Sample   []string // prompts of the sample session that /ops offers to play; none = not offered
}

// Server is the HTTP surface. Close it before the sessions it shows.
type Server struct {
	Deps
	cfg     Config
	echo    *echo.Echo
	origins originPolicy
	metrics *metrics
	feeds   chan struct{} // one token an open event stream
	sockets sockets
	mapper  mapper

	// ctx ends every socket and stream: HTTP's own Shutdown would wait for the streams forever (spec 9).
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup

	shown pageState // of the pages

	// htmlError draws an error page where a browser asked for one; pages sets it.
	htmlError func(c echo.Context, status int, code, detail string) error
}

// New builds a Server with all its routes.
func New(d Deps, cfg Config) *Server {
	cfg = cfg.withDefaults()
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Ready == nil {
		d.Ready = func(context.Context) error { return nil }
	}
	s := &Server{Deps: d, cfg: cfg, origins: newOriginPolicy(cfg)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.feeds = make(chan struct{}, cfg.Limits.Feeds)
	s.mapper = mapper{models: d.Sessions.Models()}
	s.metrics = newMetrics(s)
	s.echo = s.newEcho()
	s.routes(s.echo)
	return s
}

// Handler serves everything.
func (s *Server) Handler() http.Handler { return s.echo }

// Close ends all sockets (close code 1012) and event streams and waits for them, at most until ctx ends. From its call
// on, new ones are refused. It is safe to call twice.
func (s *Server) Close(ctx context.Context) error {
	s.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.wg.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.sockets.closeNow()
		<-done
		return ctx.Err()
	}
}

// begin counts a socket or stream that Close must wait for; false while shutting down. Call s.wg.Done at its end.
func (s *Server) begin() bool {
	s.sockets.mu.Lock()
	defer s.sockets.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.wg.Add(1)
	return true
}

func (s *Server) newEcho() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect() // X-Forwarded-For can be written by anyone
	e.HTTPErrorHandler = s.handleError
	e.Use(s.observe, s.secureHeaders, refuseURLCredentials, s.identify)
	return e
}
