package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
)

// Sums are made of integers: a hundred thousandths that floats cannot hold add up exactly (case D6 54).
func TestCaseD54_SumsAreExact(t *testing.T) {
	f := open(t)
	id := f.session()
	turn := f.begin(id)
	for range 100 {
		row := f.call(session.PurposeTurn, "0.000008000001")
		row.SessionID, row.TurnID = id, turn
		f.ok(f.RecordCall(t.Context(), row, session.Out{}))
	}
	require.Equal(t, "0.0008000001", f.record(id).CostUSD.String())
	o, err := f.Overview(t.Context(), f.now.Add(-time.Second), f.now.Add(time.Second))
	require.NoError(t, err)
	require.EqualValues(t, 800_000_100, o.CostPico)
	require.Equal(t, 100, o.Calls)
}

// A cost that the database cannot hold exactly is refused, never rounded.
func TestLedger_RefusesWhatItCannotHold(t *testing.T) {
	f := open(t)
	id := f.turns(1)
	before := dump(t, rawDB(t, f.db.Path()))
	for _, cost := range []string{"0.0000000000001", "99999999"} {
		row := f.call(session.PurposeTurn, cost)
		row.SessionID = id
		_, err := f.RecordCall(t.Context(), row, session.Out{})
		require.ErrorContains(t, err, row.ID)
	}
	require.Equal(t, before, dump(t, rawDB(t, f.db.Path())))
}

// A call that is told twice is counted once.
func TestLedger_IDsAreUnique(t *testing.T) {
	f := open(t)
	id := f.turns(1)
	row := f.call(session.PurposeTurn, "1")
	row.SessionID = id
	f.ok(f.RecordCall(t.Context(), row, session.Out{}))
	before := f.record(id)
	_, err := f.RecordCall(t.Context(), row, session.Out{})
	require.Error(t, err)
	same(t, before, f.record(id))
}

func TestLedger_Attribution(t *testing.T) {
	f := open(t)
	parent := f.session()
	id := f.session(func(r *session.Record) { r.ParentID = parent; r.Owner = "bob" })
	first, second := f.turn(id, "0.01"), f.turn(id, "0.02")
	idle := f.call(session.PurposeCompaction, "0.03")
	idle.SessionID = id
	f.ok(f.RecordCall(t.Context(), idle, session.Out{}))
	unpriced := f.call(session.PurposeTurn, "")
	unpriced.SessionID, unpriced.TurnID = id, first
	f.ok(f.RecordCall(t.Context(), unpriced, session.Out{}))
	foreign := f.call(session.PurposeTurn, "1")
	foreign.SessionID, foreign.TurnID = parent, first
	_, err := f.RecordCall(t.Context(), foreign, session.Out{})
	require.ErrorContains(t, err, first, "a turn of another session")

	turns, err := f.Turns(t.Context(), id, "", 0)
	require.NoError(t, err)
	require.Equal(t, second, turns.Items[1].ID)
	require.Equal(t, "0.05", turns.Items[1].CostUSD.String(), "the turn that started last takes the call outside turns")
	require.Equal(t, "0.03", turns.Items[1].CompactionCostUSD.String())
	require.Nil(t, turns.Items[0].CostUSD)
	require.True(t, turns.Items[0].Unpriced)
	rows, err := f.Ledger(t.Context(), id, "", 0)
	require.NoError(t, err)
	require.Equal(t, parent, rows.Items[0].ParentSessionID)
	require.Equal(t, "bob", rows.Items[0].Owner)
}

// The gauge is the prompt of the newest measured turn call: no sum, no estimate, not the summarizer's (D5 46, 48).
func TestLedger_ContextTokens(t *testing.T) {
	f := open(t)
	id := f.session()
	turn := f.begin(id)
	record := func(change func(*session.LedgerRow)) session.Record {
		row := f.call(session.PurposeTurn, "0.01")
		row.SessionID, row.TurnID = id, turn
		f.now = f.now.Add(time.Minute)
		change(&row)
		f.ok(f.RecordCall(t.Context(), row, session.Out{}))
		return f.record(id)
	}
	r := record(func(l *session.LedgerRow) {
		l.Usage = message.Usage{Input: 10, CacheRead: 20, CacheWrite5m: 30, Output: 9}
	})
	require.Equal(t, 60, r.ContextTokens)
	called := r.LastCallAt
	require.Equal(t, f.now, called)
	r = record(func(l *session.LedgerRow) { l.Purpose, l.Usage.Input = session.PurposeCompaction, 9000 })
	require.Equal(t, 60, r.ContextTokens)
	require.Equal(t, called, r.LastCallAt, "the summarizer warms no cache of the session")
	r = record(func(l *session.LedgerRow) { l.Usage, l.Outcome = message.Usage{}, "failed" })
	require.Equal(t, 60, r.ContextTokens)
	require.Equal(t, called, r.LastCallAt)
	r = record(func(l *session.LedgerRow) { l.Usage, l.Estimated = message.Usage{Input: 70}, true })
	require.Equal(t, 60, r.ContextTokens)
	require.Equal(t, f.now, r.LastCallAt)
	require.True(t, r.Usage.Estimated)
	require.Equal(t, 4, r.Calls)
	require.Equal(t, pricing.Must("0.04").String(), r.CostUSD.String())
}

// A call outside any session (bench) stands in the ledger alone.
func TestLedger_CallOutsideSessions(t *testing.T) {
	f := open(t)
	done := f.ok(f.RecordCall(t.Context(), f.call(session.PurposeBench, "0.5"), told(f, "", "", 1)))
	require.Len(t, done.Events, 1)
	o, err := f.Overview(t.Context(), f.now, f.now.Add(1))
	require.NoError(t, err)
	require.Equal(t, 1, o.Calls)
	require.Zero(t, o.Sessions)
}

// Overview: the figures of a range, half open, from integers.
func TestOverview(t *testing.T) {
	f := open(t)
	a, b := f.turns(2), f.turns(1)
	f.pass(a, 2, func(p *session.ApplyPass) {
		p.Pass.SpanTokenCountIn, p.Pass.SpanTokenCountOut, p.Pass.CacheHit = 900, 90, true
		p.Ledger = []session.LedgerRow{f.call(session.PurposeCompaction, "0.5")}
	})
	undone := f.pass(b, 2)
	f.undo(undone, 0)
	f.begin(b)
	from := f.now
	f.now = f.now.Add(time.Hour)
	f.turns(1)

	o, err := f.Overview(t.Context(), from, f.now)
	require.NoError(t, err)
	require.Equal(t, 2, o.Sessions)
	require.Equal(t, 1, o.Running)
	require.Equal(t, 4, o.Calls)
	require.Zero(t, o.UnpricedCalls)
	require.EqualValues(t, 530_000_000_000, o.CostPico)
	require.EqualValues(t, 500_000_000_000, o.CompactionPico)
	require.Equal(t, message.Usage{Input: 400, CacheRead: 200, Output: 80, Reasoning: 20}, o.Usage)
	require.Equal(t, []int{1, 0, 1}, []int{o.Passes, o.PassesFailed, o.SummaryCacheHits})
	require.Equal(t, []int64{900, 90}, []int64{o.TokensCompacted, o.TokensSummaries})
	require.Equal(t, f.db.Epoch(), o.Epoch)
	empty, err := f.Overview(t.Context(), from.Add(-time.Hour), from)
	require.NoError(t, err)
	require.Zero(t, empty.Calls+empty.Sessions+empty.Passes)
}
