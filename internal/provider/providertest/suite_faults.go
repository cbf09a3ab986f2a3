package providertest

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tidemark/internal/provider"
)

func (s suite) errors(t *testing.T) {
	for _, row := range []struct {
		sc    Scenario
		class provider.ErrorClass
		retry bool
	}{
		{RateLimit, provider.ClassRateLimit, true},
		{Overload, provider.ClassRateLimit, true},
		{ServerError, provider.ClassServerError, true},
		{Auth, provider.ClassAuth, false},
		{Overflow, provider.ClassContextOverflow, false},
		{Invalid, provider.ClassInvalidRequest, false},
	} {
		t.Run(string(row.sc), func(t *testing.T) {
			err := s.ask(t, row.sc).WantErr(t, row.class)
			if err.Retryable() != row.retry || err.Message == "" || !err.Usage.IsZero() {
				t.Errorf("%+v, retryable %v", err, err.Retryable())
			}
			if row.sc == RateLimit && err.RetryAfter != 3*time.Second {
				t.Errorf("retry after %v, want 3s", err.RetryAfter)
			}
		})
	}
}

// cut: text came, then the connection went; that is an error and never a short answer.
func (s suite) cut(t *testing.T) {
	r := s.ask(t, Cut)
	r.WantErr(t, provider.ClassNetwork)
	if r.Deltas == 0 {
		t.Error("no text before the cut")
	}
}

func (s suite) cancelled(t *testing.T) {
	m := s.open(t, Text)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := Collect(ctx, t, m, Request(Text)); r.WantErr(t, provider.ClassCancelled) != nil && r.Deltas > 0 {
		t.Error("a call that was cancelled before it began was answered")
	}
}

func (s suite) cancelMidStream(t *testing.T) {
	m := s.open(t, Slow)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range m.Stream(ctx, Request(Slow)) {
		cancel()
		last = err
	}
	if e := provider.AsError(last); e == nil || e.Class != provider.ClassCancelled {
		t.Errorf("ended with %v", last)
	}
}

func (s suite) cancelWhileWaiting(t *testing.T) {
	m := s.open(t, Hang)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// A moment, so that the call is on its way in most runs; the outcome is the same when it is not.
	timer := time.AfterFunc(20*time.Millisecond, cancel)
	defer timer.Stop()
	Collect(ctx, t, m, Request(Hang)).WantErr(t, provider.ClassCancelled)
}

// breakOut leaves the loop in the middle: nothing may be left running, and the model goes on working.
func (s suite) breakOut(t *testing.T) {
	m := s.open(t, Slow)
	ignore := goleak.IgnoreCurrent()
	for range 3 {
		for chunk, err := range m.Stream(t.Context(), Request(Slow)) {
			if err != nil || chunk == nil {
				t.Fatalf("first chunk %v, %v", chunk, err)
			}
			break
		}
	}
	goleak.VerifyNone(t, ignore, idleConnections("readLoop"), idleConnections("writeLoop"))
}

// idleConnections are kept by net/http for reuse and end with the adapter's client.
func idleConnections(loop string) goleak.Option {
	return goleak.IgnoreTopFunction("net/http.(*persistConn)." + loop)
}

func (s suite) concurrent(t *testing.T) {
	m := s.open(t, Text)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			ends := 0
			for chunk, err := range m.Stream(t.Context(), Request(Text)) {
				if _, done := chunk.(provider.Done); done {
					ends++
				} else if err != nil {
					t.Error(err)
				}
			}
			if ends != 1 {
				t.Errorf("%d ends", ends)
			}
		})
	}
	wg.Wait()
}
