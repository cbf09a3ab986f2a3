package web

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"tidemark/internal/event"
	"tidemark/internal/session"
)

// sseFrame is one server-sent event. Without a name it is an unnamed one, which is what htmx swaps. The id of a frame is
// that of the newest catalog event it shows; 0 leaves it out.
type sseFrame struct {
	ID   event.ID
	Name string
	Data []byte // newlines are fine
}

// feed is one way to show the catalog as server-sent events (protocol section 4); serveFeed does everything else. Its
// functions are called from one goroutine.
type feed struct {
	// filter says which events matter: SessionID, Owner and Types count.
	filter session.EventFilter
	// draw shows a batch of events, oldest first. The helper gives the last frame the id of the batch when it has none.
	draw func(ctx context.Context, batch []event.Event) ([]sseFrame, error)
	// gap shows that events before the reader's place are gone, or that the log was rebuilt: reload the state.
	gap func(ctx context.Context, newest event.ID) ([]sseFrame, error)
	// refresh redraws what changes by the clock alone, every so often; nil = never.
	refresh func(ctx context.Context) ([]sseFrame, error)
	every   time.Duration
}

const (
	sseRetry      = 3000            // milliseconds a client waits before it comes back; clients add jitter (case D3 #28)
	sseRetryAfter = 5 * time.Second // when all places are taken
	replayPage    = 500
	liveBatch     = 64 // events drawn and flushed together
)

// serveFeed answers with an event stream: what the reader missed, then what happens. It is the only maker of event
// streams, so that all of them have the same headers, deadlines, heartbeat and end (case D3 #24).
func (s *Server) serveFeed(c echo.Context, f feed) error {
	select {
	case s.feeds <- struct{}{}:
		defer func() { <-s.feeds }()
	default: // refuse, never evict
		return &failure{name: "capacity", detail: "all event streams are taken", retryAfter: sseRetryAfter}
	}
	if !s.begin() {
		return fail("shutting_down", "the server is shutting down")
	}
	defer s.wg.Done()
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	// Subscribe first, then read what was missed (case D1 #8). Each reader has its own queue (case D1 #9).
	sub := s.Bus.SubscribeCatalog(0)
	defer sub.Close()
	place, err := s.place(ctx, c)
	if err != nil {
		return err
	}
	w := newSSEWriter(s, c, place.epoch)
	s.metrics.feeds.Inc()
	defer s.metrics.feeds.Dec()
	r := &feedRun{s: s, feed: f, w: w, last: place.after}
	if err := r.run(ctx, place, sub); err != nil && ctx.Err() == nil {
		s.Log.Debug("event stream ended", keyRequestID, requestID(c), "error", err)
	}
	return nil // the response has begun: the client comes back with its last id
}
