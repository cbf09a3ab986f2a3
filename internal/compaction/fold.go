package compaction

import "tidemark/internal/message"

// FoldPlan says which summaries become one.
type FoldPlan struct {
	Parents   []Summary
	Span      message.Span // from the first parent's start to the last parent's end
	TokensIn  int
	MaxTokens int
}

// PlanFold decides whether the summaries in the view are folded: when they exceed half the threshold, all but the
// newest become one (spec 4.8). The threshold is the effective one in unscaled tokens, see [State.Raw]. Summaries with a
// note instead of a text (truncations) fold like the others. ok is false when there is nothing to gain.
func (p Planner) PlanFold(summaries []Summary, threshold int) (f FoldPlan, ok bool) {
	if !p.Config.Enabled || !p.Config.Fold || len(summaries) < 3 || SummaryTokens(summaries) <= threshold/2 {
		return f, false
	}
	n := len(summaries) - 1
	f.Parents = summaries[:n:n]
	f.Span = message.Span{Start: f.Parents[0].Span.Start, End: f.Parents[n-1].Span.End}
	f.TokensIn = SummaryTokens(f.Parents) + CarriedTokens(f.Parents)
	f.MaxTokens = min(p.Config.MaxTokens, max(threshold/4, MinSummaryTokens), f.TokensIn*2/3)
	return f, f.MaxTokens > 0
}

// MinSummaryTokens is the least a fold is given, however low the threshold.
const MinSummaryTokens = 64

// SummaryLimit is the bound of a span's summary: max_tokens, and a third of the span (spec 2.3).
func (c Config) SummaryLimit(spanTokens int) int { return max(min(c.MaxTokens, spanTokens/3), 1) }

// Futile reports whether a pass would free less than a fifth of what it covers (spec 4.11).
func Futile(tokensIn, tokensOut int) bool { return 5*(tokensIn-tokensOut) < tokensIn }
