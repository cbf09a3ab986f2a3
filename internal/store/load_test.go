package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// What a restart loads is what the live session had (case B100): rows from the watermark on, summaries in the view.
func TestCaseB100_LoadAfterRestart(t *testing.T) {
	f := open(t)
	id := f.session()
	for range 4 {
		f.turn(id, "0.01")
	}
	f.pass(id, 4)
	before, err := f.Load(t.Context(), id)
	require.NoError(t, err)
	f.restart()
	after, err := f.Load(t.Context(), id)
	require.NoError(t, err)
	same(t, before, after)
	require.Equal(t, []message.Seq{4, 5, 6, 7}, seqs(after.Rows))
	require.Len(t, after.Digests, 4)
	require.Len(t, after.Summaries, 1)
	require.Nil(t, after.OpenTurn)
	require.Equal(t, message.Seq(6), after.LastTurn.OpenSeq)

	covered, err := f.Rows(t.Context(), id, message.Span{Start: 0, End: 4})
	require.NoError(t, err)
	require.Equal(t, []message.Seq{0, 1, 2, 3}, seqs(covered), "what a summary covers stays stored")
}

func seqs(rows []message.Message) (out []message.Seq) {
	for _, m := range rows {
		out = append(out, m.Seq)
	}
	return out
}

// Order is by number: a clock that stands still or goes back changes nothing.
func TestCaseB105_OrderBySeqNotTime(t *testing.T) {
	f := open(t)
	id := f.session()
	var turns []session.TurnID
	for i := range 5 {
		if i%2 == 0 {
			f.now = f.now.Add(-1e9 * 3600)
		}
		turns = append(turns, f.turn(id, "0.01"))
	}
	snap, err := f.Load(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, []message.Seq{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, seqs(snap.Rows))
	require.Equal(t, turns[4], snap.LastTurn.ID)
	list, err := f.Turns(t.Context(), id, "", 0)
	require.NoError(t, err)
	var got []session.TurnID
	for _, turn := range list.Items {
		got = append(got, turn.ID)
	}
	require.Equal(t, turns, got)
}

// The facts column is a cache: one that is old or broken is made again from the row.
func TestLoad_DigestsAreMadeAgain(t *testing.T) {
	f := open(t)
	id := f.session()
	use := message.ToolUse{ID: "c1", Name: "bash", Input: []byte(`{"command":"go test ./..."}`)}
	turn := f.begin(id)
	call := message.NewAssistant(use)
	f.ok(f.FinishStep(t.Context(), session.FinishStep{
		SessionID: id, TurnID: turn, Message: &call, Digest: digestAt(1), Ledger: f.call(session.PurposeTurn, "0"),
	}))
	result := message.NewUser(message.TextResult("c1", "ok  \ttidemark\t0.1s", false))
	result.Seq = 2
	want := compaction.ExtractRow(result, []message.ToolUse{use})
	f.ok(f.AnswerTools(t.Context(), session.AnswerTools{SessionID: id, TurnID: turn, Message: result, Digest: want}))

	for _, facts := range []string{`{"v":0}`, `not JSON`, ``} {
		_, err := rawDB(t, f.db.Path()).Exec("UPDATE messages SET facts = ?", facts)
		require.NoError(t, err)
		snap, err := f.Load(t.Context(), id)
		require.NoError(t, err)
		same(t, want, snap.Digests[2])
		later, err := f.Digests(t.Context(), id, message.Span{Start: 2, End: 3})
		require.NoError(t, err)
		same(t, []compaction.Digest{want}, later)
	}
}

// A digest speaks of seqs all through: one made for another row is refused with the row.
func TestAppend_RefusesADigestOfAnotherRow(t *testing.T) {
	f := open(t)
	id := f.session()
	_, err := f.BeginTurn(t.Context(), session.BeginTurn{
		Turn: session.Turn{ID: "T", SessionID: id}, Message: message.NewUser(message.Text{Text: "x"}), Digest: digestAt(3),
	})
	require.ErrorIs(t, err, session.ErrStale)
	require.Zero(t, f.record(id).NextSeq)
}

func TestUnfinished_ListsOpenTurnsPassesAndCandidates(t *testing.T) {
	f := open(t)
	open, begun, candidate, atRest := f.session(), f.session(), f.session(), f.session()
	turn := f.begin(open)
	f.turn(begun, "0.01")
	f.turn(atRest, "0.01")
	f.turn(candidate, "0.01")
	f.ok(f.BeginPass(t.Context(), compaction.Pass{ID: "P", SessionID: begun, SpanEnd: 1}, session.Out{}))
	f.pass(candidate, 2, func(a *session.ApplyPass) {
		a.Pass.Candidate = &compaction.Candidate{State: compaction.CandidateRunning}
	})
	f.restart()

	ids, err := f.Unfinished(t.Context())
	require.NoError(t, err)
	require.Equal(t, []session.ID{open, begun, candidate}, ids)
	snap, err := f.Load(t.Context(), open)
	require.NoError(t, err)
	require.Equal(t, turn, snap.OpenTurn.ID)
	snap, err = f.Load(t.Context(), begun)
	require.NoError(t, err)
	require.Len(t, snap.OpenPass, 1)
	snap, err = f.Load(t.Context(), candidate)
	require.NoError(t, err)
	require.Empty(t, snap.OpenPass)
}
