package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
	"tidemark/internal/store"
)

func TestSmoke(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	db, err := store.Open(ctx, store.Config{Dir: dir})
	require.NoError(t, err)
	defer db.Close()
	s := db.Sessions()
	now := time.Now()
	c, err := s.CreateSession(ctx, session.Record{ID: "S1", Owner: "o", Model: "sim:assistant", Compaction: compaction.DefaultConfig(), Tools: []message.ToolSpec{{Name: "a"}}},
		session.Out{Events: []event.Event{event.New(event.SessionCreated, "S1", "o", now, event.SessionCreatedPayload{SessionID: "S1"})}})
	require.NoError(t, err)
	require.EqualValues(t, 1, c.Events[0].ID)
	m := message.NewUser(message.Text{Text: "hi"})
	c, err = s.BeginTurn(ctx, session.BeginTurn{Turn: session.Turn{ID: "T1", SessionID: "S1", Key: "k", BodyHash: "b"}, Message: m, Digest: compaction.ExtractRow(m, nil),
		Out: session.Out{Stream: []event.StreamRow{event.NewStreamRow("S1", "T1", event.StreamTurn, now, event.TurnMark{State: "started"}), event.NewStreamRow("S1", "T1", event.StreamTurn, now, nil)},
			Events: []event.Event{event.New(event.TurnStarted, "S1", "o", now, event.TurnStartedPayload{}), event.New(event.TurnStarted, "S1", "o", now, event.TurnStartedPayload{})}}})
	require.NoError(t, err)
	require.EqualValues(t, 2, c.Stream[1].Seq)
	require.EqualValues(t, 3, c.Events[1].ID)
	a := message.NewAssistant(message.Text{Text: "yo"})
	a.Seq = 1
	cost := pricing.Must("0.000001234567")
	_, err = s.FinishStep(ctx, session.FinishStep{SessionID: "S1", TurnID: "T1", Message: &a, Digest: compaction.ExtractRow(a, nil),
		Ledger: session.LedgerRow{ID: "L1", Purpose: session.PurposeTurn, CostUSD: &cost, Usage: message.Usage{Input: 5, Output: 3}, Outcome: "ok"}})
	require.NoError(t, err)
	_, err = s.BeginPass(ctx, compaction.Pass{ID: "P1", SessionID: "S1", SpanEnd: 1}, session.Out{})
	require.NoError(t, err)
	_, err = s.ApplyPass(ctx, session.ApplyPass{Pass: compaction.Pass{ID: "P1", SessionID: "S1", SpanEnd: 1, Outcome: compaction.OutcomeCompleted}, Watermark: 1,
		Summary: &compaction.Summary{ID: "P1", Span: message.Span{End: 1}, Text: "x"},
		Ledger:  []session.LedgerRow{{ID: "L2", Purpose: session.PurposeCompaction, CompactionID: "P1", CostUSD: &cost}}})
	require.NoError(t, err)
	_, err = s.FinishTurn(ctx, session.FinishTurn{Turn: session.Turn{ID: "T1", SessionID: "S1", State: session.TurnCompleted, Steps: 1}})
	require.NoError(t, err)
	snap, err := s.Load(ctx, "S1")
	require.NoError(t, err)
	require.Len(t, snap.Rows, 1)
	require.Len(t, snap.Summaries, 1)
	require.Equal(t, "0.000002469134", snap.Record.CostUSD.String())
	require.Equal(t, "0.000001234567", snap.Passes[0].CostUSD.String())
	p, ok, err := s.LastApplied(ctx, "S1")
	require.NoError(t, err)
	require.True(t, ok)
	_, err = s.UndoPass(ctx, session.UndoPass{Pass: p, Expect: 1})
	require.NoError(t, err)
	_, err = s.Overview(ctx, now.Add(-time.Hour), time.Now().Add(time.Hour))
	require.NoError(t, err)
	for _, f := range []func() (int64, error){
		func() (int64, error) { return db.SweepStream(ctx) }, func() (int64, error) { return db.SweepEvents(ctx, 30) },
		func() (int64, error) { return db.SweepIdempotency(ctx, 24) },
	} {
		_, err := f()
		require.NoError(t, err)
	}
	_, err = s.DeleteSession(ctx, "S1", session.Out{})
	require.NoError(t, err)
	_, err = s.Record(ctx, "S1")
	require.ErrorIs(t, err, session.ErrNotFound)
	l, err := s.Ledger(ctx, "S1", "", 1)
	require.NoError(t, err)
	require.Len(t, l.Items, 1)
	require.NotEmpty(t, l.Next)
}
