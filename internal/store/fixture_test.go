package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
	"tidemark/internal/store"
)

// start is when the clock of each test begins: with nanoseconds, which must survive.
var start = time.Date(2026, 3, 29, 1, 59, 59, 987_654_321, time.UTC)

// tb is what a test, a benchmark and a property check have in common.
type tb interface {
	rapid.TB
	Context() context.Context
	Cleanup(func())
}

// fix is a database in a folder of its own, with a clock that the test turns.
type fix struct {
	tb
	*store.Sessions
	db  *store.DB
	dir string
	now time.Time
	ids int
}

func open(t testing.TB) *fix {
	t.Helper()
	f := &fix{tb: t, dir: t.TempDir(), now: start}
	f.reopen()
	t.Cleanup(func() { require.NoError(t, f.db.Close()) })
	return f
}

// reopen opens the folder, again when it was open; the old handle is not asked.
func (f *fix) reopen() {
	f.Helper()
	db, err := store.Open(f.Context(), store.Config{Dir: f.dir, Now: func() time.Time { return f.now }})
	require.NoError(f, err)
	f.db, f.Sessions = db, db.Sessions()
}

// restart is an orderly stop and start.
func (f *fix) restart() {
	f.Helper()
	require.NoError(f, f.db.Close())
	f.reopen()
}

func (f *fix) id(kind string) string {
	f.ids++
	return fmt.Sprintf("%s%04d", kind, f.ids)
}

// ok is what a store method wrote, when it had to succeed.
func (f *fix) ok(c session.Commit, err error) session.Commit {
	f.Helper()
	require.NoError(f, err)
	return c
}

func (f *fix) session(change ...func(*session.Record)) session.ID {
	f.Helper()
	r := session.Record{
		ID: f.id("S"), Owner: "ann", Model: "sim:assistant", CWD: "/", Compaction: compaction.DefaultConfig(),
		Disconnect: session.DisconnectContinue, Posture: compaction.IdlePosture, WindowTokens: 200_000,
	}
	for _, c := range change {
		c(&r)
	}
	f.ok(f.CreateSession(f.Context(), r, session.Out{}))
	return r.ID
}

func (f *fix) record(id session.ID) session.Record {
	f.Helper()
	r, err := f.Record(f.Context(), id)
	require.NoError(f, err)
	return r
}

// begin accepts a prompt and returns the turn.
func (f *fix) begin(id session.ID, change ...func(*session.BeginTurn)) session.TurnID {
	f.Helper()
	b := session.BeginTurn{Turn: session.Turn{ID: f.id("T"), SessionID: id}, Message: message.NewUser(message.Text{Text: "please"})}
	for _, c := range change {
		c(&b)
	}
	b.Digest = digestAt(f.record(id).NextSeq)
	f.ok(f.BeginTurn(f.Context(), b))
	return b.Turn.ID
}

// step stores an answer with its ledger row.
func (f *fix) step(id session.ID, turn session.TurnID, cost string) session.Commit {
	f.Helper()
	answer := message.NewAssistant(message.Text{Text: "done"})
	return f.ok(f.FinishStep(f.Context(), session.FinishStep{
		SessionID: id, TurnID: turn, Message: &answer, Digest: digestAt(f.record(id).NextSeq), Ledger: f.call(session.PurposeTurn, cost),
	}))
}

func (f *fix) finish(id session.ID, turn session.TurnID) {
	f.Helper()
	f.ok(f.FinishTurn(f.Context(), session.FinishTurn{
		Turn: session.Turn{ID: turn, SessionID: id, State: session.TurnCompleted, StopReason: "end_turn"},
	}))
}

// turn is a whole turn of two rows.
func (f *fix) turn(id session.ID, cost string) session.TurnID {
	f.Helper()
	turn := f.begin(id)
	f.step(id, turn, cost)
	f.finish(id, turn)
	return turn
}

// call is a ledger row; cost "" is an unpriced one.
func (f *fix) call(p session.Purpose, cost string) session.LedgerRow {
	row := session.LedgerRow{
		ID: f.id("L"), Purpose: p, PricingMode: "sync", Provider: "sim", Model: "sim:assistant", Attempt: 1, Outcome: "ok",
		Usage: message.Usage{Input: 100, CacheRead: 50, Output: 20, Reasoning: 5},
	}
	if cost != "" {
		usd := pricing.Must(cost)
		row.CostUSD = &usd
	}
	return row
}

// pass applies a completed pass over everything up to a seq.
func (f *fix) pass(id session.ID, to message.Seq, change ...func(*session.ApplyPass)) compaction.Pass {
	f.Helper()
	r := f.record(id)
	a := session.ApplyPass{Pass: compaction.Pass{
		ID: f.id("P"), SessionID: id, Trigger: compaction.TriggerThreshold, At: compaction.AtTurnStart,
		Kind: compaction.KindMechanical, WatermarkBefore: r.Watermark, WatermarkAfter: to, SpanStart: r.Watermark, SpanEnd: to,
		Outcome: compaction.OutcomeCompleted,
	}, Expect: r.Version, Watermark: to, Begin: true}
	a.Summary = &compaction.Summary{ID: a.Pass.ID, Span: a.Pass.Span(), Kind: a.Pass.Kind, Model: "mechanical", Text: "sum"}
	for _, c := range change {
		c(&a)
	}
	f.ok(f.ApplyPass(f.Context(), a))
	p, err := f.Pass(f.Context(), id, a.Pass.ID)
	require.NoError(f, err)
	return p
}

func digestAt(seq message.Seq) compaction.Digest {
	return compaction.Digest{Version: compaction.ExtractorVersion, First: seq, Last: seq, Rows: 1}
}

// told is an Out with n stream rows and n events.
func told(f *fix, id session.ID, turn session.TurnID, n int) session.Out {
	var out session.Out
	for i := range n {
		out.Stream = append(out.Stream, event.NewStreamRow(id, turn, event.StreamText, f.now, event.Text{MessageID: "m", Text: fmt.Sprint(i)}))
		out.Events = append(out.Events, event.New(event.ToolStarted, id, "ann", f.now, event.ToolPayload{SessionID: id, TurnID: turn}))
	}
	return out
}

// background outlives the test's own context, for cleanups.
var background = context.Background()
