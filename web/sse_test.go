package web_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/event"
	"tidemark/web"
)

// stream is an open event stream.
type stream struct {
	t    *testing.T
	resp *http.Response
	scan *bufio.Scanner
}

func (h *harness) stream(path, name string, header ...string) *stream {
	h.t.Helper()
	resp := h.request(http.MethodGet, path, name, "", append(header, "Accept", "text/event-stream")...)
	require.Equal(h.t, http.StatusOK, resp.StatusCode)
	return &stream{h.t, resp, bufio.NewScanner(resp.Body)}
}

// next reads one block of lines: fields by name.
func (s *stream) next() map[string]string {
	s.t.Helper()
	block := make(map[string]string)
	for s.scan.Scan() {
		line := s.scan.Text()
		if line == "" {
			return block
		}
		name, value, _ := strings.Cut(line, ": ")
		block[name] += value
	}
	return nil
}

func (s *stream) close() { _ = s.resp.Body.Close() }

func (f *fake) turnStarted(n int) event.ID {
	return f.event(event.TurnStarted, "s", event.TurnStartedPayload{SessionID: "s", TurnID: fmt.Sprint(n)})
}

func TestFeed_HeadersAndLiveEvents(t *testing.T) {
	h := newHarness(t, web.Config{})
	s := h.stream("/ops/events", "viewer")
	defer s.close()
	require.Equal(t, "text/event-stream", s.resp.Header.Get("Content-Type"))
	require.Equal(t, "no-cache, no-transform", s.resp.Header.Get("Cache-Control"))
	require.Equal(t, "no", s.resp.Header.Get("X-Accel-Buffering"))
	require.Empty(t, s.resp.Header.Get("Content-Encoding"))
	require.Equal(t, map[string]string{"retry": "3000"}, s.next())
	h.fake.turnStarted(1)
	e := s.next()
	require.Equal(t, "e1-1", e["id"])
	require.Equal(t, "turn.started", e["event"])
	require.Contains(t, e["data"], `"event_id":1`)
	require.Contains(t, e["data"], `"sensitivity":"PSEUDONYMOUS"`)
}

// TestCaseD1_4, #5 and #9: each reader names its own place, in the header or in the query, and misses nothing.
func TestCaseD1_4_5_9_ReplayFromAPlace(t *testing.T) {
	h := newHarness(t, web.Config{})
	for i := range 1200 { // more than one page
		h.fake.turnStarted(i)
	}
	for name, s := range map[string]*stream{
		"header":              h.stream("/ops/events", "viewer", "Last-Event-ID", "e1-2"),
		"query":               h.stream("/ops/events?after=e1-2", "viewer"),
		"bare number":         h.stream("/ops/events?after=2", "viewer"),
		"header before query": h.stream("/ops/events?after=e1-1000", "viewer", "Last-Event-ID", "e1-2"),
	} {
		s.next() // retry
		for want := 3; want <= 1200; want++ {
			require.Equal(t, fmt.Sprintf("e1-%d", want), s.next()["id"], name)
		}
		s.close()
	}
	status, code := problem(t, h.request(http.MethodGet, "/ops/events?after=x", "viewer", ""))
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "invalid_params", code)
}

// TestCaseD1_6: a place older than what is kept is told by a gap.
func TestCaseD1_6_Gap(t *testing.T) {
	h := newHarness(t, web.Config{})
	for i := range 5 {
		h.fake.turnStarted(i)
	}
	h.fake.oldest = 3
	for _, after := range []string{"e1-1", "e0-4", "e1-99"} {
		s := h.stream("/ops/events?after="+after, "viewer")
		s.next()
		gap := s.next()
		require.Equal(t, "gap", gap["event"], after)
		require.Equal(t, "e1-5", gap["id"])
		h.fake.turnStarted(6)
		require.Equal(t, "turn.started", s.next()["event"])
		s.close()
		h.fake.mu.Lock()
		h.fake.events = h.fake.events[:5]
		h.fake.mu.Unlock()
	}
	s := h.stream("/ops/events?after=e1-2", "viewer")
	defer s.close()
	s.next()
	require.Equal(t, "e1-3", s.next()["id"], "the oldest kept is no gap")
}

func TestFeed_FilterAndHeartbeat(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{Heartbeat: 20 * time.Millisecond}})
	s := h.stream("/ops/events?type=turn.completed,turn.failed&session=s", "viewer")
	defer s.close()
	s.next()
	h.fake.turnStarted(1)
	for beat := s.next(); ; beat = s.next() {
		require.NotContains(t, beat, "data")
		if beat["id"] == "e1-1" {
			break // the place moves over what the filter left out
		}
	}
	h.fake.event(event.TurnCompleted, "other", event.TurnEndPayload{})
	h.fake.event(event.TurnCompleted, "s", event.TurnEndPayload{SessionID: "s"})
	for e := s.next(); ; e = s.next() {
		if e["event"] != "" {
			require.Equal(t, "e1-3", e["id"])
			break
		}
	}
}

func TestFeed_JSONPage(t *testing.T) {
	h := newHarness(t, web.Config{})
	for i := range 5 {
		h.fake.turnStarted(i)
	}
	_, body := h.get("/ops/events?limit=2", "viewer", "Accept", "application/json")
	require.Contains(t, body, `"event_id":4`)
	require.Contains(t, body, `"event_id":5`)
	_, body = h.get("/ops/events?limit=2&after=e1-1", "viewer", "Accept", "application/json")
	require.Contains(t, body, `"event_id":2`)
	require.Contains(t, body, `"next_cursor":"e1-3"`)
	_, body = h.get("/ops/events?after=e0-1", "viewer", "Accept", "application/json")
	require.Contains(t, body, `"gap":true`)
}

func TestFeed_CapacityAndRoles(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{Feeds: 1}})
	s := h.stream("/ops/events", "viewer")
	resp := h.request(http.MethodGet, "/ops/events", "viewer", "")
	require.Equal(t, "5", resp.Header.Get("Retry-After"))
	status, code := problem(t, resp)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "capacity", code)
	s.close()
	eventually(t, "a free place", func() bool {
		again := h.request(http.MethodGet, "/ops/events", "viewer", "")
		defer again.Body.Close() //nolint:errcheck // read no further
		return again.StatusCode == http.StatusOK
	})
	status, _ = problem(t, h.request(http.MethodGet, "/ops/events", "alice", ""))
	require.Equal(t, http.StatusForbidden, status)
}

// TestCaseD3_26: the server's write timeout does not cut a stream.
func TestCaseD3_26_WriteTimeout(t *testing.T) {
	h := newHarnessOn(t, web.Config{}, func(s *http.Server) { s.WriteTimeout = 50 * time.Millisecond })
	s := h.stream("/ops/events", "viewer")
	defer s.close()
	s.next()
	<-time.After(100 * time.Millisecond) // the timeout itself is what is tested
	h.fake.turnStarted(1)
	require.Equal(t, "e1-1", s.next()["id"])
}

// TestCaseD3_24: every event stream comes from the one helper.
func TestCaseD3_24_AllStreamsAreAlike(t *testing.T) {
	h := newHarness(t, web.Config{})
	for _, path := range []string{"/ops/events", "/ops/stream"} {
		s := h.stream(path, "operator")
		require.Equal(t, "text/event-stream", s.resp.Header.Get("Content-Type"), path)
		require.Equal(t, "no-cache, no-transform", s.resp.Header.Get("Cache-Control"), path)
		require.Equal(t, "no", s.resp.Header.Get("X-Accel-Buffering"), path)
		require.Equal(t, "3000", s.next()["retry"], path)
		s.close()
	}
}

// Streams end when the server does: HTTP's own shutdown would wait for them forever.
func TestFeed_EndsWithTheServer(t *testing.T) {
	h := newHarness(t, web.Config{})
	s := h.stream("/ops/events", "viewer")
	s.next()
	require.NoError(t, h.srv.Close(t.Context()))
	require.Nil(t, s.next())
	resp := h.request(http.MethodGet, "/ops/events", "viewer", "")
	status, code := problem(t, resp)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "shutting_down", code)
}
