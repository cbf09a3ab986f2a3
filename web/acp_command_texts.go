package web

import (
	"fmt"
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
)

// costText shows session, compaction and their sum, exactly (requirements E35), and what the last pass did.
func costText(st session.Status) string {
	rec := st.Record
	turns := rec.CostUSD.Sub(rec.CompactionCostUSD)
	var b strings.Builder
	fmt.Fprintf(&b, "Turns: %s\nCompaction: %s\nSum: %s", exact(turns), exact(rec.CompactionCostUSD), exact(rec.CostUSD))
	if rec.UnpricedCalls > 0 {
		fmt.Fprintf(&b, "\nNot in these figures: %d calls of models without a price", rec.UnpricedCalls)
	}
	if last := lastApplied(st.Posture.Recent); last != nil {
		fmt.Fprintf(&b, "\nLast compaction: %d tokens before, %s after", last.TokensBefore, tokensAfter(*last))
	}
	return b.String()
}

func exact(u pricing.USD) string { return u.Format() + " (" + u.String() + " USD)" }

func lastApplied(recent []compaction.Pass) *compaction.Pass {
	for i := range recent {
		if recent[i].Applied() || recent[i].Outcome == compaction.OutcomeCompleted {
			return &recent[i]
		}
	}
	return nil
}

func tokensAfter(p compaction.Pass) string {
	if p.TokensAfterMeasured != nil {
		return fmt.Sprint(*p.TokensAfterMeasured)
	}
	return fmt.Sprintf("about %d", p.TokensAfterEstimate)
}

// contextText shows the posture record in words (spec 6.6).
func contextText(p compaction.PostureRecord) string {
	lines := []string{
		fmt.Sprintf("Context: %s", share(p)),
		fmt.Sprintf("Prefix %d, summaries %d, pending %d, tail %d tokens", p.PrefixTokens, p.SummaryTokens, p.PendingTokens, p.TailTokens),
		fmt.Sprintf("Compacts at %d tokens pending, at the latest at %d", p.ThresholdTokens, p.HardCapTokens),
		fmt.Sprintf("Watermark: message %d of %d", p.Watermark, p.Messages),
		fmt.Sprintf("Posture: %s (%s), summary link %s", p.State, p.Reason, p.SummaryLink),
		fmt.Sprintf("Compaction cost: %s of %s", p.CompactionCostUSD.Format(), p.CompactionBudget.Format()),
	}
	if p.ElidedResults > 0 {
		lines = append(lines, fmt.Sprintf("Tool results left out: %d", p.ElidedResults))
	}
	for _, r := range p.Recent {
		lines = append(lines, "- "+passText(r))
	}
	return strings.Join(lines, "\n")
}

func share(p compaction.PostureRecord) string {
	used := fmt.Sprintf("%d", p.UsedTokens)
	if p.Estimated {
		used = "about " + used
	}
	if p.WindowTokens == 0 {
		return used + " tokens, window unknown"
	}
	return fmt.Sprintf("%s of %d tokens", used, p.WindowTokens)
}

// passText tells a compaction in one line, without any of its text.
func passText(p compaction.Pass) string {
	what := fmt.Sprintf("Compaction %s (%s, %s)", statusOf(p.Outcome), p.Trigger, p.Kind)
	if p.Outcome == compaction.OutcomeUndone {
		what = fmt.Sprintf("Compaction undone (%s, %s)", p.Trigger, p.Kind)
	}
	if !p.Applied() && p.FailureMode != "" {
		return fmt.Sprintf("%s: %s", what, p.FailureMode)
	}
	return fmt.Sprintf("%s: messages %d to %d, %d tokens before, %s after", what, p.SpanStart, p.SpanEnd, p.TokensBefore, tokensAfter(p))
}

func undoText(p compaction.Pass) string {
	return fmt.Sprintf("Undone: messages %d to %d stand in the context again", p.SpanStart, p.SpanEnd)
}
