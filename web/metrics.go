package web

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the counters of this surface. Labels are closed sets: never a session, an owner or a path.
type metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	duration   *prometheus.HistogramVec
	feeds      prometheus.Gauge
	sockets    prometheus.Gauge
	rpc        *prometheus.CounterVec
	framesOut  prometheus.Counter
	ticksLost  prometheus.Counter
	closes     *prometheus.CounterVec
	keepalives prometheus.Counter
}

func newMetrics(s *Server) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("tidemark_http_requests_total", "HTTP requests by route and status.", "method", "route", "status"),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tidemark_http_request_seconds", Help: "Duration of HTTP requests, without sockets and event streams.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 7),
		}, []string{"route"}),
		feeds:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "tidemark_event_streams", Help: "Open event streams."}),
		sockets: prometheus.NewGauge(prometheus.GaugeOpts{Name: "tidemark_sockets", Help: "Open session sockets."}),
		rpc:     counter("tidemark_rpc_requests_total", "JSON-RPC requests by method and outcome.", "method", "code"),
		framesOut: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tidemark_socket_frames_total", Help: "Frames written to sockets."}),
		ticksLost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tidemark_socket_ticks_dropped_total", Help: "Ephemeral gauge ticks that a slow socket missed."}),
		closes: counter("tidemark_socket_closes_total", "Sockets that the server closed, by close code.", "code"),
		keepalives: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tidemark_socket_keepalives_total", Help: "Rows shown as a keepalive for lack of a capability."}),
	}
	m.registry.MustRegister(m.requests, m.duration, m.feeds, m.sockets, m.rpc, m.framesOut, m.ticksLost, m.closes,
		m.keepalives, &overviewCollector{s})
	return m
}

// observe names and counts each request.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := newRequestID()
		c.Set(ctxRequestID, id)
		c.Response().Header().Set("X-Request-Id", id)
		began := time.Now()
		err := s.recovered(c, next)
		if err != nil {
			c.Error(err) // so that the status below is the one that was sent
		}
		route, status := routeOf(c), strconv.Itoa(c.Response().Status)
		s.metrics.requests.WithLabelValues(c.Request().Method, route, status).Inc()
		took := time.Since(began)
		if !isLong(route) {
			s.metrics.duration.WithLabelValues(route).Observe(took.Seconds())
		}
		// The route, never the URL: what clients put there is theirs.
		s.Log.Debug("request", keyRequestID, id, "method", c.Request().Method, "route", route, "status", status, "took", took)
		return nil
	}
}

// recovered turns a panic into an answer. An aborted transfer goes on to net/http, which cuts the connection.
func (s *Server) recovered(c echo.Context, next echo.HandlerFunc) (err error) {
	defer func() {
		p := recover()
		if p == http.ErrAbortHandler { //nolint:errorlint // that very value
			panic(p)
		}
		if p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return next(c)
}

// routeOf is the pattern of the route, one word for everything that has none.
func routeOf(c echo.Context) string {
	if c.Path() == "" || c.Response().Status == http.StatusNotFound && c.Path() == "/*" {
		return "none"
	}
	return c.Path()
}

func isLong(route string) bool {
	return route == "/acp" || route == "/ops/events" || route == "/ops/stream"
}

// serveMetrics writes the Prometheus text.
func (s *Server) serveMetrics(c echo.Context) error {
	promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(c.Response(), c.Request())
	return nil
}
