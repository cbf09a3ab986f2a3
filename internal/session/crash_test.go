package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
	"tidemark/internal/tool"
)

var errCrash = errors.New("the process is gone")

// crashing is a store whose process dies before its n-th write: that write and all later ones never happen.
type crashing struct {
	session.Store
	left *atomic.Int64
}

func (c crashing) write(f func() (session.Commit, error)) (session.Commit, error) {
	if c.left.Add(-1) < 0 {
		return session.Commit{}, errCrash
	}
	return f()
}

func (c crashing) BeginTurn(ctx context.Context, b session.BeginTurn) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.BeginTurn(ctx, b) })
}

func (c crashing) FinishStep(ctx context.Context, f session.FinishStep) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.FinishStep(ctx, f) })
}

func (c crashing) AnswerTools(ctx context.Context, a session.AnswerTools) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.AnswerTools(ctx, a) })
}

func (c crashing) FinishTurn(ctx context.Context, f session.FinishTurn) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.FinishTurn(ctx, f) })
}

func (c crashing) AppendStream(ctx context.Context, id session.ID, o session.Out) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.AppendStream(ctx, id, o) })
}

func (c crashing) RecordCall(ctx context.Context, r session.LedgerRow, o session.Out) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.RecordCall(ctx, r, o) })
}

func (c crashing) BeginPass(ctx context.Context, p compaction.Pass, o session.Out) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.BeginPass(ctx, p, o) })
}

func (c crashing) ApplyPass(ctx context.Context, a session.ApplyPass) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.ApplyPass(ctx, a) })
}

func (c crashing) FailPass(ctx context.Context, f session.FailPass) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.FailPass(ctx, f) })
}

func (c crashing) SaveCandidate(ctx context.Context, s session.SaveCandidate) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.SaveCandidate(ctx, s) })
}

func (c crashing) Swap(ctx context.Context, s session.Swap) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.Swap(ctx, s) })
}

func (c crashing) UndoPass(ctx context.Context, u session.UndoPass) (session.Commit, error) {
	return c.write(func() (session.Commit, error) { return c.Store.UndoPass(ctx, u) })
}

// crashScript is a session with everything in it: tools, passes at turn start and inside a turn, a fold, an undo.
func crashScript(w *sessiontest.World, id session.ID) error {
	detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(context.Context, tool.Request) (tool.Answer, error) {
		return tool.Answer{Content: message.Blocks{message.Text{Text: longText}}}, nil
	}})
	if err != nil {
		return err
	}
	defer detach()
	for i := range 6 {
		acc, err := w.Prompt(context.Background(), id, text(fmt.Sprintf("part %d [[tools look {} look {}]] [[steps 2]] [[say 400]]", i)))
		if err != nil {
			return err
		}
		if res := w.Wait(acc); res.Err != nil {
			return res.Err
		}
	}
	if _, err := w.Undo(context.Background(), id); err != nil && !errors.Is(err, session.ErrNothingToUndo) {
		return err
	}
	return nil
}

var longText = func() string {
	s := ""
	for i := range 120 {
		s += fmt.Sprintf("line %d of internal/queue/retry.go: attempt %d failed with code %d\n", i, i*3, 1000+i)
	}
	return s
}()

// TestCrashBetweenAnyTwoWrites ends the process between every two writes and checks what the restart finds (spec section
// 9, invariants 5, 8, 9): exact books, nothing open, the session usable.
func TestCrashBetweenAnyTwoWrites(t *testing.T) {
	total := countWrites(t)
	stride := 7
	if proving() {
		stride = 1
	}
	t.Logf("%d writes", total)
	for _, mode := range []string{"two_phase", "semantic"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			for n := int64(1); n < total; n += int64(stride) {
				crashAt(t, mode, n)
			}
		})
	}
}

func countWrites(t *testing.T) int64 {
	t.Helper()
	var left atomic.Int64
	left.Store(1 << 40)
	w := sessiontest.Open(t, sessiontest.Options{Store: func(s session.Store) session.Store { return crashing{s, &left} }})
	id := w.NewSession(crashKnobs("two_phase"))
	require.NoError(t, crashScript(w, id))
	require.NotZero(t, len(passesOf(t, w, id)))
	w.CheckBooks(id)
	return 1<<40 - left.Load()
}

func crashKnobs(mode string) session.NewSession {
	n := small(mode)
	n.Tools = []message.ToolSpec{{Name: "look"}}
	return n
}

func crashAt(t *testing.T, mode string, n int64) {
	t.Helper()
	dir := t.TempDir()
	var left atomic.Int64
	left.Store(1 << 40)
	w := sessiontest.Open(t, sessiontest.Options{Dir: dir, Store: func(s session.Store) session.Store { return crashing{s, &left} }})
	id := w.NewSession(crashKnobs(mode))
	left.Store(n)
	_ = crashScript(w, id) // breaks off somewhere
	w.End()

	w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
	rec, err := w.Store.Record(context.Background(), id)
	require.NoError(t, err)
	w.CheckBooks(id)
	for _, p := range passesOf(t, w, id) {
		require.NotEqual(t, compaction.OutcomeOpen, p.Outcome, "crash before write %d left pass %s open", n, p.ID)
		if p.Candidate != nil {
			require.NotEqual(t, compaction.CandidateRunning, p.Candidate.State)
		}
	}
	turns, err := w.Store.Turns(context.Background(), id, "", 100)
	require.NoError(t, err)
	started := len(eventsOf(t, w, id, event.TurnStarted))
	require.Len(t, turns.Items, started)
	require.Equal(t, rec.Turns, started)
	for _, turn := range turns.Items {
		require.NotEqual(t, session.TurnRunning, turn.State, "crash before write %d", n)
	}
	require.Nil(t, w.Say(id, "are you still there?").Err, "crash before write %d", n)
	w.CheckBooks(id)
	w.End()
}
