package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

// small are knobs under which a handful of turns compacts.
func small(mode string, more ...string) session.NewSession {
	knobs := `{"mode":"` + mode + `","threshold_tokens":3000,"hard_cap_tokens":6000,"tail_max_tokens":2000,"max_tokens":900`
	for _, m := range more {
		knobs += "," + m
	}
	return session.NewSession{Overrides: json.RawMessage(knobs + "}")}
}

// talk sends n prompts of about size tokens each.
func talk(t *testing.T, w *sessiontest.World, id session.ID, n, size int) {
	t.Helper()
	for i := range n {
		res := w.Say(id, fmt.Sprintf("Please go on with part %d. Never change the port 84%02d without asking me. [[say %d]]", i, i, size))
		require.Nil(t, res.Err)
	}
}

func status(t *testing.T, w *sessiontest.World, id session.ID) session.Status {
	t.Helper()
	st, err := w.Status(context.Background(), id)
	require.NoError(t, err)
	return st
}

func passesOf(t *testing.T, w *sessiontest.World, id session.ID) []compaction.Pass {
	t.Helper()
	p, err := w.Store.Passes(context.Background(), id, "", 5000)
	require.NoError(t, err)
	return p.Items
}

func eventsOf(t *testing.T, w *sessiontest.World, id session.ID, kinds ...event.Kind) []event.Event {
	t.Helper()
	evs, err := w.Store.Events(context.Background(), session.EventFilter{SessionID: id, Types: kinds, Limit: 5000})
	require.NoError(t, err)
	return evs
}

// requests collects what the session's model was sent.
type requests struct {
	last atomic.Pointer[[]message.Message]
}

func (r *requests) faults(c sim.Call) sim.Fault {
	if c.Model == "sim:assistant" {
		msgs := c.Request.Messages
		r.last.Store(&msgs)
	}
	return sim.Fault{}
}

func (r *requests) bytes(t *testing.T) string {
	t.Helper()
	b, err := json.Marshal(*r.last.Load())
	require.NoError(t, err)
	return string(b)
}

// B100: the request after a restart is, byte for byte, the one that the live session would have sent.
func TestCaseB100SameBytesAfterRestart(t *testing.T) {
	for _, mode := range []string{"mechanical", "semantic", "two_phase"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			var live, restarted requests
			w := sessiontest.Open(t, sessiontest.Options{Dir: dir, Faults: live.faults})
			id := w.NewSession(small(mode))
			for status(t, w, id).Record.Passes == 0 {
				talk(t, w, id, 1, 900)
			}
			before := live.bytes(t)
			w.End()
			w = sessiontest.Open(t, sessiontest.Options{Dir: dir, Faults: restarted.faults})
			require.Nil(t, w.Say(id, "and then?").Err)
			after := *restarted.last.Load()
			var was []message.Message
			require.NoError(t, json.Unmarshal([]byte(before), &was))
			require.Greater(t, len(after), len(was))
			prefix, err := json.Marshal(after[:len(was)])
			require.NoError(t, err)
			require.Equal(t, before, string(prefix))
			w.CheckBooks(id)
		})
	}
}

func TestUndoGivesBackTheExactEarlierView(t *testing.T) {
	var r requests
	w := sessiontest.Open(t, sessiontest.Options{Faults: r.faults})
	id := w.NewSession(small("mechanical", `"threshold_tokens":50000`, `"hard_cap_tokens":90000`))
	talk(t, w, id, 8, 700)
	require.Zero(t, status(t, w, id).Record.Passes)
	whole := r.bytes(t)
	p, err := w.Compact(context.Background(), id, "the ports")
	require.NoError(t, err)
	require.Equal(t, compaction.OutcomeCompleted, p.Outcome)
	require.Equal(t, compaction.TriggerManual, p.Trigger)
	undone, err := w.Undo(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, compaction.OutcomeUndone, undone.Outcome)
	require.Nil(t, w.Say(id, "next").Err)
	next := *r.last.Load()
	var was []message.Message
	require.NoError(t, json.Unmarshal([]byte(whole), &was))
	prefix, err := json.Marshal(next[:len(was)])
	require.NoError(t, err)
	require.Equal(t, whole, string(prefix))
	_, err = w.Undo(context.Background(), id)
	require.ErrorIs(t, err, session.ErrNothingToUndo)
	require.Len(t, eventsOf(t, w, id, event.CompactionUndone), 1)
	w.CheckBooks(id)
}

func TestUndoOfAFoldBringsTheParentsBack(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("mechanical"))
	for range 60 {
		talk(t, w, id, 1, 900)
		if p := passesOf(t, w, id); len(p) > 0 && status(t, w, id).Posture.Recent[0].Trigger == compaction.TriggerFold {
			break
		}
	}
	fold := status(t, w, id).Posture.Recent[0]
	require.Equal(t, compaction.TriggerFold, fold.Trigger, "no fold came")
	view, err := w.Store.ViewSummaries(context.Background(), id)
	require.NoError(t, err)
	require.Len(t, view, 2)
	_, err = w.Undo(context.Background(), id)
	require.NoError(t, err)
	back, err := w.Store.ViewSummaries(context.Background(), id)
	require.NoError(t, err)
	require.Greater(t, len(back), 2)
	require.Empty(t, compaction.LinkCheck(back, status(t, w, id).Posture.Watermark))
	talk(t, w, id, 1, 10)
	w.CheckBooks(id)
}

func TestAfterUndoNoAutomaticPassUntilPendingGrew(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("mechanical", `"hard_cap_tokens":60000`))
	for status(t, w, id).Record.Passes == 0 {
		talk(t, w, id, 1, 700)
	}
	undone, err := w.Undo(context.Background(), id)
	require.NoError(t, err)
	pending := undone.SpanTokenCountIn
	talk(t, w, id, 1, 50)
	require.Zero(t, status(t, w, id).Record.Passes)
	for status(t, w, id).Record.Passes == 0 {
		talk(t, w, id, 1, 700)
		require.Less(t, status(t, w, id).Posture.PendingTokens, pending+60000)
	}
	last := status(t, w, id).Posture.Recent[0]
	require.GreaterOrEqual(t, last.SpanTokenCountIn, pending+1500)
	w.CheckBooks(id)
}

// Spec 6.8: a broken summary is told before anything else of the turn, and the turn completes.
func TestBrokenLinkIsToldFirstAndMended(t *testing.T) {
	for name, sql := range map[string]string{
		"deleted":   `DELETE FROM summaries WHERE id = (SELECT id FROM summaries ORDER BY span_start LIMIT 1)`,
		"altered":   `UPDATE summaries SET text = text || ' and more'`,
		"shortened": `UPDATE summaries SET text = substr(text, 1, 40)`,
	} {
		t.Run(name, func(t *testing.T) {
			w := sessiontest.Open(t, sessiontest.Options{})
			id := w.NewSession(small("mechanical"))
			for status(t, w, id).Record.Passes == 0 {
				talk(t, w, id, 1, 900)
			}
			mark := status(t, w, id).Posture.Watermark
			tamper(t, w.Dir, sql)
			var kinds []event.StreamKind
			sub := w.Bus.SubscribeSession(id, 0)
			require.Nil(t, w.Say(id, "go on").Err)
			sub.Close()
			for d := range sub.C {
				if d.Row != nil && d.Row.Kind != event.StreamTurn && d.Row.Kind != event.StreamUserMessage {
					kinds = append(kinds, d.Row.Kind)
				}
			}
			require.Equal(t, event.StreamUsage, kinds[0])
			require.Equal(t, event.StreamCompaction, kinds[1])
			passes := passesOf(t, w, id)
			var repairs int
			for _, p := range passes {
				if p.Trigger == compaction.TriggerRepair {
					repairs++
					require.Equal(t, mark, p.WatermarkAfter)
				}
			}
			require.Equal(t, 1, repairs)
			postures := eventsOf(t, w, id, event.PostureChanged)
			require.Contains(t, string(postures[len(postures)-2].Payload), "summary_link_")
			w.CheckBooks(id)
		})
	}
}

func tamper(t *testing.T, dir, sql string) {
	t.Helper()
	db, err := gorm.Open(sqlite.Open(dir+"/tidemark.db"), &gorm.Config{})
	require.NoError(t, err)
	require.NoError(t, db.Exec(sql).Error)
	raw, err := db.DB()
	require.NoError(t, err)
	require.NoError(t, raw.Close())
}

func TestSemanticFailureBelowTheCapChangesNothing(t *testing.T) {
	for _, kind := range []sim.Kind{sim.Empty, sim.Blank, sim.Refusal, sim.MaxTokens, sim.ToolCall, sim.TooLong, sim.Overload, sim.Cut, sim.Auth} {
		t.Run(string(kind), func(t *testing.T) {
			w := sessiontest.Open(t, sessiontest.Options{Faults: sim.Always("sim:summarizer", sim.Fault{Kind: kind})})
			id := w.NewSession(small("semantic", `"hard_cap_tokens":60000`))
			talk(t, w, id, 9, 900)
			st := status(t, w, id)
			require.Zero(t, st.Record.Passes)
			require.Zero(t, st.Posture.Watermark)
			failed := eventsOf(t, w, id, event.CompactionFailed)
			require.NotEmpty(t, failed)
			require.Empty(t, eventsOf(t, w, id, event.CompactionDone))
			require.NotContains(t, string(failed[0].Payload), `"truncated_message_count":0`)
			w.CheckBooks(id)
		})
	}
}

func TestSemanticFailureAtTheCapTruncates(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{Faults: sim.Always("sim:summarizer", sim.Fault{Kind: sim.Refusal})})
	id := w.NewSession(small("semantic"))
	talk(t, w, id, 14, 900)
	st := status(t, w, id)
	require.NotZero(t, st.Record.Passes)
	for _, p := range passesOf(t, w, id) {
		if p.Version > 0 {
			require.Equal(t, compaction.KindTruncation, p.Kind)
			require.Equal(t, compaction.OutcomeFailed, p.Outcome)
			require.Positive(t, p.TruncatedMessageCount)
		}
	}
	w.CheckBooks(id)
}

func TestTwoPhaseKeepsTheMechanicalSummaryWhateverTheSummarizerDoes(t *testing.T) {
	for _, kind := range []sim.Kind{
		sim.Empty, sim.Blank, sim.Refusal, sim.MaxTokens, sim.ToolCall, sim.TooLong, sim.WrongLanguage, sim.MissingFacts,
		sim.RateLimit, sim.Overload, sim.Cut, sim.Auth,
	} {
		t.Run(string(kind), func(t *testing.T) {
			w := sessiontest.Open(t, sessiontest.Options{Faults: sim.Always("sim:summarizer", sim.Fault{Kind: kind})})
			id := w.NewSession(small("two_phase"))
			for status(t, w, id).Record.Passes == 0 {
				talk(t, w, id, 1, 900)
			}
			st := status(t, w, id)
			p := st.Posture.Recent[0]
			require.Equal(t, compaction.KindMechanical, p.Kind)
			require.Equal(t, compaction.OutcomeCompleted, p.Outcome)
			require.NotNil(t, p.Candidate)
			require.Contains(t, []compaction.CandidateState{compaction.CandidateRejected, compaction.CandidateFailed}, p.Candidate.State)
			require.NotEmpty(t, p.Candidate.Reason)
			require.Equal(t, compaction.StateSemanticRejected, st.Posture.State)
			w.CheckBooks(id)
		})
	}
}

func TestBudgetSpentBelowTheCap(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("semantic", `"max_cost_per_session_usd":"0"`, `"hard_cap_tokens":60000`))
	talk(t, w, id, 9, 900)
	require.Empty(t, eventsOf(t, w, id, event.CompactionStarted, event.CompactionFailed), "skipped silently")
	id = w.NewSession(small("two_phase", `"max_cost_per_session_usd":"0"`))
	talk(t, w, id, 9, 900)
	st := status(t, w, id)
	require.NotZero(t, st.Record.Passes)
	require.Equal(t, "budget_exhausted", st.Posture.Recent[0].Candidate.Reason)
	require.True(t, st.Record.CompactionCostUSD.IsZero())
	w.CheckBooks(id)
}

// E6: forced with the money spent, the call runs, the notice is told, and its summary is used.
func TestRuleE6ForcedWithTheBudgetSpent(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("semantic", `"max_cost_per_session_usd":"0"`))
	for status(t, w, id).Record.Passes == 0 {
		talk(t, w, id, 1, 900)
	}
	evs := eventsOf(t, w, id, event.CompactionStarted, event.CompactionFailed, event.CompactionDone)
	require.Len(t, evs, 3)
	require.Equal(t, event.CompactionFailed, evs[1].Type)
	require.Contains(t, string(evs[1].Payload), "budget_exhausted_forced")
	require.Contains(t, string(evs[1].Payload), `"error_class":"","error_message":"","truncated_message_count":null`)
	require.Equal(t, event.CompactionDone, evs[2].Type)
	p := passesOf(t, w, id)[0]
	require.Equal(t, compaction.OutcomeCompleted, p.Outcome)
	require.Equal(t, compaction.FailBudgetForced, p.FailureMode)
	w.CheckBooks(id)
}

func TestCacheHitAcrossSessionsAndRestart(t *testing.T) {
	for _, mode := range []string{"semantic", "two_phase"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			play := func(w *sessiontest.World) session.Status {
				id := w.NewSession(small(mode))
				talk(t, w, id, 9, 900)
				w.CheckBooks(id)
				return status(t, w, id)
			}
			w := sessiontest.Open(t, sessiontest.Options{Dir: dir})
			first := play(w)
			require.Zero(t, first.Record.SummaryCacheHits)
			require.NotZero(t, play(w).Record.SummaryCacheHits)
			w.End()
			w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
			again := play(w)
			require.NotZero(t, again.Record.SummaryCacheHits)
			require.Equal(t, first.Record.Passes, again.Record.Passes)
		})
	}
}

// B87: stop during the summary call ends it; the view stays as it was.
func TestCaseB87CancelDuringTheSummaryCall(t *testing.T) {
	for _, mode := range []string{"semantic", "two_phase"} {
		t.Run(mode, func(t *testing.T) {
			w := sessiontest.Open(t, sessiontest.Options{Faults: sim.Always("sim:summarizer", sim.Fault{Kind: sim.Hang})})
			id := w.NewSession(small(mode, `"streaming":{"latency_budget_seconds":60}`))
			started := watch(w, id, kindIs(event.StreamCompaction))
			done := make(chan session.TurnResult, 1)
			go func() {
				for {
					acc, err := w.Prompt(context.Background(), id, text("more [[say 900]]"))
					if err != nil {
						continue
					}
					if res := w.Wait(acc); res.StopReason == "cancelled" {
						done <- res
						return
					}
				}
			}()
			await(t, started, "a compaction")
			require.NoError(t, w.Cancel(context.Background(), id))
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("the cancel did not end the turn")
			}
			st := status(t, w, id)
			require.Zero(t, st.Posture.Watermark)
			require.Equal(t, compaction.OutcomeCancelled, st.Posture.Recent[0].Outcome)
			failed := eventsOf(t, w, id, event.CompactionFailed)
			require.Contains(t, string(failed[0].Payload), `"error_class":"cancelled"`)
			w.CheckBooks(id)
		})
	}
}

func TestLateCandidateIsSwappedInAtATurnStart(t *testing.T) {
	release := make(chan struct{})
	w := sessiontest.Open(t, sessiontest.Options{Registry: holdSummarizer(release)})
	id := w.NewSession(small("two_phase", `"streaming":{"latency_budget_seconds":0,"swap":"next_turn"}`))
	for status(t, w, id).Record.Passes == 0 {
		talk(t, w, id, 1, 900)
	}
	p := status(t, w, id).Posture.Recent[0]
	require.Equal(t, compaction.KindMechanical, p.Kind)
	require.Equal(t, compaction.CandidateRunning, p.Candidate.State)
	ready := watch(w, id, func(r event.StreamRow) bool {
		return r.Kind == event.StreamUsage && string(r.Payload) != "" && containsState(r, "semantic_ready")
	})
	close(release)
	await(t, ready, "a ready candidate")
	version := status(t, w, id).Record.Version
	talk(t, w, id, 1, 10)
	st := status(t, w, id)
	require.Equal(t, version+1, st.Record.Version)
	require.Equal(t, compaction.StateSemanticCommitted, st.Posture.State)
	require.Len(t, eventsOf(t, w, id, event.SummarySwapped), 1)
	view, err := w.Store.ViewSummaries(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, compaction.KindSemantic, view[0].Kind)
	got := passesOf(t, w, id)
	require.Equal(t, compaction.CandidateAccepted, got[len(got)-1].Candidate.State)
	w.CheckBooks(id)
}

func containsState(r event.StreamRow, state string) bool {
	var g event.Gauge
	return json.Unmarshal(r.Payload, &g) == nil && g.Posture != nil && g.Posture.State == state
}
