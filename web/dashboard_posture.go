package web

import (
	"strconv"

	"tidemark/internal/compaction"
	"tidemark/internal/pricing"
	"tidemark/views"
)

// newPosturePanel says the posture record in words and draws what the next request is made of.
func newPosturePanel(p compaction.PostureRecord) views.PosturePanel {
	posture := compaction.Posture{State: p.State, Reason: p.Reason}
	panel := views.PosturePanel{
		Chip: postureChip(posture), Words: postureWords[p.State].words, Reason: reasonText(p.Reason),
		Code: string(p.State) + " · " + string(p.Reason), Split: newShares(p),
		Facts: []views.Fact{
			{Name: "Next pass would cover", Value: number(p.PendingTokens) + " tokens", About: "History between the watermark and the preserved tail"},
			{Name: "Threshold", Value: number(p.ThresholdTokens) + " tokens", About: "A pass runs when that history reaches this"},
			{Name: "Hard cap", Value: number(p.HardCapTokens) + " tokens", About: "A pass is forced here"},
			{Name: "Preserved tail", Value: number(p.TailTokens) + " tokens", About: "The newest turns, never covered"},
			{Name: "Summary link", Value: linkWord(p), About: "Whether every summary in the model's view is there and unchanged"},
			{Name: "Elided results", Value: number(p.ElidedResults), About: "Old tool results that the model sees as a note"},
			{Name: "Last compaction", Value: lastCompaction(p), About: "UTC"},
			{Name: "Compaction budget", Value: budgetWord(p), About: "Spent on summarizing calls, of what this session may"},
		},
	}
	if p.PinnedBy != nil {
		panel.Pinned = "An unanswered tool call at message " + number(*p.PinnedBy) + " holds the watermark: nothing after it can be covered yet."
	}
	if p.CooldownRemainingS > 0 {
		panel.Facts = append(panel.Facts, views.Fact{
			Name: "Cooldown", Value: strconv.Itoa(p.CooldownRemainingS) + " s", About: "Until the next pass may be prepared ahead",
		})
	}
	return panel
}

func linkWord(p compaction.PostureRecord) string {
	if p.SummaryLink == "" {
		return "ok"
	}
	return p.SummaryLink
}

func lastCompaction(p compaction.PostureRecord) string {
	if p.LastCompactionAt == nil {
		return "never"
	}
	return p.LastCompactionAt.UTC().Format("2006-01-02 15:04:05")
}

func budgetWord(p compaction.PostureRecord) string {
	if p.CompactionBudget.Equal(pricing.USD{}) {
		return p.CompactionCostUSD.Format() + ", no budget"
	}
	return p.CompactionCostUSD.Format() + " of " + p.CompactionBudget.Format()
}

// newShares splits the next request into prefix, summaries, history that a pass would cover, and tail.
func newShares(p compaction.PostureRecord) []views.Share {
	parts := []struct {
		name, tone string
		tokens     int
	}{
		{"prefix", "plain", p.PrefixTokens}, {"summaries", views.ToneViolet, p.SummaryTokens},
		{"history", views.ToneSea, p.PendingTokens}, {"tail", views.ToneSand, p.TailTokens},
	}
	whole := 0
	for _, part := range parts {
		whole += part.tokens
	}
	if whole == 0 {
		return nil
	}
	out := make([]views.Share, len(parts))
	before := 0
	for i, part := range parts {
		out[i] = views.Share{
			Name: part.name, Tone: part.tone, Value: kilo(part.tokens), X: pct(float64(before) / float64(whole)),
			W: pct(float64(part.tokens) / float64(whole)),
		}
		before += part.tokens
	}
	return out
}
