package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

func (f *fix) tryBegin(id session.ID, key, hash string) error {
	_, err := f.BeginTurn(f.Context(), session.BeginTurn{
		Turn:    session.Turn{ID: f.id("T"), SessionID: id, Key: key, BodyHash: hash},
		Message: message.NewUser(message.Text{Text: "x"}), Digest: digestAt(f.record(id).NextSeq),
	})
	return err
}

func TestBeginTurn_Admission(t *testing.T) {
	f := open(t)
	id := f.session()
	require.NoError(t, f.tryBegin(id, "k1", "h1"))
	require.Equal(t, session.StateRunning, f.record(id).State)
	require.ErrorIs(t, f.tryBegin(id, "", ""), session.ErrBusy)
	require.ErrorIs(t, f.tryBegin(id, "k2", "h2"), session.ErrBusy)
	require.ErrorIs(t, f.tryBegin(id, "k1", "h1"), session.ErrBusy, "attach instead")
	require.ErrorIs(t, f.tryBegin(id, "k1", "other"), session.ErrConflict)

	running, err := f.RunningTurn(t.Context(), id)
	require.NoError(t, err)
	f.finish(id, running.ID)
	require.Equal(t, session.StateIdle, f.record(id).State)
	require.ErrorIs(t, f.tryBegin(id, "k1", "other"), session.ErrConflict, "kept after the turn")
	require.NoError(t, f.tryBegin(f.session(), "k1", "h1"), "keys are per session")

	f.ok(f.CloseSession(t.Context(), id, session.Out{}))
	require.ErrorIs(t, f.tryBegin(id, "k3", "h"), session.ErrClosed)
	require.NoError(t, f.ReopenSession(t.Context(), id))
	require.NoError(t, f.ReopenSession(t.Context(), id))
	require.NoError(t, f.tryBegin(id, "k3", "h"))
	require.Equal(t, 2, f.record(id).Turns)
}

// A refused prompt claims nothing: its key is free for the next try.
func TestBeginTurn_RefusalFreesTheKey(t *testing.T) {
	f := open(t)
	id := f.session()
	turn := f.begin(id)
	require.ErrorIs(t, f.tryBegin(id, "k", "h"), session.ErrBusy)
	_, ok, err := f.TurnByKey(t.Context(), id, "k")
	require.NoError(t, err)
	require.False(t, ok)
	f.finish(id, turn)
	require.NoError(t, f.tryBegin(id, "k", "h"))
}

// A turn that has ended takes no more rows and does not end twice.
func TestTurn_EndsOnce(t *testing.T) {
	f := open(t)
	id := f.session()
	turn := f.turn(id, "0.01")
	before := f.record(id)
	m := message.NewAssistant(message.Text{Text: "late"})
	_, err := f.FinishStep(t.Context(), session.FinishStep{
		SessionID: id, TurnID: turn, Message: &m, Digest: digestAt(2), Ledger: f.call(session.PurposeTurn, "1"),
	})
	require.ErrorIs(t, err, session.ErrStale)
	_, err = f.AnswerTools(t.Context(), session.AnswerTools{SessionID: id, TurnID: turn, Message: m, Digest: digestAt(2)})
	require.ErrorIs(t, err, session.ErrStale)
	for _, state := range []session.TurnState{session.TurnFailed, session.TurnRunning, ""} {
		_, err = f.FinishTurn(t.Context(), session.FinishTurn{Turn: session.Turn{ID: turn, SessionID: id, State: state}})
		require.Error(t, err)
	}
	same(t, before, f.record(id))
}

// Close, then the running turn's end: the session stays closed.
func TestClose_WithARunningTurn(t *testing.T) {
	f := open(t)
	id := f.session()
	turn := f.begin(id)
	f.ok(f.CloseSession(t.Context(), id, told(f, id, turn, 1)))
	again := f.ok(f.CloseSession(t.Context(), id, told(f, id, turn, 1)))
	require.Empty(t, again.Events, "closing twice tells nothing")
	require.NoError(t, f.ReopenSession(t.Context(), id))
	require.Equal(t, session.StateRunning, f.record(id).State, "its turn still runs")
	f.ok(f.CloseSession(t.Context(), id, session.Out{}))
	f.finish(id, turn)
	require.Equal(t, session.StateClosed, f.record(id).State)
}

func TestConfigure_BetweenTurnsOnly(t *testing.T) {
	f := open(t)
	id := f.session()
	knobs := compaction.DefaultConfig()
	knobs.Mode = compaction.ModeMechanical
	f.ok(f.Configure(t.Context(), session.Configure{
		SessionID: id, Model: "sim:replay", Window: 2_000_000, Title: "t", Compaction: knobs,
		Posture: &compaction.Posture{State: compaction.StateDisabled, Reason: compaction.ReasonConfigDisabled},
	}))
	r := f.record(id)
	require.Equal(t, "sim:replay", r.Model)
	require.Equal(t, 2_000_000, r.WindowTokens)
	require.Equal(t, "t", r.Title)
	require.Equal(t, compaction.ModeMechanical, r.Compaction.Mode)
	require.Equal(t, compaction.StateDisabled, r.Posture.State)

	f.begin(id)
	f.ok(f.Configure(t.Context(), session.Configure{ // the same again, and another posture
		SessionID: id, Model: "sim:replay", Window: 2_000_000, Compaction: knobs, Posture: &compaction.IdlePosture,
	}))
	require.Equal(t, "t", f.record(id).Title, "empty fields leave what is there")
	require.Equal(t, compaction.IdlePosture, f.record(id).Posture)
	_, err := f.Configure(t.Context(), session.Configure{SessionID: id, Model: "sim:free"})
	require.ErrorIs(t, err, session.ErrBusy)
	_, err = f.Configure(t.Context(), session.Configure{SessionID: id, Compaction: compaction.DefaultConfig()})
	require.ErrorIs(t, err, session.ErrBusy)
	require.Equal(t, compaction.ModeMechanical, f.record(id).Compaction.Mode)
}

// A message keeps its own time and counts; what the caller goes on doing with its blocks touches nothing.
func TestCommit_IsACopy(t *testing.T) {
	f := open(t)
	id := f.session()
	m := message.NewUser(message.Text{Text: "x"}, message.Text{Text: "y"})
	done := f.ok(f.BeginTurn(t.Context(), session.BeginTurn{
		Turn: session.Turn{ID: "T", SessionID: id}, Message: m, Digest: digestAt(0), Title: "hello", Factor: 1.5,
	}))
	m.Blocks[0] = message.Text{Text: "changed"}
	require.Equal(t, message.Text{Text: "x"}, done.Messages[0].Blocks[0])
	require.Equal(t, f.now, done.Messages[0].CreatedAt)
	require.Equal(t, "T", done.Messages[0].TurnID)
	require.Equal(t, "hello", f.record(id).Title)
	require.InEpsilon(t, 1.5, f.record(id).Factor, 1e-12)
}

// What a commit returns are the bytes that a restart reads: the view that is sent to the model is the same before and
// after, and so is the provider's cache (case B100, spec 4.10).
func TestCaseB100_CommitHasTheStoredBytes(t *testing.T) {
	f := open(t)
	id := f.session()
	turn := f.begin(id)
	m := message.NewAssistant(message.ToolUse{ID: "c", Name: "write", Input: []byte(` { "b" : "<a> & \u2028",  "a":9007199254740993 } `)})
	done := f.ok(f.FinishStep(t.Context(), session.FinishStep{
		SessionID: id, TurnID: turn, Message: &m, Digest: digestAt(1), Ledger: f.call(session.PurposeTurn, "0"),
	}))
	require.JSONEq(t, string(m.ToolUses()[0].Input), string(done.Messages[0].ToolUses()[0].Input))
	f.restart()
	require.Equal(t, done.Messages[0], f.load(id).Rows[1])
	require.NotContains(t, scalar[string](t, rawDB(t, f.db.Path()), "SELECT blocks FROM messages WHERE seq = 1"), `\u003c`)
}
