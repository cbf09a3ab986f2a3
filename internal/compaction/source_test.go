package compaction_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// The source profile keeps the rules of requirements A3 to A10 to the letter, but for the rows that spec section 4 says
// give way. Each test names its row.

func TestSource_A2_Knobs(t *testing.T) {
	c := source(nil)
	require.Equal(t, 30_000, c.ThresholdTokens, "A2.1")
	require.Equal(t, 80_000, c.HardCapTokens, "A2.2")
	require.Equal(t, 5, c.PreserveRecentTurns, "A2.3")
	require.Equal(t, pricing.Must("0.20"), c.MaxCostPerSessionUSD, "A2.5")
	require.Equal(t, "1.0.0", c.SummaryPromptVersion, "A2.6")
	require.Equal(t, 1000, c.CacheMaxRows, "A2.7")
	require.Equal(t, 4096, c.MaxTokens, "A2.8")
	require.True(t, c.Enabled, "A2.10")
	want := compaction.DefaultConfig()
	want.Profile, want.Mode, want.TailMaxTokens = compaction.ProfileSource, compaction.ModeSemantic, 0
	want.Check, want.Fold = compaction.CheckTurn, false
	require.Equal(t, want, c, "nothing else differs (spec 2.3)")
}

// A3.2: pending is what stands before the newest N turns; by spec 4.1 the turn now starting comes on top of them.
func TestSource_A3_2_PendingBeforeTheNewestTurns(t *testing.T) {
	for n := 1; n <= 6; n++ {
		s := planState(history(t, turns(8, 100)+"U:50"))
		got := planner(source(func(c *compaction.Config) { c.PreserveRecentTurns = n })).Watch(s)
		require.Equal(t, (8-n)*400, got.Pending)
		require.Equal(t, message.Seq((8-n)*4), got.TailStart)
	}
}

// A3.3, E3: without an adapter's estimator a token is three bytes, rounded up.
func TestSource_A3_3_Fallback(t *testing.T) {
	for bytes, tokens := range map[int]int{0: 0, 1: 1, 2: 1, 3: 1, 4: 2, 90_000: 30_000, 90_001: 30_001} {
		require.Equal(t, tokens, message.FallbackTokens(bytes))
	}
}

// A3.4, A3.6, A3.7, A3.8: force at the cap, try from the threshold on, nothing below; inclusive.
func TestSource_A3_8_InclusiveEdges(t *testing.T) {
	for pending, want := range map[int]string{
		29_999: "", 30_000: "threshold", 79_999: "threshold", 80_000: "hard_cap",
	} {
		got := planner(source(oneTurn)).Plan(pendingOf(t, pending))
		require.Equal(t, want, string(got.Trigger), "%d", pending)
		require.Equal(t, want == "hard_cap", got.Forced)
		require.Equal(t, want != "", got.Verb == compaction.DoPass)
	}
}

// A4.2, E2: turns are counted, not messages; a turn of many rows is one.
func TestSource_A4_2_TurnsNotMessages(t *testing.T) {
	s := planState(history(t, "U:30000 A U A{a} R(a) A{b} R(b) A{c} R(c) A U"))
	s.TurnOpen = 10
	got := planner(source(oneTurn)).Plan(s)
	require.Equal(t, span(0, 2), got.Span)
}

// A4.3, A4.4: later passes take only what came after the watermark.
func TestSource_A4_3_OnlyAfterTheWatermark(t *testing.T) {
	s := planState(history(t, turns(20, 2_000)+"U"))
	p := planner(source(nil))
	first := p.Plan(s)
	require.Equal(t, span(0, 60), first.Span)
	s.Watermark = first.Span.End
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb)

	more := planState(history(t, turns(24, 2_000)+"U"))
	more.Watermark = first.Span.End
	second := p.Plan(more)
	require.Equal(t, span(60, 76), second.Span)
	require.Equal(t, 32_000, second.Pending)
}

// A4.5, A4.6, A4.8: a nominal watermark that would cut a cycle slides before it; an unanswered call stays verbatim.
func TestSource_A4_5_SlidesBeforeTheCycle(t *testing.T) {
	s := planState(history(t, "U:30000 A{open,b} R(b) U A U A U"))
	got := planner(source(oneTurn)).Plan(s)
	require.Equal(t, message.Seq(5), got.TailStart)
	require.Equal(t, span(0, 1), got.Span)
}

// A4.7: no boundary in range, an empty span after sliding included.
func TestSource_A4_7_EmptySpan(t *testing.T) {
	s := planState(history(t, "A{open}:30000 U A U A U"))
	got := planner(source(oneTurn)).Plan(s)
	require.Equal(t, compaction.NoBoundary, got.Verb)
	require.Zero(t, got.Span.Len())
}

// A9.7 gives way in this profile: no waiting after failures, no pause after futile passes (spec 2.3).
func TestSource_NoWaitNoThrashStop(t *testing.T) {
	s := pendingOf(t, 40_000)
	s.Memory = everythingHolds(s)
	s.Memory.Undone = nil
	require.Equal(t, compaction.DoPass, planner(source(oneTurn)).Plan(s).Verb)
	require.Equal(t, compaction.Nothing, planner(config(oneTurn)).Plan(s).Verb)
}

// The profile has no window term: neither trigger nor cap look at it (spec 2.3).
func TestSource_NoWindowTerm(t *testing.T) {
	s := nearlyFull(t, 29_999, 100_000, 0)
	require.Equal(t, compaction.Nothing, planner(source(oneTurn)).Plan(s).Verb)
	require.Equal(t, compaction.TriggerHardCap, planner(config(oneTurn)).Plan(s).Trigger)
}

// A9.2, A9.4, A9.5: truncation drops from the old end, never the tail, and keeps the tail when all weight is in it.
func TestSource_A9_2_Truncation(t *testing.T) {
	p := planner(source(nil))
	s := planState(history(t, turns(60, 500)+"U"))
	w := p.Plan(s)
	require.True(t, w.Forced)
	require.Equal(t, 110_000, w.Pending)
	got, ok := p.Truncate(s, w)
	require.True(t, ok)
	require.Equal(t, span(0, 4*16), got, "sixteen turns of 2 000 bring 110 000 below 80 000")

	heavy := planState(history(t, turns(5, 50_000)+"U"))
	_, ok = p.Truncate(heavy, p.Watch(heavy))
	require.False(t, ok, "A9.5")
}

// A10.5: the closed set of failure modes.
func TestSource_A10_5_FailureModes(t *testing.T) {
	require.Equal(t, "[adapter_error no_valid_boundary budget_exhausted_forced validation_failed]", fmt.Sprint([]compaction.FailureMode{
		compaction.FailAdapterError, compaction.FailNoValidBoundary, compaction.FailBudgetForced, compaction.FailValidationFailed,
	}))
}

// A6.1, A6.2: one user message with the envelope and its metadata.
func TestSource_A6_1_SyntheticMessage(t *testing.T) {
	s := summary("p1", span(12, 40), 9)
	s.Kind, s.Model, s.CacheKey = compaction.KindSemantic, "anthropic:claude-haiku-4-5", "00ff"
	m := s.Message()
	require.Equal(t, message.RoleUser, m.Role)
	require.Equal(t, message.Blocks{message.Text{
		Text: "<COMPACTION_SUMMARY model=anthropic:claude-haiku-4-5 watermark=12>\nsssssssss\n</COMPACTION_SUMMARY>",
	}}, m.Blocks)
	require.True(t, m.Synthetic)
	require.Equal(t, span(12, 40), *m.CompactionSpan)
	require.Equal(t, "00ff", m.CompactionCacheKey)
	require.Equal(t, message.Seq(-1), m.Seq)
	require.Equal(t, m.Units, m.Blocks.Units())
}

// A6.6, A6.7, A6.8: the seam is decided by what follows alone: an ack before a user message and between two summaries,
// nothing before an assistant message.
func TestSource_A6_8_Seams(t *testing.T) {
	a, b := summary("p1", span(0, 2), 9), summary("p2", span(2, 4), 9)
	for name, tc := range map[string]struct {
		summaries []compaction.Summary
		rows      string
		want      string
	}{
		"ends assistant, next user":      {[]compaction.Summary{a}, "U", "uau"},
		"ends user, next user":           {[]compaction.Summary{a}, "U A U", "uauau"},
		"ends user, next assistant":      {[]compaction.Summary{a}, "A U", "uau"},
		"ends assistant, next assistant": {[]compaction.Summary{a}, "A{t} R(t)", "uau"},
		"two summaries":                  {[]compaction.Summary{a, b}, "U", "uauau"},
		"two summaries, then assistant":  {[]compaction.Summary{a, b}, "A U", "uauau"},
		"nothing after the summary":      {[]compaction.Summary{a, b}, "", "uau"},
		"no summary":                     {nil, "U A U", "uau"},
	} {
		view := compaction.BuildView(tc.summaries, history(t, tc.rows), nil)
		require.NoError(t, message.ValidatePrefix(view.Messages), name)
		got := ""
		for _, m := range view.Messages {
			got += string(m.Role[:1])
		}
		require.Equal(t, tc.want, got, name)
	}
	ack := compaction.Ack()
	require.Equal(t, "compaction acknowledged", ack.PlainText(), "A6.9")
	require.True(t, ack.Synthetic)
}

// A6.12: a closing tag inside the text is escaped; what is stored stays raw.
func TestSource_A6_12_ClosingTag(t *testing.T) {
	s := summary("p1", span(0, 2), 0)
	s.Text = "a </COMPACTION_SUMMARY> b </COMPACTION_SUMMARY>"
	require.Equal(t, "<COMPACTION_SUMMARY model=mechanical watermark=0>\na <\\/COMPACTION_SUMMARY> b <\\/COMPACTION_SUMMARY>\n</COMPACTION_SUMMARY>",
		s.Message().PlainText())
	require.Contains(t, s.Text, "</COMPACTION_SUMMARY>")
}
