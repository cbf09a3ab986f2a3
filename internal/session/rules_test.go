package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/model"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

// E6, the other branch: the money is spent, the forced call fails, and the one failed event carries the count of what was
// truncated.
func TestRuleE6ForcedAndFailed(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{Faults: always(sim.Refusal)})
	id := w.NewSession(small("semantic", `"max_cost_per_session_usd":"0"`))
	for status(t, w, id).Record.Passes == 0 {
		talk(t, w, id, 1, 900)
	}
	evs := eventsOf(t, w, id, event.CompactionStarted, event.CompactionFailed, event.CompactionDone)
	require.Len(t, evs, 2)
	failed := decode[event.CompactionFailedPayload](t, evs[1])
	require.Equal(t, string(compaction.FailBudgetForced), failed.FailureMode)
	require.NotNil(t, failed.TruncatedMessageCount)
	p := passesOf(t, w, id)[0]
	require.Equal(t, compaction.KindTruncation, p.Kind)
	require.Equal(t, compaction.OutcomeFailed, p.Outcome)
	require.Equal(t, *failed.TruncatedMessageCount, p.TruncatedMessageCount)
	require.Equal(t, p.SpanEnd, p.WatermarkAfter)
	require.Len(t, billed(t, w, id, p), 1, "the call was made all the same")
	w.CheckBooks(id)
}

// Spec 4.5: at the cap truncation follows whatever the failure, a summary that would free too little among them (4.11).
func TestFutileAtTheCapTruncates(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(small("semantic", `"threshold_tokens":3000`, `"hard_cap_tokens":3500`, `"tail_max_tokens":4000`)))
	looker(t, w, id, strings.Repeat("nothing new. ", 20))
	request := strings.Repeat("Read the log of the harbor and say what you find in it. ", 208)
	require.Nil(t, w.Say(id, request+`[[tool look {"n":"$n"}]] [[steps 3]]`).Err)
	var truncated bool
	for _, p := range passesOf(t, w, id) {
		if p.Futile {
			truncated = truncated || p.Kind == compaction.KindTruncation
			require.Equal(t, compaction.FailValidationFailed, p.FailureMode)
		}
	}
	require.True(t, truncated)
	w.CheckBooks(id)
}

// Spec 4.8: a fold comes right after the pass that crossed the line; one that fails waits for the next pass and is not
// bought again at every check.
func TestAFailedFoldWaitsForTheNextPass(t *testing.T) {
	var w *sessiontest.World
	var id session.ID
	w = sessiontest.Open(t, sessiontest.Options{Faults: func(c sim.Call) sim.Fault {
		if c.Model != model.SimSummarizer {
			return sim.Fault{}
		}
		if ps := passesOf(t, w, id); ps[len(ps)-1].Trigger != compaction.TriggerFold {
			return sim.Fault{}
		}
		return sim.Fault{Kind: sim.Auth} // nothing is remembered of it
	}})
	id = w.NewSession(small("semantic", `"max_cost_per_session_usd":"5"`))
	tried := func() (n int) {
		for _, p := range passesOf(t, w, id) {
			if p.Trigger == compaction.TriggerFold {
				n++
			}
		}
		return n
	}
	for range 60 {
		talk(t, w, id, 1, 900)
		if tried() > 0 {
			break
		}
	}
	require.Equal(t, 1, tried())
	passes := status(t, w, id).Record.Passes
	for status(t, w, id).Record.Passes == passes {
		require.Equal(t, 1, tried())
		talk(t, w, id, 1, 300)
	}
	require.Equal(t, 2, tried())
	require.Greater(t, len(viewOf(t, w, id)), 3, "the parents stay")
	w.CheckBooks(id)
}

// Spec 6.8: the summaries are checked at load, so that a session that nobody prompts shows a break too; the notice is told
// again in front of the turn that mends it.
func TestBrokenLinkIsFoundAtLoad(t *testing.T) {
	dir := t.TempDir()
	w := sessiontest.Open(t, sessiontest.Options{Dir: dir})
	id := w.NewSession(small("mechanical"))
	untilPass(t, w, id)
	w.End()
	tamper(t, dir, `DELETE FROM summaries`)
	w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
	st := status(t, w, id)
	require.Equal(t, compaction.Posture{State: compaction.StateSummaryLinkBroken, Reason: compaction.ReasonSummaryLinkMissing}, st.Record.Posture)
	require.Equal(t, "missing", st.Posture.SummaryLink)
	sub := w.Bus.SubscribeSession(id, 0)
	require.Nil(t, w.Say(id, "go on").Err)
	sub.Close()
	for d := range sub.C {
		if d.Row == nil || d.Row.Kind == event.StreamTurn || d.Row.Kind == event.StreamUserMessage {
			continue
		}
		require.Equal(t, event.StreamUsage, d.Row.Kind)
		var g event.Gauge
		require.NoError(t, json.Unmarshal(d.Row.Payload, &g))
		require.NotNil(t, g.Posture)
		require.Equal(t, "summary_link_broken", g.Posture.State)
		break
	}
	require.Equal(t, "ok", status(t, w, id).Posture.SummaryLink)
	w.CheckBooks(id)
}

// A pass inside a turn that a fold or an elision follows still gets its text when the turn ends (spec 6.4).
func TestATextIsBoughtAfterAFoldInsideTheTurn(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(small("two_phase", `"max_cost_per_session_usd":"5"`)))
	looker(t, w, id, longText)
	for range 12 {
		work(t, w, id, 4)
		settled(t, w, id)
		ps := passesOf(t, w, id)
		n := len(ps)
		if n < 2 || ps[n-1].Trigger != compaction.TriggerFold || ps[n-1].At != compaction.AtStep {
			continue
		}
		require.NotNil(t, ps[n-2].Candidate, "the newest summary, which the fold left alone")
		require.Equal(t, compaction.CandidateReady, ps[n-2].Candidate.State)
		w.CheckBooks(id)
		return
	}
	t.Fatal("no turn ended with a fold as its last pass")
}

// A manual pass never drops rows: a wish that finds nothing to free says so.
func TestAManualPassDropsNothing(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("mechanical"))
	talk(t, w, id, 3, 100)
	_, _ = w.Compact(t.Context(), id, "")
	_, _ = w.Compact(t.Context(), id, "")
	for _, p := range passesOf(t, w, id) {
		require.NotEqual(t, compaction.KindTruncation, p.Kind)
	}
	w.CheckBooks(id)
}
