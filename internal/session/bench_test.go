package session_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"tidemark/internal/model"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

// report tells median and 99th percentile of what was measured, and takes the mean of the whole loop off the line.
func report(b *testing.B, took []time.Duration) {
	b.Helper()
	if len(took) == 0 {
		b.Fatal("nothing was measured")
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
	b.ReportMetric(0, "ns/op")
}

func benchSay(b *testing.B, w *sessiontest.World, id session.ID, ask string) {
	b.Helper()
	acc, err := w.Prompt(context.Background(), id, text(ask))
	if err != nil {
		b.Fatal(err)
	}
	<-acc.Done()
	if err := acc.Result().Err; err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTurn is a turn through manager, store and sim: what the server adds to a model's own time.
func BenchmarkTurn(b *testing.B) {
	w := sessiontest.Open(b, sessiontest.Options{})
	id := w.NewSession(session.NewSession{})
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		benchSay(b, w, id, "Go on with the next part. [[say 60]]")
		took = append(took, time.Since(began))
	}
	report(b, took)
}

// BenchmarkTurnStartWithPass is the time from a prompt to the first call of its turn where a mechanical pass of about
// 30 000 tokens stands between them.
func BenchmarkTurnStartWithPass(b *testing.B) {
	var asked time.Time
	var start time.Duration
	w := sessiontest.Open(b, sessiontest.Options{Faults: func(c sim.Call) sim.Fault {
		start = time.Since(asked) // one session, one call at a time
		return sim.Fault{}
	}})
	id := w.NewSession(session.NewSession{Overrides: []byte(`{"mode":"mechanical","tail_max_tokens":500,"preserve_recent_turns":1}`)})
	var took []time.Duration
	for b.Loop() {
		for range 12 {
			asked = time.Now()
			passes := benchPasses(b, w, id)
			benchSay(b, w, id, "Look at internal/queue/retry.go and go on. [[say 3000]]")
			if benchPasses(b, w, id) > passes {
				took = append(took, start)
			}
		}
	}
	report(b, took)
}

func benchPasses(b *testing.B, w *sessiontest.World, id session.ID) int {
	b.Helper()
	st, err := w.Status(context.Background(), id)
	if err != nil {
		b.Fatal(err)
	}
	return st.Record.Passes
}

// BenchmarkCacheHit is the same where the summary comes from the cache.
func BenchmarkCacheHit(b *testing.B) {
	var asked time.Time
	var start time.Duration
	w := sessiontest.Open(b, sessiontest.Options{Faults: func(c sim.Call) sim.Fault {
		if c.Model != model.SimSummarizer {
			start = time.Since(asked)
		}
		return sim.Fault{}
	}})
	play := func() (last time.Duration, hit bool) {
		id := w.NewSession(session.NewSession{Overrides: []byte(`{"mode":"semantic","tail_max_tokens":500,"preserve_recent_turns":1}`)})
		for i := 0; benchPasses(b, w, id) == 0; i++ {
			asked = time.Now()
			benchSay(b, w, id, fmt.Sprintf("Go on with part %d. [[say 3000]]", i))
		}
		st, err := w.Status(context.Background(), id)
		if err != nil {
			b.Fatal(err)
		}
		return start, st.Record.SummaryCacheHits > 0
	}
	if _, hit := play(); hit {
		b.Fatal("the first session found a cached summary")
	}
	var took []time.Duration
	for b.Loop() {
		last, hit := play()
		if !hit {
			b.Fatal("no hit")
		}
		took = append(took, last)
	}
	report(b, took)
}
