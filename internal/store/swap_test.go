package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// Elided rows are those of applied elisions that still stand in the view.
func TestLoad_Elided(t *testing.T) {
	f := open(t)
	id := f.turns(4)
	elide := func(seqs ...message.Seq) compaction.Pass {
		return f.pass(id, f.record(id).Watermark, func(a *session.ApplyPass) {
			a.Pass.Kind, a.Pass.ElidedSeqs, a.Summary = compaction.KindElision, seqs, nil
			a.Pass.SpanStart, a.Pass.SpanEnd = seqs[0], seqs[len(seqs)-1]+1
		})
	}
	elide(1, 5)
	second := elide(3, 5)
	require.Equal(t, []message.Seq{1, 3, 5}, f.load(id).Elided)
	f.undo(second, 0)
	require.Equal(t, []message.Seq{1, 5}, f.load(id).Elided)
	covering := f.pass(id, 4)
	require.Equal(t, []message.Seq{5}, f.load(id).Elided)
	f.undo(covering, 0)
	require.Equal(t, []message.Seq{1, 5}, f.load(id).Elided, "the exact earlier view")
}

// A late candidate: kept with the pass, found at load, swapped in by compare-and-set; its cost goes on the record.
func TestSwap_LateCandidate(t *testing.T) {
	f := open(t)
	id := f.turns(4)
	p := f.pass(id, 4, func(a *session.ApplyPass) {
		a.Pass.Candidate = &compaction.Candidate{State: compaction.CandidateRunning}
	})
	require.Len(t, f.load(id).Running, 1)
	call := f.call(session.PurposeCompaction, "0.003")
	call.CompactionID = p.ID
	p.Candidate = &compaction.Candidate{State: compaction.CandidateReady}
	f.ok(f.SaveCandidate(t.Context(), session.SaveCandidate{Pass: p, Ledger: []session.LedgerRow{call}}))
	f.restart()
	snap := f.load(id)
	require.Empty(t, snap.Running)
	require.Equal(t, "0.003", snap.Ready.CostUSD.String())
	require.EqualValues(t, 1, snap.Ready.Version)

	better := snap.Summaries[0]
	better.Text, better.Hash, better.Kind, better.Model = "better", "h", compaction.KindSemantic, "sim:summarizer"
	p = *snap.Ready
	p.Candidate = &compaction.Candidate{State: compaction.CandidateAccepted}
	f.ok(f.Swap(t.Context(), session.Swap{Pass: p, Summary: better, Expect: 1}))
	snap = f.load(id)
	same(t, []compaction.Summary{better}, snap.Summaries)
	require.Nil(t, snap.Ready)
	require.EqualValues(t, 2, snap.Record.Version)
	require.EqualValues(t, 1, snap.Passes[0].Version, "a swap does not make the pass a newer one")
	require.Equal(t, 1, snap.Record.Passes)

	_, err := rawDB(t, f.db.Path()).Exec("DELETE FROM summaries")
	require.NoError(t, err)
	_, err = f.Swap(t.Context(), session.Swap{Pass: p, Summary: better, Expect: 2})
	require.ErrorIs(t, err, session.ErrStale)
}

// Staged work is paid before the pass that uses it exists; the pass takes its row over (spec 6.5).
func TestApply_TakesStagedCallsOver(t *testing.T) {
	f := open(t)
	id := f.turns(2)
	staged := f.call(session.PurposeCompaction, "0.004")
	staged.SessionID = id
	f.ok(f.RecordCall(t.Context(), staged, session.Out{}))
	p := f.pass(id, 2, func(a *session.ApplyPass) { a.TakesOver = []string{staged.ID} })
	require.Equal(t, "0.004", p.CostUSD.String())
	require.Equal(t, staged.Usage, p.Usage)
	require.Equal(t, "0.004", f.record(id).CompactionCostUSD.String())
}
