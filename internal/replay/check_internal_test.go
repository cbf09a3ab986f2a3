package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

func usd(s string) *pricing.USD {
	u := pricing.Must(s)
	return &u
}

// sound are books in which everything agrees: one turn, two calls, one pass with its call.
func sound() (books, recording) {
	b := books{
		session: sessionRow{WindowTokens: 1000, CostUSD: usd("0.06"), CompactionCostUSD: pricing.Must("0.01")},
		turns:   []turnRow{{State: "completed", Steps: 2, CostUSD: usd("0.06"), CompactionCostUSD: pricing.Must("0.01")}},
		ledger: []ledgerRow{
			{ID: "a", Purpose: "turn", CostUSD: usd("0.02"), Usage: message.Usage{Input: 10, CacheRead: 990}},
			{ID: "b", Purpose: "compaction", CostUSD: usd("0.01"), Usage: message.Usage{Input: 5000}},
			{ID: "c", Purpose: "turn", CostUSD: usd("0.03"), Usage: message.Usage{CacheWrite5m: 400}},
		},
		passes: []passRow{
			{ID: "p", Kind: "semantic", Outcome: "completed", WatermarkAfter: 4, SpanTokenCountOut: 50, CacheHit: true},
			{ID: "f", Kind: "mechanical", Outcome: "completed", Trigger: "fold", WatermarkBefore: 4, WatermarkAfter: 4, SpanTokenCountOut: 30},
		},
		events: []eventRow{
			{Type: "turn.started"},
			{EventID: 1, Type: "session.compaction_started"}, {EventID: 2, Type: "session.compaction_completed"},
			{EventID: 3, Type: "session.compaction_started"}, {EventID: 4, Type: "session.compaction_completed"},
		},
	}
	return b, recording{turns: []turn{{steps: make([]message.Blocks, 2)}}}
}

func failed(mode string, truncated *int) eventRow {
	e := eventRow{EventID: 9, Type: "session.compaction_failed"}
	e.Payload.FailureMode, e.Payload.TruncatedMessageCount = mode, truncated
	return e
}

func TestCheck(t *testing.T) {
	three := 3
	for _, tc := range []struct {
		name  string
		spoil func(*books, *recording)
		want  string // "" = still sound
	}{
		{"sound", func(*books, *recording) {}, ""},
		{"refused request", func(b *books, _ *recording) { b.ledger[0].ErrorClass = "invalid_request" }, "call a was refused"},
		{"rate limit is not a refusal", func(b *books, _ *recording) { b.ledger[0].ErrorClass = "rate_limit" }, ""},
		{"over the window", func(b *books, _ *recording) { b.ledger[0].Usage.Input = 11 }, "sent 1001 tokens into a window of 1000"},
		{"window not known", func(b *books, _ *recording) { b.session.WindowTokens = 0 }, ""},
		{"turn missing", func(_ *books, r *recording) { r.turns = append(r.turns, turn{}) }, "the session has 1 turns, the recording 2"},
		{"turn failed", func(b *books, _ *recording) { b.turns[0].State, b.turns[0].ErrorClass = "failed", "auth" }, "turn 1 ended failed: auth"},
		{"step missing", func(b *books, _ *recording) { b.turns[0].Steps = 1 }, "turn 1 took 1 steps, the recording 2"},
		{"watermark back", func(b *books, _ *recording) { b.passes[1].WatermarkAfter = 3 }, "pass f moved the watermark from 4 to 3"},
		{"watermark gap", func(b *books, _ *recording) { b.passes[1].WatermarkBefore, b.passes[1].WatermarkAfter = 5, 6 }, "where it stood at 4"},
		{"failed pass moved it", func(b *books, _ *recording) { b.passes[1].Outcome, b.passes[1].WatermarkAfter = "failed", 6 }, "pass f ended failed and yet moved"},
		{"truncation moves it", func(b *books, _ *recording) {
			b.passes[1].Kind, b.passes[1].Outcome, b.passes[1].WatermarkAfter = "truncation", "failed", 6
			b.events[4] = failed("adapter_error", &three)
		}, ""},
		{"undone pass does not count", func(b *books, _ *recording) {
			b.passes[0].Outcome, b.passes[1].WatermarkBefore, b.passes[1].WatermarkAfter = "undone", 0, 0
		}, ""},
		{"no terminal", func(b *books, _ *recording) { b.events = b.events[:4] }, "the last attempt has no terminal event"},
		{"two terminals", func(b *books, _ *recording) { b.events = append(b.events, b.events[4]) }, "event 4 ends an attempt that did not start"},
		{"two starts", func(b *books, _ *recording) { b.events[2] = b.events[1] }, "event 1 starts an attempt while another is open"},
		{"attempt without a record", func(b *books, _ *recording) { b.passes = b.passes[:1] }, "1 attempts are on record, 2 were started"},
		{"no valid boundary", func(b *books, _ *recording) {
			b.events = append(b.events, failed("no_valid_boundary", nil))
			b.passes = append(b.passes, passRow{Outcome: "failed", FailureMode: "no_valid_boundary", WatermarkBefore: 4, WatermarkAfter: 4})
		}, ""},
		{"notice before a completed one", func(b *books, _ *recording) {
			b.events = append(b.events[:4], failed("budget_exhausted_forced", nil), b.events[4])
		}, ""},
		{"notice that truncates is terminal", func(b *books, _ *recording) {
			b.events[4] = failed("budget_exhausted_forced", &three)
		}, ""},
		{"a picodollar too much", func(b *books, _ *recording) { b.session.CostUSD = usd("0.060000000001") }, "session spend: 0.06 by calls, 0.060000000001 by its own figure"},
		{"compaction spend", func(b *books, _ *recording) { b.session.CompactionCostUSD = pricing.Must("0.02") }, "compaction spend: 0.01"},
		{"compaction spend of turns", func(b *books, _ *recording) { b.turns[0].CompactionCostUSD = pricing.Must("0") }, "compaction spend of turns"},
		{"turn sum", func(b *books, _ *recording) { b.turns[0].CostUSD = usd("0.05") }, "spend of turns: 0.06 by calls, 0.05"},
		{"unpriced", func(b *books, _ *recording) {
			for i := range b.ledger {
				b.ledger[i].CostUSD = nil
			}
			b.turns[0].CostUSD, b.session.CostUSD = nil, nil
			b.turns[0].CompactionCostUSD, b.session.CompactionCostUSD = pricing.USD{}, pricing.USD{}
		}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, rec := sound()
			tc.spoil(&b, &rec)
			got := check(b, rec, DefaultModel)
			if tc.want == "" {
				require.Empty(t, got)
				return
			}
			require.NotEmpty(t, got)
			require.Contains(t, got[0], tc.want)
		})
	}
}

// Another model says what it likes, in as many steps as it likes.
func TestCheck_OtherModel(t *testing.T) {
	b, rec := sound()
	b.turns[0].Steps = 7
	require.Empty(t, check(b, rec, "sim:assistant"))
}

func TestFile_Fill(t *testing.T) {
	b, _ := sound()
	b.passes = append(b.passes,
		passRow{Kind: "elision", Outcome: "completed"}, passRow{Kind: "truncation", Outcome: "failed", SpanTokenCountOut: 10},
		passRow{Kind: "mechanical", Outcome: "failed"}, passRow{Kind: "semantic", Outcome: "undone"})
	b.posture.PrefixTokens = 77
	var f File
	f.fill(b)
	require.Equal(t, Passes{Semantic: 1, Mechanical: 1, Truncation: 1, Elision: 1, Folds: 1, Failed: 2}, f.Passes)
	require.Equal(t, 1, f.CacheHits)
	require.Equal(t, 1000, f.LargestRequest)
	require.Equal(t, 700, f.MeanRequest)
	require.Equal(t, 30, f.MeanSummaryTokens)
	require.Equal(t, 77, f.PrefixTokens)
	require.Equal(t, 2, f.Steps)
}
