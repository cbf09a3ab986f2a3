package session_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/model"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

// untilStaged talks until work lies prepared for the next check.
func untilStaged(t *testing.T, w *sessiontest.World, id session.ID) {
	t.Helper()
	for range 30 {
		talk(t, w, id, 1, 300)
		settled(t, w, id)
		if status(t, w, id).Record.Posture.Reason == compaction.ReasonPrepared {
			return
		}
	}
	t.Fatal("nothing was staged")
}

// Spec 6.5: staging is no attempt; the check that uses it makes one, and takes over what was paid.
func TestStaged_UsedByTheNextCheck(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("two_phase"))
	untilStaged(t, w, id)
	require.Empty(t, passesOf(t, w, id), "no record")
	require.Empty(t, eventsOf(t, w, id, event.CompactionStarted), "no event")
	paid := compactionCalls(t, w, id)
	require.Len(t, paid, 1)
	require.Empty(t, paid[0].CompactionID)
	require.Equal(t, paid[0].CostUSD.String(), status(t, w, id).Record.CompactionCostUSD.String())
	require.Len(t, eventsOf(t, w, id, event.CallCompleted), len(ledgerOf(t, w, id)), "each call has its event")

	p := untilPass(t, w, id)
	require.Equal(t, compaction.TriggerPrecompact, p.Trigger)
	require.Equal(t, compaction.KindSemantic, p.Kind)
	require.Equal(t, compaction.AtTurnStart, p.At)
	require.Equal(t, paid[0].CostUSD.String(), p.CostUSD.String())
	require.Equal(t, paid[0].Usage, p.Usage)
	rows := compactionCalls(t, w, id)
	require.Equal(t, p.ID, rows[0].CompactionID, "the row is taken over")
	require.Len(t, eventsOf(t, w, id, event.CompactionStarted), 1)
	require.Len(t, eventsOf(t, w, id, event.CompactionDone), 1)
	view, err := w.Store.ViewSummaries(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, p.ID, view[0].ID)
	require.Equal(t, compaction.KindSemantic, view[0].Kind)
	w.CheckBooks(id)
}

func TestStaged_NotUsedWhenTheViewMoved(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("two_phase"))
	untilStaged(t, w, id)
	staged := compactionCalls(t, w, id)[0]
	_, err := w.Compact(context.Background(), id, "the ports") // with a focus: neither reads nor writes the cache
	require.NoError(t, err)
	for len(passesOf(t, w, id)) < 2 {
		talk(t, w, id, 1, 900)
	}
	for _, p := range passesOf(t, w, id)[:2] {
		require.NotEqual(t, compaction.TriggerPrecompact, p.Trigger)
	}
	require.Empty(t, compactionCalls(t, w, id)[0].CompactionID, "never used, never taken over")
	require.Equal(t, staged.ID, compactionCalls(t, w, id)[0].ID)
	settled(t, w, id)
	w.CheckBooks(id)
}

// Work that covers so little of what came since that a second pass would be due at once is not used: the whole span is
// covered instead of a part of it.
func TestStaged_NotUsedWhenMuchMoreCame(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(small("two_phase", `"check":"turn"`)))
	looker(t, w, id, longText)
	untilStaged(t, w, id)
	work(t, w, id, 2) // far above the hard cap in one turn
	talk(t, w, id, 1, 100)
	p := passesOf(t, w, id)[0]
	require.Equal(t, compaction.TriggerHardCap, p.Trigger)
	require.Less(t, status(t, w, id).Posture.PendingTokens, 6000)
	for _, p := range passesOf(t, w, id) {
		require.NotEqual(t, compaction.KindTruncation, p.Kind, "nothing is dropped that a summary can hold")
	}
	settled(t, w, id)
	w.CheckBooks(id)
}

func TestStaged_AtMostEveryThirtySeconds(t *testing.T) {
	c := newClock()
	var asked atomic.Int64
	w := sessiontest.Open(t, sessiontest.Options{Now: c.Now, Faults: func(call sim.Call) sim.Fault {
		if call.Model != model.SimSummarizer {
			return sim.Fault{}
		}
		asked.Add(1)
		return sim.Fault{Kind: sim.Auth} // nothing is remembered of it, and nothing staged
	}})
	id := w.NewSession(small("two_phase", `"threshold_tokens":30000`, `"hard_cap_tokens":60000`, `"tail_max_tokens":100`, `"preserve_recent_turns":1`, `"streaming":{"precompact_threshold":0.1}`))
	for asked.Load() == 0 {
		talk(t, w, id, 1, 300)
		settled(t, w, id)
	}
	for range 5 {
		c.advance(5 * time.Second)
		talk(t, w, id, 1, 300)
		settled(t, w, id)
	}
	require.EqualValues(t, 1, asked.Load(), "25 seconds on")
	c.advance(5 * time.Second)
	talk(t, w, id, 1, 300)
	settled(t, w, id)
	require.EqualValues(t, 2, asked.Load(), "30 seconds on")
	require.Empty(t, passesOf(t, w, id))
	w.CheckBooks(id)
}

func TestStaged_InsideTheBudget(t *testing.T) {
	asked := summarizerCalls()
	w := sessiontest.Open(t, sessiontest.Options{Faults: asked.hook(nil)})
	id := w.NewSession(small("two_phase", `"max_cost_per_session_usd":"0.0001"`))
	untilPass(t, w, id)
	require.Empty(t, asked.all(), "the money would not do")
	require.Empty(t, compactionCalls(t, w, id))
	require.Len(t, eventsOf(t, w, id, event.BudgetReached), 1, "told once")
	w.CheckBooks(id)
}

// A check that comes while work is being prepared does not wait for it, buys its own, and leaves nobody's call unpaid.
func TestStaged_ACheckComesFirst(t *testing.T) {
	release := make(chan struct{})
	w := sessiontest.Open(t, sessiontest.Options{Registry: holdSummarizer(release)})
	id := w.NewSession(small("two_phase", `"streaming":{"latency_budget_seconds":0}`))
	for status(t, w, id).Record.Posture.Reason != compaction.ReasonBurnRate {
		talk(t, w, id, 1, 300)
	}
	p := untilPass(t, w, id)
	require.Equal(t, compaction.TriggerThreshold, p.Trigger)
	require.Equal(t, compaction.CandidateRunning, p.Candidate.State)
	close(release)
	settled(t, w, id)
	require.Equal(t, compaction.CandidateReady, passesOf(t, w, id)[0].Candidate.State)
	require.Len(t, compactionCalls(t, w, id), 1)
	w.CheckBooks(id)
}

// What was staged before a restart is forgotten, not billed twice and not lost from the books.
func TestStaged_ForgottenByARestart(t *testing.T) {
	dir := t.TempDir()
	w := sessiontest.Open(t, sessiontest.Options{Dir: dir})
	id := w.NewSession(small("two_phase"))
	untilStaged(t, w, id)
	spent := status(t, w, id).Record.CompactionCostUSD
	w.End()
	w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
	require.Equal(t, spent.String(), status(t, w, id).Record.CompactionCostUSD.String())
	p := untilPass(t, w, id)
	require.Empty(t, compactionCalls(t, w, id)[0].CompactionID)
	if p.CacheHit {
		require.Equal(t, spent.String(), status(t, w, id).Record.CompactionCostUSD.String())
	}
	w.CheckBooks(id)
}
