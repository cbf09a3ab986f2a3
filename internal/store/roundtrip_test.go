package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/auth"
	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
	"tidemark/internal/store"
)

// Each record comes back from a file database as the type and value that went in.
func TestCaseB106_Record(t *testing.T) {
	f := open(t)
	want := fill[session.Record](t)
	f.ok(f.CreateSession(t.Context(), want, session.Out{}))
	f.restart()

	// A new session starts from its beginning, whatever the record said.
	want.State, want.Epoch = session.StateIdle, f.db.Epoch()
	want.StreamHead, want.NextSeq, want.Watermark, want.Version = 0, 0, 0, 0
	want.Turns, want.Calls, want.UnpricedCalls, want.Passes, want.SummaryCacheHits = 0, 0, 0, 0, 0
	want.Usage, want.CostUSD, want.CompactionCostUSD = message.Usage{}, pricing.USD{}, pricing.USD{}
	want.ContextTokens, want.LastCallAt, want.UpdatedAt = 0, time.Time{}, f.now
	same(t, want, f.record(want.ID))

	list, err := f.List(t.Context(), session.ListFilter{})
	require.NoError(t, err)
	want.System, want.Tools = "", nil // lists leave the large parts out
	same(t, []session.Record{want}, list.Items)
}

func TestCaseB106_TurnMessageDigest(t *testing.T) {
	f := open(t)
	id := f.session()
	turn := fill[session.Turn](t)
	turn.SessionID, turn.OpenSeq = id, 0
	m := message.NewUser(everyBlock()...)
	m.CreatedAt, m.Synthetic = f.now.Add(time.Nanosecond), true
	digest := fill[compaction.Digest](t)
	digest.Version, digest.First, digest.Last = compaction.ExtractorVersion, 0, 0
	done := f.ok(f.BeginTurn(t.Context(), session.BeginTurn{Turn: turn, Message: m, Digest: digest}))
	turn.State = session.TurnFailed
	f.ok(f.FinishTurn(t.Context(), session.FinishTurn{Turn: turn}))
	f.restart()

	snap, err := f.Load(t.Context(), id)
	require.NoError(t, err)
	m.TurnID = turn.ID
	same(t, []message.Message{m}, snap.Rows)
	same(t, done.Messages, snap.Rows)
	same(t, []compaction.Digest{digest}, snap.Digests)
	// Totals are those of the ledger, which has no row yet.
	turn.Usage, turn.Unpriced, turn.CompactionCostUSD = message.Usage{}, false, pricing.USD{}
	turn.CostUSD = &pricing.USD{}
	same(t, &turn, snap.LastTurn)
	byKey, ok, err := f.TurnByKey(t.Context(), id, turn.Key)
	require.NoError(t, err)
	require.True(t, ok)
	same(t, turn, byKey)
}

func TestCaseB106_LedgerRow(t *testing.T) {
	f := open(t)
	id := f.session()
	want := fill[session.LedgerRow](t)
	want.SessionID, want.Owner, want.TurnID = id, "ann", f.begin(id)
	f.ok(f.RecordCall(t.Context(), want, session.Out{}))
	unpriced := f.call(session.PurposeEval, "")
	unpriced.SessionID, unpriced.PricingMode = id, ""
	f.ok(f.RecordCall(t.Context(), unpriced, session.Out{}))
	f.restart()

	rows, err := f.Ledger(t.Context(), id, "", 0)
	require.NoError(t, err)
	require.Len(t, rows.Items, 2)
	same(t, want, rows.Items[0])
	require.Nil(t, rows.Items[1].CostUSD, "unpriced is neither free nor zero")
	require.Equal(t, "sync", rows.Items[1].PricingMode)
	require.Equal(t, want.TurnID, rows.Items[1].TurnID, "a call outside turns belongs to the one that started last")
}

func TestCaseB106_PassAndSummary(t *testing.T) {
	f := open(t)
	id := f.session()
	f.turn(id, "0.01")
	p := fill[compaction.Pass](t)
	p.SessionID, p.SpanStart, p.SpanEnd, p.WatermarkBefore, p.WatermarkAfter = id, 0, 2, 0, 2
	p.Outcome, p.Version, p.FoldedInto, p.ElidedSeqs = compaction.OutcomeCompleted, 7, "", nil
	p.Usage.Estimated = false // not part of the record
	sum := fill[compaction.Summary](t)
	sum.ID, sum.Span = p.ID, p.Span()
	memory, posture := fill[compaction.Memory](t), fill[compaction.Posture](t)
	f.ok(f.ApplyPass(t.Context(), session.ApplyPass{
		Pass: p, Watermark: 2, Summary: &sum, Begin: true, Memory: &memory, Posture: &posture,
	}))
	f.restart()

	snap, err := f.Load(t.Context(), id)
	require.NoError(t, err)
	same(t, []compaction.Pass{p}, snap.Passes)
	same(t, []compaction.Summary{sum}, snap.Summaries)
	same(t, memory, snap.Record.Memory)
	same(t, posture, snap.Record.Posture)
	require.EqualValues(t, 7, snap.Record.Version)
	one, err := f.Summary(t.Context(), id, p.ID)
	require.NoError(t, err)
	same(t, sum, one)
}

func TestCaseB106_StreamAndEvent(t *testing.T) {
	f := open(t)
	id := f.session()
	row := fill[event.StreamRow](t)
	row.SessionID = id
	e := fill[event.Event](t)
	loose := event.StreamRow{Kind: event.StreamCommands} // no time, no payload
	done := f.ok(f.AppendStream(t.Context(), id, session.Out{Stream: []event.StreamRow{row, loose}, Events: []event.Event{e}}))
	f.restart()

	rows, err := f.Stream(t.Context(), id, 0, 0)
	require.NoError(t, err)
	same(t, done.Stream, rows)
	row.Seq, row.Epoch = 1, f.db.Epoch()
	same(t, row, rows[0])
	live, err := json.Marshal(done.Stream)
	require.NoError(t, err)
	resumed, err := json.Marshal(rows)
	require.NoError(t, err)
	require.Equal(t, string(live), string(resumed), "a resumed client sees the same bytes")

	events, err := f.Events(t.Context(), session.EventFilter{})
	require.NoError(t, err)
	same(t, done.Events, events)
	e.ID, e.Epoch = 1, f.db.Epoch()
	same(t, e, events[0])
}

func TestCaseB106_KeyAndLogin(t *testing.T) {
	f := open(t)
	key, login := fill[auth.Key](t), fill[auth.Login](t)
	require.NoError(t, f.db.Keys().CreateKey(t.Context(), key))
	require.NoError(t, f.db.Keys().CreateLogin(t.Context(), login))
	entry := fill[store.AuditEntry](t)
	require.NoError(t, f.db.Audit(t.Context(), entry))
	f.restart()

	got, err := f.db.Keys().KeyByHash(t.Context(), key.Hash)
	require.NoError(t, err)
	same(t, key, got)
	gotLogin, err := f.db.Keys().LoginByHash(t.Context(), login.Hash)
	require.NoError(t, err)
	same(t, login, gotLogin)
	log, next, err := f.db.AuditLog(t.Context(), "", 10)
	require.NoError(t, err)
	require.Empty(t, next)
	entry.N = 1
	same(t, []store.AuditEntry{entry}, log)
}
