package store_test

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
)

func (m *machine) watermark() message.Seq {
	if len(m.applied) == 0 {
		return 0
	}
	return m.applied[len(m.applied)-1].SpanEnd
}

// attempt is a pass over some of what is not covered yet; ok is false when nothing is left.
func (m *machine) attempt(rt *rapid.T) (a session.ApplyPass, ok bool) {
	from, head := m.watermark(), message.Seq(len(m.texts))
	if from == head {
		return a, false
	}
	to := message.Seq(rapid.Int64Range(int64(from)+1, int64(head)).Draw(rt, "to"))
	a = session.ApplyPass{Pass: compaction.Pass{
		ID: m.fix.id("P"), SessionID: m.id, Trigger: compaction.TriggerThreshold, SpanStart: from, SpanEnd: to,
		WatermarkBefore: from, WatermarkAfter: to, Outcome: compaction.OutcomeCompleted,
		CacheHit: rapid.Bool().Draw(rt, "hit"),
	}, Expect: m.version, Watermark: to, Begin: rapid.Bool().Draw(rt, "begin")}
	a.Summary = &compaction.Summary{ID: a.Pass.ID, Span: a.Pass.Span(), Text: a.Pass.ID}
	for range rapid.IntRange(0, 2).Draw(rt, "calls") {
		row := m.price(rt)
		row.Purpose, row.CompactionID = session.PurposeCompaction, a.Pass.ID
		a.Ledger = append(a.Ledger, row)
	}
	if !a.Begin {
		open := a.Pass
		open.CacheHit = false
		m.wrote(m.ok(m.BeginPass(rt.Context(), open, m.out(rt))))
	}
	return a, true
}

func (m *machine) passes(rt *rapid.T) {
	a, ok := m.attempt(rt)
	if !ok {
		return
	}
	a.Out = m.out(rt)
	m.wrote(m.ok(m.ApplyPass(rt.Context(), a)))
	m.version++
	m.applied = append(m.applied, a.Pass)
}

func (m *machine) fails(rt *rapid.T) {
	if a, ok := m.attempt(rt); ok {
		a.Pass.Outcome = compaction.OutcomeFailed
		m.wrote(m.ok(m.FailPass(rt.Context(), session.FailPass{Pass: a.Pass, Ledger: a.Ledger, Begin: a.Begin, Out: m.out(rt)})))
	}
}

// stale tries with a version that moved on, or that is still to come.
func (m *machine) stale(rt *rapid.T) {
	a, ok := m.attempt(rt)
	if !ok {
		return
	}
	failed := a.Pass
	a.Expect = m.version + rapid.SampledFrom([]int64{-1, 1}).Draw(rt, "off")
	a.Pass.Version = a.Expect + 1
	_, err := m.ApplyPass(rt.Context(), a)
	require.ErrorIs(m, err, session.ErrStale)
	failed.Outcome = compaction.OutcomeCancelled
	m.wrote(m.ok(m.FailPass(rt.Context(), session.FailPass{Pass: failed, Ledger: a.Ledger, Begin: a.Begin, Out: m.out(rt)})))
}

func (m *machine) undoes(rt *rapid.T) {
	if len(m.applied) == 0 || m.turn != "" {
		return
	}
	p := m.applied[len(m.applied)-1]
	m.applied = m.applied[:len(m.applied)-1]
	p.Outcome = compaction.OutcomeUndone
	m.wrote(m.ok(m.UndoPass(rt.Context(), session.UndoPass{Pass: p, Expect: m.version, Watermark: m.watermark(), Out: m.out(rt)})))
	m.version++
}

func (m *machine) swaps(rt *rapid.T) {
	if len(m.applied) == 0 {
		return
	}
	p := rapid.SampledFrom(m.applied).Draw(rt, "pass")
	text := compaction.Summary{ID: p.ID, Span: p.Span(), Text: "better " + p.ID, Kind: compaction.KindSemantic}
	m.wrote(m.ok(m.Swap(rt.Context(), session.Swap{Pass: p, Summary: text, Expect: m.version, Out: m.out(rt)})))
	m.version++
}

// check compares what is stored with what was written, and the running totals with sums over the rows.
func (m *machine) check(rt *rapid.T) {
	snap := m.load(m.id)
	r := snap.Record
	require.EqualValues(rt, len(m.texts), r.NextSeq)
	require.EqualValues(rt, len(m.stream), r.StreamHead)
	require.Equal(rt, m.version, r.Version)
	require.Equal(rt, m.watermark(), r.Watermark)
	require.Equal(rt, len(m.applied), r.Passes)
	m.checkRows(snap)
	m.checkMoney(r)

	at := message.Seq(0)
	for i, s := range snap.Summaries { // the summaries meet without a hole up to the watermark
		require.Equal(rt, m.applied[i].ID, s.ID)
		require.Equal(rt, at, s.Span.Start)
		at = s.Span.End
	}
	require.Equal(rt, r.Watermark, at)
}

func (m *machine) checkRows(snap session.Snapshot) {
	rows, err := m.Messages(m.Context(), m.id, -1, 0)
	require.NoError(m, err)
	require.Len(m, rows, len(m.texts))
	for i, row := range rows {
		require.EqualValues(m, i, row.Seq)
		require.Equal(m, m.texts[i], row.PlainText())
	}
	same(m.tb, rows[snap.Record.Watermark:], snap.Rows)
	stream, err := m.Stream(m.Context(), m.id, 0, 0)
	require.NoError(m, err)
	require.Len(m, stream, len(m.stream))
	for i, row := range stream {
		require.Equal(m, event.StreamSeq(i+1), row.Seq)
		require.Equal(m, m.stream[i], string(row.Payload))
	}
}

// checkMoney: sum of calls = sum of turns = the session's totals, exactly (spec 7.7).
func (m *machine) checkMoney(r session.Record) {
	calls, err := m.Ledger(m.Context(), m.id, "", 0)
	require.NoError(m, err)
	turns, err := m.Turns(m.Context(), m.id, "", 0)
	require.NoError(m, err)
	var all, compactions, outside, ofTurns pricing.USD
	var usage message.Usage
	unpriced := 0
	for _, c := range calls.Items {
		usage = usage.Add(c.Usage)
		if c.CostUSD == nil {
			unpriced++
			continue
		}
		all = all.Add(*c.CostUSD)
		if c.Purpose == session.PurposeCompaction {
			compactions = compactions.Add(*c.CostUSD)
		}
		if c.TurnID == "" { // before the first turn
			outside = outside.Add(*c.CostUSD)
		}
	}
	for _, turn := range turns.Items {
		require.Equal(m, turn.Unpriced, turn.CostUSD == nil)
		if turn.CostUSD != nil {
			ofTurns = ofTurns.Add(*turn.CostUSD)
		}
	}
	require.Equal(m, len(calls.Items), r.Calls)
	require.Equal(m, unpriced, r.UnpricedCalls)
	require.Equal(m, usage, r.Usage)
	require.Equal(m, all.String(), r.CostUSD.String())
	require.Equal(m, compactions.String(), r.CompactionCostUSD.String())
	if unpriced == 0 {
		require.Equal(m, all.String(), ofTurns.Add(outside).String())
	}
}
