package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
	"tidemark/internal/tool"
)

// eventually waits until a condition holds, looking again at each row of the session and at each event.
func eventually(t *testing.T, w *sessiontest.World, id session.ID, what string, holds func() bool) {
	t.Helper()
	rows, events := w.Bus.SubscribeSession(id, 0), w.Bus.SubscribeCatalog(0)
	defer rows.Close()
	defer events.Close()
	late := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-rows.C:
		case <-events.C:
		case <-late:
			t.Fatalf("%s did not happen", what)
		}
	}
}

// settled waits until nothing is being bought, and insists.
func settled(t *testing.T, w *sessiontest.World, id session.ID) {
	t.Helper()
	eventually(t, w, id, "the end of the candidate", func() bool {
		st := status(t, w, id)
		for _, p := range st.Posture.Recent {
			if p.Candidate != nil && p.Candidate.State == compaction.CandidateRunning {
				return false
			}
		}
		return st.Posture.Reason != compaction.ReasonBurnRate
	})
}

// untilPass talks until the first attempt at a compaction has ended.
func untilPass(t *testing.T, w *sessiontest.World, id session.ID) compaction.Pass {
	t.Helper()
	for range 40 {
		if p := passesOf(t, w, id); len(p) > 0 {
			return oldest(p)
		}
		talk(t, w, id, 1, 900)
	}
	t.Fatal("no attempt came")
	return compaction.Pass{}
}

func oldest(ps []compaction.Pass) compaction.Pass {
	first := ps[0]
	for _, p := range ps {
		if p.CreatedAt.Before(first.CreatedAt) || p.CreatedAt.Equal(first.CreatedAt) && p.ID < first.ID {
			first = p
		}
	}
	return first
}

// looker attaches a client whose tool "look" answers with the given text.
func looker(t *testing.T, w *sessiontest.World, id session.ID, answer string) {
	t.Helper()
	detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(context.Context, tool.Request) (tool.Answer, error) {
		return tool.Answer{Content: message.Blocks{message.Text{Text: answer}}}, nil
	}})
	require.NoError(t, err)
	t.Cleanup(detach)
}

// withLook gives a session the tool "look".
func withLook(n session.NewSession) session.NewSession {
	n.Tools = []message.ToolSpec{{Name: "look"}}
	return n
}

// work is a turn that reads a lot by its tool.
func work(t *testing.T, w *sessiontest.World, id session.ID, steps int) {
	t.Helper()
	res := w.Say(id, fmt.Sprintf(`Find out why the queue stalls. Never restart the broker. [[tools look {"n":"$n"} look {"n":"$n"}]] [[steps %d]] [[say 60]]`, steps))
	require.Nil(t, res.Err)
}

// compactionCalls are the ledger rows of summaries.
func compactionCalls(t *testing.T, w *sessiontest.World, id session.ID) []session.LedgerRow {
	t.Helper()
	var out []session.LedgerRow
	for _, r := range ledgerOf(t, w, id) {
		if r.Purpose == session.PurposeCompaction {
			out = append(out, r)
		}
	}
	return out
}

// demanded are the facts that a summarization request asks to keep, one line each.
func demanded(r provider.Request) string {
	var lines []string
	last := r.Messages[len(r.Messages)-1]
	for line := range strings.Lines(last.PlainText()) {
		if strings.HasPrefix(line, "- ") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// calls collects what one model was asked.
type calls struct {
	model string
	mu    sync.Mutex
	seen  []provider.Request
}

func (c *calls) hook(f func(sim.Call) sim.Fault) func(sim.Call) sim.Fault {
	return func(call sim.Call) sim.Fault {
		if call.Model == c.model {
			c.mu.Lock()
			c.seen = append(c.seen, call.Request)
			c.mu.Unlock()
		}
		if f == nil {
			return sim.Fault{}
		}
		return f(call)
	}
}

func (c *calls) all() []provider.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]provider.Request(nil), c.seen...)
}

func (c *calls) last() provider.Request {
	all := c.all()
	return all[len(all)-1]
}

func summarizerCalls() *calls { return &calls{model: model.SimSummarizer} }
func assistantCalls() *calls  { return &calls{model: "sim:assistant"} }

// clock is a clock that stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// postures are the pairs that were told, in order.
func postures(t *testing.T, w *sessiontest.World, id session.ID) []compaction.Posture {
	t.Helper()
	var out []compaction.Posture
	for _, e := range eventsOf(t, w, id, event.PostureChanged) {
		p := decode[event.PostureChangedPayload](t, e)
		out = append(out, compaction.Posture{State: compaction.PostureState(p.State), Reason: compaction.Reason(p.Reason)})
	}
	return out
}
