package session_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
	"tidemark/internal/tool"
)

// longRun watches a session of many turns.
type longRun struct {
	mu      sync.Mutex
	prompt  time.Time // when the running turn was asked for
	first   bool      // its first call went out
	starts  []time.Duration
	largest int // request, in tokens
	heaps   []uint64
}

func (l *longRun) asked() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prompt, l.first = time.Now(), false
}

func (l *longRun) faults(c sim.Call) sim.Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Model != model.SimSummarizer && !l.first {
		l.first = true
		l.starts = append(l.starts, time.Since(l.prompt))
	}
	return sim.Fault{}
}

func (l *longRun) served(s sim.Served) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.Model != model.SimSummarizer {
		l.largest = max(l.largest, s.Usage.Prompt())
	}
}

func (l *longRun) median(from, to int) time.Duration {
	part := slices.Clone(l.starts[from:to])
	slices.Sort(part)
	return part[len(part)/2]
}

// heap is what is in use once garbage is gone.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestSessionOfManyTurns holds what must stay bounded however long a session lasts: its requests, the memory of its actor,
// the time to start a turn. The long form (TIDEMARK_PROVE=1) has 5 000 turns.
func TestSessionOfManyTurns(t *testing.T) {
	turns := 300
	switch {
	case proving():
		turns = 5000
	case testing.Short():
		turns = 100
	}
	for _, mode := range []string{"two_phase", "mechanical"} {
		t.Run(mode, func(t *testing.T) {
			if !proving() {
				t.Parallel()
			}
			c, l := newClock(), new(longRun)
			w := sessiontest.Open(t, sessiontest.Options{Now: c.Now, Faults: l.faults, OnServed: l.served})
			id := w.NewSession(withLook(small(mode, `"max_cost_per_session_usd":"1000"`)))
			results := 0
			detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(context.Context, tool.Request) (tool.Answer, error) {
				results++
				return tool.Answer{Content: message.Blocks{message.Text{Text: longText[:300+results%5*700]}}}, nil
			}})
			require.NoError(t, err)
			defer detach()
			for i := range turns {
				c.advance(time.Minute)
				if i%10 == 9 {
					c.advance(10 * time.Minute) // the provider's cache goes cold: ready texts come in
				}
				ask := fmt.Sprintf("Go on with part %d of the report. Keep port %d closed. [[say %d]]", i, 8000+i%900, 120+i%7*60)
				if i%5 == 4 {
					ask += ` [[tool look {"n":"$n"}]] [[steps 2]]`
				}
				l.asked()
				require.Nil(t, w.Say(id, ask).Err)
				if proving() && (i == turns/5 || i == turns-1) {
					settled(t, w, id)
					l.heaps = append(l.heaps, heap())
				}
			}
			settled(t, w, id)
			st := status(t, w, id)
			bound := requestBound(t, w, id, st)
			t.Logf("%d turns, %d passes: largest request %d tokens, bound %d", turns, st.Record.Passes, l.largest, bound)
			require.LessOrEqual(t, l.largest, bound)
			require.Less(t, len(viewOf(t, w, id)), 20, "summaries are folded")
			early, late := l.median(turns/10, turns/5), l.median(turns-turns/10, turns)
			t.Logf("median turn start: %v early, %v late", early, late)
			if proving() {
				t.Logf("heap: %d KiB after a fifth, %d KiB at the end", l.heaps[0]>>10, l.heaps[1]>>10)
				require.LessOrEqual(t, float64(late), 1.5*float64(early))
				require.LessOrEqual(t, float64(l.heaps[1]), 1.5*float64(l.heaps[0]))
			}
			w.CheckBooks(id)
		})
	}
}

// requestBound is what no request may pass: prefix, summaries up to the line of a fold and one more, what pends below the
// threshold, the tail, and the largest tool cycle.
func requestBound(t *testing.T, w *sessiontest.World, id session.ID, st session.Status) int {
	t.Helper()
	k := st.Record.Compaction
	cycle := 0
	var before message.Message
	for q := message.Seq(-1); ; {
		rows, err := w.Store.Messages(context.Background(), id, q, 5000)
		require.NoError(t, err)
		if len(rows) == 0 {
			break
		}
		for _, m := range rows {
			if len(m.ToolResults()) > 0 {
				cycle = max(cycle, m.Tokens+before.Tokens)
			}
			before, q = m, m.Seq
		}
	}
	return st.Posture.PrefixTokens + k.ThresholdTokens/2 + k.MaxTokens + k.ThresholdTokens + k.TailMaxTokens + cycle
}

// What the planner looks at does not grow with the history: a late turn start reads no more rows than an early one.
func TestTurnStartReadsNoHistory(t *testing.T) {
	var reads []message.Span
	var mu sync.Mutex
	w := sessiontest.Open(t, sessiontest.Options{Store: func(s session.Store) session.Store { return reading{s, &mu, &reads} }})
	id := w.NewSession(small("mechanical"))
	for status(t, w, id).Record.Passes < 4 {
		talk(t, w, id, 1, 500)
	}
	require.Empty(t, reads, "rows and facts live with the actor from the watermark on")
	require.NotEmpty(t, viewOf(t, w, id))
	require.Equal(t, compaction.StateMechanicalActive, status(t, w, id).Record.Posture.State)
}

type reading struct {
	session.Store
	mu    *sync.Mutex
	spans *[]message.Span
}

func (r reading) note(s message.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*r.spans = append(*r.spans, s)
}

func (r reading) Rows(ctx context.Context, id session.ID, s message.Span) ([]message.Message, error) {
	r.note(s)
	return r.Store.Rows(ctx, id, s)
}

func (r reading) Digests(ctx context.Context, id session.ID, s message.Span) ([]compaction.Digest, error) {
	r.note(s)
	return r.Store.Digests(ctx, id, s)
}
