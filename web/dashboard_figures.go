package web

import (
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
	"tidemark/views"
)

// newFigures are the operators' cards for a range.
func newFigures(o session.Overview) []views.Figure {
	return []views.Figure{
		{
			ID: "spend", Label: "Total spend", Value: picoMoney(o.CostPico),
			Note:  "of which compaction " + picoMoney(o.CompactionPico) + spendShare(o),
			About: "What all priced model calls in the range cost, from the ledger; compaction is part of it.",
		},
		{
			ID: "cache-read", Label: "Cache-read share", Value: percentOf(o.Usage.CacheRead, o.Usage.Prompt()),
			Note:  readNote(o.Usage),
			About: "Share of all input tokens that providers read from their prompt caches, at a fraction of the price.",
		},
		{
			ID: "summary-cache", Label: "Summary-cache hits", Value: number(o.SummaryCacheHits) + " / " + number(o.Passes),
			Note:  hitNote(o),
			About: "Compactions whose summary came from our own summary cache, of all that were applied: those cost no call.",
		},
		{
			ID: "passes", Label: "Compactions", Value: number(o.Passes), Tone: views.ToneViolet, Note: passNote(o),
			About: "Compactions that were applied in the range, and how many tokens their summaries replaced.",
		},
		{
			ID: "active", Label: "Active sessions", Value: number(o.Running),
			Note:  plural(o.Sessions, "session", "sessions") + " with a call in the range",
			About: "Sessions in which a turn is running now.",
		},
		{
			ID: "priced", Label: "Prices known", Value: percentOf(o.Calls-o.UnpricedCalls, o.Calls), Tone: pricedTone(o),
			Note:  "table " + model.Version,
			About: "Share of the model calls in the range that have a price. Unpriced calls are counted, never taken as free.",
		},
	}
}

func spendShare(o session.Overview) string {
	if f, ok := fraction(o.CompactionPico, o.CostPico); ok {
		return " (" + percent(f) + ")"
	}
	return ""
}

func readNote(u message.Usage) string {
	if u.Prompt() == 0 {
		return "no call yet"
	}
	return kilo(u.CacheRead) + " of " + kilo(u.Prompt()) + " input tokens"
}

func hitNote(o session.Overview) string {
	if f, ok := fraction(o.SummaryCacheHits, o.Passes); ok {
		return percent(f) + " without a call"
	}
	return "no pass yet"
}

func passNote(o session.Overview) string {
	if o.Passes+o.PassesFailed == 0 {
		return "no pass yet"
	}
	note := kilo(o.TokensCompacted) + " → " + kilo(o.TokensSummaries) + " tokens"
	if o.PassesFailed > 0 {
		note += " · " + number(o.PassesFailed) + " failed"
	}
	return note
}

func pricedTone(o session.Overview) string {
	if o.UnpricedCalls > 0 {
		return views.ToneSand
	}
	return views.TonePlain
}

// newSessionFigures are the cards of one session.
func newSessionFigures(f sessionFacts) []views.Figure {
	i := f.info
	return []views.Figure{
		{
			ID: "spend", Label: "Spend", Value: money(i.CostUSD),
			Note:  plural(i.Turns, "turn", "turns") + " · " + plural(f.rec.Calls, "call", "calls") + unpricedNote(i.UnpricedCalls),
			About: "What all priced model calls of the session cost, compaction included.",
		},
		{
			ID: "compaction", Label: "of which compaction", Value: i.CompactionCostUSD.Format(), Note: budgetNote(i),
			About: "What calls to summarizing models cost, and how much of the session's compaction budget that is.",
		},
		{
			ID: "cache-read", Label: "Cache hit", Value: percentOf(i.Usage.CacheRead, i.Usage.Prompt()),
			Note:  readNote(i.Usage),
			About: "Share of the session's input tokens that the provider read from its prompt cache.",
		},
		contextFigure(f),
		{
			ID: "watermark", Label: "Watermark", Value: "#" + number(i.Watermark), Tone: views.ToneViolet,
			Note:  "of " + plural(i.Messages, "message", "messages"),
			About: "Messages before this number are covered by summaries; the model is sent the rest as it stands.",
		},
		{
			ID: "passes", Label: "Compactions", Value: number(i.Compactions),
			Note:  number(i.SummaryCacheHits) + " from the summary cache",
			About: "Compactions applied in the session, and how many of their summaries came from the summary cache without a call.",
		},
	}
}

func contextFigure(f sessionFacts) views.Figure {
	fig := views.Figure{
		ID: "context", Label: "In context now", Value: unknown, Note: "not measured yet",
		About: "Tokens of the newest request as the provider counted it; right after a compaction the estimate of the next one.",
	}
	p := f.posture
	if p.UsedTokens == 0 {
		return fig
	}
	fig.Value = number(p.UsedTokens)
	how := "measured"
	if p.Estimated {
		fig.Value, how = "≈ "+fig.Value, "estimated until the next call"
	}
	fig.Note = how
	if p.WindowTokens > 0 {
		fig.Note = "of " + number(p.WindowTokens) + " · " + how
	}
	return fig
}

func unpricedNote(n int) string {
	if n == 0 {
		return ""
	}
	return " · " + number(n) + " unpriced"
}

func budgetNote(i session.Info) string {
	budget := i.Config.MaxCostPerSessionUSD
	if budget.Sign() <= 0 {
		return "no budget set"
	}
	return percent(ratio(i.CompactionCostUSD, budget)) + " of its " + budget.Format() + " budget"
}

// ratio is for display alone.
func ratio(a, b pricing.USD) float64 {
	f, _ := a.Decimal().Div(b.Decimal()).Float64()
	return f
}
