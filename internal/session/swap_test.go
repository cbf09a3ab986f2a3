package session_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

func viewOf(t *testing.T, w *sessiontest.World, id session.ID) []compaction.Summary {
	t.Helper()
	view, err := w.Store.ViewSummaries(context.Background(), id)
	require.NoError(t, err)
	return view
}

// Spec 6.4, swap free: a ready text waits while the provider's cache is warm and is put in at the first cold turn start.
func TestSwap_FreeWaitsForAColdCache(t *testing.T) {
	c := newClock()
	w, id := readyText(t, `"swap":"free"`, sessiontest.Options{Now: c.Now})
	mechanical := viewOf(t, w, id)[0]
	for range 3 {
		c.advance(time.Minute)
		talk(t, w, id, 1, 10)
		require.Empty(t, eventsOf(t, w, id, event.SummarySwapped), "the cache is warm")
	}
	require.Equal(t, compaction.ReasonSwapNotFree, status(t, w, id).Record.Posture.Reason)
	version := status(t, w, id).Record.Version
	c.advance(5*time.Minute + time.Second)
	talk(t, w, id, 1, 10)
	swaps := eventsOf(t, w, id, event.SummarySwapped)
	require.Len(t, swaps, 1)
	got := decode[event.SummarySwappedPayload](t, swaps[0])
	require.Equal(t, mechanical.ID, got.CompactionID)
	require.Equal(t, version+1, got.Version)
	require.Positive(t, got.PrefixInvalidatedTokens)
	require.NotEqual(t, "0", got.CostUSD)
	after := viewOf(t, w, id)[0]
	require.Equal(t, compaction.KindSemantic, after.Kind)
	require.NotEqual(t, mechanical.Text, after.Text)
	require.Equal(t, mechanical.Span, after.Span)
	require.Equal(t, after.TextTokens(), got.SpanTokenCountOut)
	p := passesOf(t, w, id)[0]
	require.Equal(t, compaction.KindMechanical, p.Kind, "kind and outcome of the attempt stay")
	require.Equal(t, compaction.CandidateAccepted, p.Candidate.State)
	w.CheckBooks(id)
}

// Under swap free a pass that rewrites the view anyway lets the text in first.
func TestSwap_FreeWhenAPassRewritesTheView(t *testing.T) {
	w, id := readyText(t, `"swap":"free"`, sessiontest.Options{})
	for len(eventsOf(t, w, id, event.CompactionStarted)) < 2 {
		talk(t, w, id, 1, 900)
	}
	swapped := eventsOf(t, w, id, event.SummarySwapped)
	require.Len(t, swapped, 1)
	started := eventsOf(t, w, id, event.CompactionStarted)
	require.Less(t, swapped[0].ID, started[1].ID, "commit first, then the pass")
	require.Equal(t, compaction.KindSemantic, viewOf(t, w, id)[0].Kind)
	settled(t, w, id)
	w.CheckBooks(id)
}

func TestSwap_AtTheNextTurnWhateverItCosts(t *testing.T) {
	asked := assistantCalls()
	w, id := readyText(t, `"swap":"next_turn"`, sessiontest.Options{Faults: asked.hook(nil)})
	talk(t, w, id, 1, 10)
	require.Len(t, eventsOf(t, w, id, event.SummarySwapped), 1)
	view := viewOf(t, w, id)
	require.Contains(t, asked.last().Messages[0].PlainText(), view[0].Text, "the very next request has it")
	w.CheckBooks(id)
}

func TestSwap_NotStoredKeepsTheMechanicalText(t *testing.T) {
	w, id := readyText(t, `"swap":"next_turn"`, sessiontest.Options{
		Store: func(s session.Store) session.Store { return unswappable{s} },
	})
	before, version := viewOf(t, w, id), status(t, w, id).Record.Version
	talk(t, w, id, 2, 10)
	require.Equal(t, before, viewOf(t, w, id))
	require.Equal(t, version, status(t, w, id).Record.Version)
	require.Empty(t, eventsOf(t, w, id, event.SummarySwapped))
	w.CheckBooks(id)
}

// A text that was ready before a restart takes its place after it; the cache kept it.
func TestSwap_AfterARestart(t *testing.T) {
	dir := t.TempDir()
	w, id := readyText(t, `"swap":"next_turn"`, sessiontest.Options{Dir: dir})
	w.End()
	asked := assistantCalls()
	w = sessiontest.Open(t, sessiontest.Options{Dir: dir, Faults: asked.hook(nil)})
	talk(t, w, id, 1, 10)
	require.Len(t, eventsOf(t, w, id, event.SummarySwapped), 1)
	view := viewOf(t, w, id)
	require.Equal(t, compaction.KindSemantic, view[0].Kind)
	require.Contains(t, asked.last().Messages[0].PlainText(), view[0].Text)
	w.CheckBooks(id)
}

// Without the cache the text is gone: the mechanical one stays, and the record says so.
func TestSwap_AfterARestartWithoutTheCache(t *testing.T) {
	dir := t.TempDir()
	w, id := readyText(t, `"swap":"next_turn"`, sessiontest.Options{Dir: dir})
	w.End()
	files, err := filepath.Glob(filepath.Join(dir, "compaction-cache.sqlite*"))
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, os.Remove(f))
	}
	w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
	talk(t, w, id, 1, 10)
	require.Empty(t, eventsOf(t, w, id, event.SummarySwapped))
	require.Equal(t, compaction.KindMechanical, viewOf(t, w, id)[0].Kind)
	require.Equal(t, compaction.CandidateStale, passesOf(t, w, id)[0].Candidate.State)
	w.CheckBooks(id)
}

// An undo takes the pass back with whatever was made for it: nothing of it may come later.
func TestSwap_UndoneBeforeItCame(t *testing.T) {
	dir := t.TempDir()
	w, id := readyText(t, `"swap":"next_turn"`, sessiontest.Options{Dir: dir})
	_, err := w.Undo(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, compaction.CandidateStale, passesOf(t, w, id)[0].Candidate.State)
	w.End()
	w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
	talk(t, w, id, 1, 10)
	require.Empty(t, eventsOf(t, w, id, event.SummarySwapped))
	require.Zero(t, status(t, w, id).Posture.Watermark)
	w.CheckBooks(id)
}

// A text for an older summary does not outlive an undo of a newer pass either: the version has moved.
func TestSwap_AnUndoOfANewerPassMakesItStale(t *testing.T) {
	dir := t.TempDir()
	w, id := readyText(t, `"swap":"free"`, sessiontest.Options{Dir: dir})
	acc, err := w.Prompt(context.Background(), id, text(`read on [[tools look {} look {}]] [[steps 3]] [[fail hang step=4]]`))
	require.NoError(t, err)
	version := status(t, w, id).Record.Version
	eventually(t, w, id, "a pass inside the turn", func() bool { return status(t, w, id).Record.Version > version })
	require.NoError(t, w.Cancel(context.Background(), id))
	w.Wait(acc)
	_, err = w.Undo(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, compaction.CandidateStale, oldest(passesOf(t, w, id)).Candidate.State)
	w.End()
	w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
	talk(t, w, id, 1, 10)
	require.Empty(t, eventsOf(t, w, id, event.SummarySwapped))
	w.CheckBooks(id)
}

// A fold right after the pass leaves its summary as it was: the text that is being made for it still comes.
func TestSwap_SurvivesAFold(t *testing.T) {
	release := make(chan struct{})
	w := sessiontest.Open(t, sessiontest.Options{Registry: holdSummarizer(release)})
	id := w.NewSession(small("two_phase", lateKnobs+`"swap":"next_turn"}`, `"max_cost_per_session_usd":"5"`))
	folded := false
	for range 40 {
		talk(t, w, id, 1, 900)
		ps := passesOf(t, w, id)
		if n := len(ps); n > 1 && ps[n-1].Trigger == compaction.TriggerFold {
			folded = ps[n-2].Candidate != nil && ps[n-2].Candidate.State == compaction.CandidateRunning
			break
		}
	}
	require.True(t, folded, "no fold came right after a pass")
	close(release)
	settled(t, w, id)
	talk(t, w, id, 1, 10)
	require.NotEmpty(t, eventsOf(t, w, id, event.SummarySwapped))
	view := viewOf(t, w, id)
	require.Equal(t, compaction.KindSemantic, view[len(view)-1].Kind)
	w.CheckBooks(id)
}

// TestSwap_CrashBetweenAnyTwoWrites ends the process between every two writes from the pass to the swap: one valid summary
// stands, no candidate hangs, and the session goes on.
func TestSwap_CrashBetweenAnyTwoWrites(t *testing.T) {
	swapScript := func(w *sessiontest.World, id session.ID) {
		for i := range 9 {
			if i == 8 {
				w.Settle(id)
			}
			acc, err := w.Prompt(context.Background(), id, text("Go on. Never touch the port 8080. [[say 900]]"))
			if err != nil {
				return
			}
			if w.Wait(acc).Err != nil {
				return
			}
		}
	}
	knobs := func() session.NewSession { return small("two_phase", lateKnobs+`"swap":"next_turn"}`) }
	var left atomic.Int64
	left.Store(1 << 40)
	slow := func(s session.Store) session.Store { return crashing{s, &left} }
	w := sessiontest.Open(t, sessiontest.Options{Store: slow, Faults: late})
	id := w.NewSession(knobs())
	swapScript(w, id)
	settled(t, w, id)
	require.NotEmpty(t, eventsOf(t, w, id, event.SummarySwapped), "the script swaps")
	total := 1<<40 - left.Load()
	stride := int64(3)
	if proving() {
		stride = 1
	}
	for n := int64(1); n < total; n += stride {
		dir := t.TempDir()
		left.Store(1 << 40)
		w := sessiontest.Open(t, sessiontest.Options{Dir: dir, Store: slow, Faults: late})
		id := w.NewSession(knobs())
		left.Store(n)
		swapScript(w, id)
		w.End()
		w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
		require.Empty(t, compaction.LinkCheck(viewOf(t, w, id), status(t, w, id).Posture.Watermark), "crash before write %d", n)
		for _, p := range passesOf(t, w, id) {
			require.NotEqual(t, compaction.OutcomeOpen, p.Outcome)
			require.False(t, p.Candidate != nil && p.Candidate.State == compaction.CandidateRunning, "crash before write %d", n)
		}
		require.Nil(t, w.Say(id, "and now?").Err)
		settled(t, w, id)
		w.CheckBooks(id)
		w.End()
	}
}
