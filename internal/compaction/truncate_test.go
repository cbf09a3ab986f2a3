package compaction_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// From the old end, whole turns first, then whole tool cycles, never the tail, until pending is below the cap (spec 4.5).
func TestTruncate(t *testing.T) {
	for name, tc := range map[string]struct {
		rows      string
		hardCap   int
		watermark message.Seq
		want      message.Span // empty: nothing
	}{
		"below the cap nothing goes":        {"U:50 A:49 U A U", 100, 0, message.Span{}},
		"at the cap it does":                {"U:50 A:50 U A U", 100, 0, span(0, 2)},
		"a whole turn goes, not half":       {"U:50 A:50 U:40 A:40 U A U", 150, 0, span(0, 2)},
		"as many turns as it takes":         {"U:50 A:50 U:40 A:40 U:30 A:30 U A U", 61, 0, span(0, 4)},
		"exactly the cap is not below":      {"U:50 A:50 U:40 A:40 U:30 A:30 U A U", 60, 0, span(0, 6)},
		"the rest of a turn counts as one":  {"U:50 A:50 U:40 A:40 U A U", 90, 1, span(1, 2)},
		"all that pends, never the tail":    {"U:50 A:50 U:900 A:900 U", 1, 0, span(0, 2)},
		"then whole cycles of the last one": {"U:10 A{a}:40 R(a):40 A{b}:40 R(b):40 A{c} R(c) A{d}:10 R(d):10", 101, 0, span(0, 3)},
		"cycles are not cut":                {"U:10 A{a}:40 R(a):40 A{b}:40 R(b):40 A{c} R(c) A{d}:10 R(d):10", 79, 0, span(0, 5)},
		"an unanswered call stays":          {"U:50 A{open}:50 U:50 A:50 U A U", 20, 0, span(0, 1)},
		"nothing before it: nothing goes":   {"A{open}:50 U:50 A:50 U A U", 20, 0, message.Span{}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(oneTurn)
			if tc.rows[len(tc.rows)-1] != 'U' { // inside a turn the tail is bounded
				cfg.TailMaxTokens = 60
			}
			cfg.HardCapTokens, cfg.ThresholdTokens = tc.hardCap, 0
			s := planState(history(t, tc.rows))
			s.Watermark = tc.watermark
			got, ok := planner(cfg).Truncate(s, planner(cfg).Watch(s))
			require.Equal(t, tc.want.Len() > 0, ok)
			if ok {
				require.Equal(t, tc.want, got)
			}
		})
	}
}

// The cap is meant in the model's tokens (spec 4.2).
func TestTruncate_Scaled(t *testing.T) {
	s := planState(history(t, turns(20, 100)+"U A U"))
	s.Factor = 1.7
	cfg := config(oneTurn)
	cfg.HardCapTokens, cfg.ThresholdTokens = 10_000, 0
	w := planner(cfg).Watch(s)
	got, ok := planner(cfg).Truncate(s, w)
	require.True(t, ok)
	s.Watermark = got.End
	require.Less(t, planner(cfg).Watch(s).Pending, 10_000)
	s.Watermark = got.End - 4
	require.GreaterOrEqual(t, planner(cfg).Watch(s).Pending, 10_000, "no turn more than needed")
}

func TestPlanFold(t *testing.T) {
	big := func(n int) []compaction.Summary {
		var out []compaction.Summary
		for i := range n {
			out = append(out, summary(string(rune('a'+i)), span(100+10*i, 110+10*i), 5_929))
		}
		return out
	}
	one := big(1)[0]
	per := compaction.SummaryTokens([]compaction.Summary{one})
	require.Equal(t, 2_009, per)
	for name, tc := range map[string]struct {
		summaries []compaction.Summary
		threshold int
		max       int // tokens of the fold; 0 = none
	}{
		"exactly half the threshold stays": {big(3), 6 * per, 0},
		"one token more folds":             {big(3), 6*per - 1, 2 * per * 2 / 3},
		"a half is not rounded":            {big(3), 6*per + 1, 0},
		"two have nothing to merge":        {big(2), 100, 0},
		"at most a quarter of threshold":   {big(4), 8_000, 2_000},
		"at most max_tokens":               {big(12), 40_000, 4_096},
		"never less than the least":        {big(3), 8, compaction.MinSummaryTokens},
	} {
		f, ok := planner(config(nil)).PlanFold(tc.summaries, tc.threshold)
		require.Equal(t, tc.max > 0, ok, name)
		if !ok {
			continue
		}
		n := len(tc.summaries) - 1
		require.Equal(t, tc.summaries[:n], f.Parents, "all but the newest")
		require.Equal(t, span(100, 100+10*n), f.Span)
		require.Equal(t, n*per, f.TokensIn)
		require.Equal(t, tc.max, f.MaxTokens, name)
		require.False(t, compaction.Futile(f.TokensIn, f.MaxTokens), name)
	}
	for name, change := range map[string]func(*compaction.Config){
		"fold off": func(c *compaction.Config) { c.Fold = false },
		"disabled": func(c *compaction.Config) { c.Enabled = false },
	} {
		_, ok := planner(config(change)).PlanFold(big(9), 100)
		require.False(t, ok, name)
	}
}

// A carried request counts among what a fold takes in: it goes with the first one after its turn (spec 4.9).
func TestPlanFold_TakesCarriedRequests(t *testing.T) {
	list := []compaction.Summary{summary("a", span(0, 2), 300), summary("b", span(2, 4), 300), summary("c", span(4, 6), 300)}
	list[0].Request = message.Blocks{filled(3_000)}
	f, ok := planner(config(nil)).PlanFold(list, 100)
	require.True(t, ok)
	require.Equal(t, compaction.SummaryTokens(list[:2])+1_000, f.TokensIn)
}

// A summary is at most max_tokens and a third of its span (spec 2.3).
func TestSummaryLimit(t *testing.T) {
	for spanTokens, want := range map[int]int{0: 1, 2: 1, 3: 1, 6: 2, 150: 50, 12_287: 4_095, 12_288: 4_096, 900_000: 4_096} {
		require.Equal(t, want, config(nil).SummaryLimit(spanTokens), "%d", spanTokens)
	}
}
