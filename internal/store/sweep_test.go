package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/event"
	"tidemark/internal/session"
	"tidemark/internal/store"
)

func (f *fix) sweepStream() int64 {
	f.Helper()
	n, err := f.db.SweepStream(f.Context())
	require.NoError(f, err)
	return n
}

func (f *fix) streamState(id session.ID) (head, oldest event.StreamSeq) {
	f.Helper()
	s, err := f.StreamState(f.Context(), id)
	require.NoError(f, err)
	return s.Head, s.Oldest
}

// Rows go ten minutes after their turn ended, however long it ran; numbers go on from the head.
func TestSweepStream_AfterTheTurn(t *testing.T) {
	f := open(t)
	id := f.session()
	turn := f.begin(id, func(b *session.BeginTurn) { b.Out = told(f, id, b.Turn.ID, 3) })
	f.now = f.now.Add(time.Hour)
	require.Zero(t, f.sweepStream(), "never rows of a running turn")
	f.finish(id, turn)
	f.now = f.now.Add(store.StreamKept)
	require.Zero(t, f.sweepStream())
	f.now = f.now.Add(1)
	require.EqualValues(t, 3, f.sweepStream())
	head, oldest := f.streamState(id)
	require.EqualValues(t, 3, head)
	require.EqualValues(t, 4, oldest)
	done := f.ok(f.AppendStream(t.Context(), id, told(f, id, "", 1)))
	require.EqualValues(t, 4, done.Stream[0].Seq)
}

// Rows outside turns go ten minutes after they were written, but never so that a hole is left behind a row that stays.
func TestSweepStream_LeavesNoHole(t *testing.T) {
	f := open(t)
	id := f.session()
	f.ok(f.AppendStream(t.Context(), id, told(f, id, "", 2)))
	f.now = f.now.Add(time.Minute)
	turn := f.begin(id, func(b *session.BeginTurn) { b.Out = told(f, id, b.Turn.ID, 2) })
	f.ok(f.AppendStream(t.Context(), id, told(f, id, "", 2)))
	f.now = f.now.Add(time.Hour)
	require.EqualValues(t, 2, f.sweepStream(), "those in front of the running turn")
	_, oldest := f.streamState(id)
	require.EqualValues(t, 3, oldest)
	f.finish(id, turn)
	f.now = f.now.Add(store.StreamKept + 1)
	require.EqualValues(t, 4, f.sweepStream())

	f.ok(f.AppendStream(t.Context(), id, told(f, id, turn, 1)))
	require.Zero(t, f.sweepStream(), "a late row of an old turn gets its ten minutes too")
}

// Each call is bounded, and goes on where the last one stopped.
func TestSweepStream_IsBounded(t *testing.T) {
	f := open(t)
	id, other := f.session(), f.session()
	f.ok(f.AppendStream(t.Context(), id, told(f, id, "", store.SweepBatch)))
	f.ok(f.AppendStream(t.Context(), other, told(f, other, "", 10)))
	f.now = f.now.Add(time.Hour)
	require.EqualValues(t, store.SweepBatch, f.sweepStream())
	require.EqualValues(t, 10, f.sweepStream())
	require.Zero(t, f.sweepStream())
}

// Metadata goes after the days it is kept; audit events stay, and a reader from before is told of the gap.
func TestSweepEvents(t *testing.T) {
	f := open(t)
	id := f.session()
	audit := event.New(event.SessionCreated, id, "ann", f.now, event.SessionCreatedPayload{SessionID: id})
	f.ok(f.AppendStream(t.Context(), id, session.Out{Events: []event.Event{audit}}))
	f.ok(f.AppendStream(t.Context(), id, told(f, id, "", 3)))
	f.now = f.now.AddDate(0, 0, 30)
	sweep := func() int64 {
		n, err := f.db.SweepEvents(t.Context(), 30)
		require.NoError(t, err)
		return n
	}
	head := func() []event.ID {
		epoch, oldest, newest, err := f.EventHead(t.Context())
		require.NoError(t, err)
		require.Equal(t, f.db.Epoch(), epoch)
		return []event.ID{oldest, newest}
	}
	require.Zero(t, sweep())
	require.Equal(t, []event.ID{1, 4}, head())
	f.now = f.now.Add(1)
	f.ok(f.AppendStream(t.Context(), id, told(f, id, "", 1)))
	require.EqualValues(t, 3, sweep())
	require.Zero(t, sweep())
	require.Equal(t, []event.ID{5, 5}, head())
	f.restart()
	require.Equal(t, []event.ID{5, 5}, head())
	left, err := f.Events(t.Context(), session.EventFilter{})
	require.NoError(t, err)
	require.Len(t, left, 2)
	require.Equal(t, event.SessionCreated, left[0].Type)

	f.ok(f.DeleteSession(t.Context(), id, session.Out{}))
	require.Equal(t, []event.ID{5, 5}, head(), "the head never goes back, or an id would be given twice")
}

// Keys are kept for their hours, and as long as their turn runs.
func TestSweepIdempotency(t *testing.T) {
	f := open(t)
	id := f.session()
	require.NoError(t, f.tryBegin(id, "k", "h"))
	sweep := func() int64 {
		n, err := f.db.SweepIdempotency(t.Context(), 24)
		require.NoError(t, err)
		return n
	}
	f.now = f.now.Add(25 * time.Hour)
	require.Zero(t, sweep())
	turn, ok, err := f.TurnByKey(t.Context(), id, "k")
	require.NoError(t, err)
	require.True(t, ok)
	f.finish(id, turn.ID)
	require.EqualValues(t, 1, sweep())
	_, ok, err = f.TurnByKey(t.Context(), id, "k")
	require.NoError(t, err)
	require.False(t, ok)
	list, err := f.Turns(t.Context(), id, "", 0)
	require.NoError(t, err)
	require.Len(t, list.Items, 1, "the turn stays")
}

func TestSweep_CancelledContext(t *testing.T) {
	f := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.db.SweepStream(ctx)
	require.ErrorIs(t, err, context.Canceled)
}
