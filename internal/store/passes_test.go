package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// turns makes a session of n turns, two rows each.
func (f *fix) turns(n int) session.ID {
	f.Helper()
	id := f.session()
	for range n {
		f.turn(id, "0.01")
	}
	return id
}

func (f *fix) load(id session.ID) session.Snapshot {
	f.Helper()
	snap, err := f.Load(f.Context(), id)
	require.NoError(f, err)
	return snap
}

func summaryIDs(snap session.Snapshot) (out []string) {
	for _, s := range snap.Summaries {
		out = append(out, s.ID)
	}
	return out
}

func (f *fix) undo(p compaction.Pass, watermark message.Seq) {
	f.Helper()
	p.Outcome = compaction.OutcomeUndone
	f.ok(f.UndoPass(f.Context(), session.UndoPass{Pass: p, Expect: f.record(p.SessionID).Version, Watermark: watermark}))
}

// Passes, a fold, and undo of each, newest first: the view comes back as it was, step by step, and no record is lost
// (case B103).
func TestCaseB103_UndoWalksBack(t *testing.T) {
	f := open(t)
	id := f.turns(6)
	p1, p2 := f.pass(id, 4), f.pass(id, 8)
	before := f.load(id)
	fold := f.pass(id, 8, func(a *session.ApplyPass) {
		a.Pass.Trigger, a.Pass.SpanStart, a.Replaces = compaction.TriggerFold, 0, []string{p1.ID, p2.ID}
		a.Summary.Span = a.Pass.Span()
	})
	folded := f.load(id)
	require.Equal(t, []string{fold.ID}, summaryIDs(folded))
	require.EqualValues(t, 3, folded.Record.Version)
	parent, err := f.PassRecord(t.Context(), id, p1.ID)
	require.NoError(t, err)
	require.Equal(t, fold.ID, parent.FoldedInto)
	_, err = f.Summary(t.Context(), id, p1.ID)
	require.NoError(t, err, "parents stay stored")

	newest, ok, err := f.LastApplied(t.Context(), id)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, fold.ID, newest.ID)
	f.undo(fold, 8)
	after := f.load(id)
	same(t, before.Summaries, after.Summaries)
	same(t, before.Rows, after.Rows)
	parent, err = f.PassRecord(t.Context(), id, p1.ID)
	require.NoError(t, err)
	require.Empty(t, parent.FoldedInto)

	f.undo(p2, 4)
	require.Equal(t, []string{p1.ID}, summaryIDs(f.load(id)))
	f.undo(p1, 0)
	last := f.load(id)
	require.Empty(t, last.Summaries)
	require.Len(t, last.Rows, 12)
	require.Zero(t, last.Record.Passes)
	require.EqualValues(t, 6, last.Record.Version, "the version counts undos too")
	_, err = f.UndoPass(t.Context(), session.UndoPass{Pass: p1, Expect: 6})
	require.ErrorIs(t, err, session.ErrNothingToUndo)
	list, err := f.Passes(t.Context(), id, "", 0)
	require.NoError(t, err)
	require.Len(t, list.Items, 3)
}

// The version is compared and set; a loser changes nothing.
func TestPass_CompareAndSet(t *testing.T) {
	f := open(t)
	id := f.turns(4)
	p1 := f.pass(id, 2)
	before := dump(t, rawDB(t, f.db.Path()))
	late := session.ApplyPass{
		Pass:   compaction.Pass{ID: "late", SessionID: id, SpanStart: 2, SpanEnd: 4, Outcome: compaction.OutcomeCompleted},
		Expect: 0, Watermark: 4, Begin: true, Summary: &compaction.Summary{ID: "late"},
		Ledger: []session.LedgerRow{f.call(session.PurposeCompaction, "0.1")},
	}
	_, err := f.ApplyPass(t.Context(), late)
	require.ErrorIs(t, err, session.ErrStale)
	_, err = f.UndoPass(t.Context(), session.UndoPass{Pass: p1, Expect: 0})
	require.ErrorIs(t, err, session.ErrStale)
	_, err = f.Swap(t.Context(), session.Swap{Pass: p1, Summary: compaction.Summary{ID: p1.ID, Span: p1.Span()}, Expect: 0})
	require.ErrorIs(t, err, session.ErrStale)

	late.Expect = 1
	for name, spoil := range map[string]func(*session.ApplyPass){
		"watermark goes back":       func(a *session.ApplyPass) { a.Watermark = 1 },
		"watermark beyond the rows": func(a *session.ApplyPass) { a.Watermark = 9 },
		"version stands still":      func(a *session.ApplyPass) { a.Pass.Version = 1 },
		"no change at all":          func(a *session.ApplyPass) { a.Summary = nil },
		"two changes":               func(a *session.ApplyPass) { a.Pass.ElidedSeqs = []message.Seq{3} },
		"summary of another pass":   func(a *session.ApplyPass) { a.Summary = &compaction.Summary{ID: p1.ID} },
		"no outcome":                func(a *session.ApplyPass) { a.Pass.Outcome = compaction.OutcomeOpen },
		"not begun":                 func(a *session.ApplyPass) { a.Begin = false },
		"staged call is not there":  func(a *session.ApplyPass) { a.TakesOver = []string{"L999"} },
	} {
		a := late
		spoil(&a)
		_, err := f.ApplyPass(t.Context(), a)
		require.Error(t, err, name)
	}
	require.Equal(t, before, dump(t, rawDB(t, f.db.Path())))
	f.ok(f.ApplyPass(t.Context(), late))
}

func TestUndo_NotWhileATurnRuns(t *testing.T) {
	f := open(t)
	id := f.turns(2)
	p := f.pass(id, 2)
	turn := f.begin(id)
	_, err := f.UndoPass(t.Context(), session.UndoPass{Pass: p, Expect: 1})
	require.ErrorIs(t, err, session.ErrBusy)
	f.finish(id, turn)
	f.undo(p, 0)
}

// A repair stands for a summary that broke; undoing the pass takes both out of the view, and undo never stops at the
// repair itself.
func TestUndo_TakesTheRepairAlong(t *testing.T) {
	f := open(t)
	id := f.turns(4)
	p1, p2 := f.pass(id, 2), f.pass(id, 4)
	_, err := rawDB(t, f.db.Path()).Exec("DELETE FROM summaries WHERE id = ?", p2.ID)
	require.NoError(t, err)
	repair := f.pass(id, 4, func(a *session.ApplyPass) {
		a.Pass.Trigger, a.Pass.SpanStart, a.Replaces = compaction.TriggerRepair, 2, []string{p2.ID}
		a.Summary.Span = a.Pass.Span()
	})
	require.Equal(t, []string{p1.ID, repair.ID}, summaryIDs(f.load(id)))
	newest, _, err := f.LastApplied(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, p2.ID, newest.ID)
	f.undo(newest, 2)
	require.Equal(t, []string{p1.ID}, summaryIDs(f.load(id)))
}

// Rows that are kept are never written again, whatever stands in front of them (cases B90, B91).
func TestCaseB91_KeptRowsAreNeverRewritten(t *testing.T) {
	f := open(t)
	id := f.turns(6)
	raw := rawDB(t, f.db.Path())
	before := dump(t, raw)["messages"]
	p1, p2 := f.pass(id, 4), f.pass(id, 8)
	fold := f.pass(id, 8, func(a *session.ApplyPass) {
		a.Pass.Trigger, a.Pass.SpanStart, a.Replaces = compaction.TriggerFold, 0, []string{p1.ID, p2.ID}
	})
	f.undo(fold, 8)
	f.ok(f.CloseSession(t.Context(), id, session.Out{}))
	f.restart()
	f.load(id)
	require.Equal(t, before, dump(t, raw)["messages"])
}
