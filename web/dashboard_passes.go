package web

import (
	"strconv"

	"tidemark/internal/compaction"
	"tidemark/views"
)

// keyShown is how much of a cache key is shown (screens, "Compaction row").
const keyShown = 12

func newPassList(r reader, f sessionFacts) views.PassList {
	l := views.PassList{Session: f.rec.ID, None: "No compaction was tried yet. The first comes when the history before the preserved tail reaches the threshold."}
	applied, failed := 0, 0
	for _, p := range f.passes {
		switch {
		case p.Applied():
			applied++
		case p.Outcome == compaction.OutcomeFailed:
			failed++
		}
	}
	for _, p := range newestFirst(f.passes, maxListed) {
		l.Rows = append(l.Rows, newPassRow(r, p))
	}
	l.Summary = number(applied) + " in force, " + number(failed) + " failed, of " + plural(len(f.passes), "attempt", "attempts")
	return l
}

func newPassRow(r reader, p compaction.Pass) views.PassRow {
	row := views.PassRow{
		ID: p.ID, Href: "/fragments/s/" + p.SessionID + "/pass/" + p.ID, At: shownAt(p.CreatedAt, formDate, r.now),
		Moved: watermarkMove(p), Trigger: look(triggerWords, p.Trigger, string(p.Trigger)),
		Place: look(placeWords, p.At, string(p.At)), Kind: kindChip(p.Kind), Cache: cacheText(p),
		Before: number(p.TokensBefore), Estimated: estimatedAfter(p), Measured: measuredAfter(p),
		Summary: number(p.SpanTokenCountOut) + " tokens", Took: tookMS(p.LatencyMS), Cost: money(p.CostUSD),
		Invalidated: number(p.PrefixInvalidatedTokens) + " tokens", BreakEven: breakEven(p), Gate: gateChip(p.Gate),
		Candidate: candidateChip(p.Candidate), Outcome: outcomeChip(p),
	}
	if p.Attempt > 1 {
		row.Attempt = "attempt " + strconv.Itoa(p.Attempt)
	}
	return row
}

func kindChip(k compaction.Kind) views.Chip {
	switch k {
	case compaction.KindSemantic:
		return views.Chip{Text: "semantic", Tone: views.ToneViolet, About: "The summary was written by a model"}
	case compaction.KindMechanical:
		return views.Chip{Text: "mechanical", Tone: views.ToneSand, About: "The summary was extracted without a model"}
	case compaction.KindTruncation:
		return views.Chip{Text: "truncation", Tone: views.ToneCoral, About: "Old messages were left out without a summary"}
	case compaction.KindElision:
		return views.Chip{Text: "elision", Tone: views.ToneSand, About: "Old tool results were replaced by notes"}
	}
	return views.Chip{Text: string(k)}
}

func outcomeChip(p compaction.Pass) views.Chip {
	switch p.Outcome {
	case compaction.OutcomeOpen:
		return views.Chip{Text: "running", Tone: views.ToneSea, About: "The pass has not ended"}
	case compaction.OutcomeCompleted:
		if p.FoldedInto != "" {
			return views.Chip{Text: "folded", Tone: views.ToneOutline, About: "Its summary was folded into a later one"}
		}
		return views.Chip{Text: "completed", Tone: views.ToneLeaf, About: "Applied: the model is sent the summary in the place of the span"}
	case compaction.OutcomeFailed:
		return views.Chip{Text: "failed", Tone: views.ToneCoral, About: look(failureWords, p.FailureMode, string(p.FailureMode))}
	case compaction.OutcomeUndone:
		return views.Chip{Text: "undone", Tone: views.ToneOutline, About: "Taken back: the model is sent the span itself again"}
	}
	return views.Chip{Text: string(p.Outcome), Tone: views.ToneSand}
}

func cacheText(p compaction.Pass) string {
	switch {
	case p.CacheKey == "":
		return "not asked"
	case p.CacheHit:
		return "hit " + short(p.CacheKey, keyShown)
	}
	return "miss " + short(p.CacheKey, keyShown)
}

func estimatedAfter(p compaction.Pass) string {
	if p.TokensAfterEstimate == 0 {
		return unknown
	}
	return number(p.TokensAfterEstimate)
}

func measuredAfter(p compaction.Pass) string {
	if p.TokensAfterMeasured == nil {
		return unknown
	}
	return number(*p.TokensAfterMeasured)
}

func breakEven(p compaction.Pass) string {
	switch {
	case p.BreakEvenTurns == nil:
		return unknown
	case *p.BreakEvenTurns <= 0:
		return "at once"
	}
	return "after " + trimZero(strconv.FormatFloat(*p.BreakEvenTurns, 'f', 1, 64)) + " calls"
}

func gateChip(g *compaction.GateVerdict) views.Chip {
	if g == nil {
		return views.Chip{Text: "not asked", About: "Only a model-written text goes through the retention check"}
	}
	kept, total := gateTotals(g)
	text := "kept " + number(kept) + "/" + number(total)
	if g.Accepted {
		return views.Chip{Text: text, Tone: views.ToneLeaf, About: "Every fact that must survive did"}
	}
	return views.Chip{Text: "refused, " + text, Tone: views.ToneCoral, About: reasonText(compaction.Reason(g.Reason))}
}

func gateTotals(g *compaction.GateVerdict) (kept, total int) {
	for _, c := range g.Classes {
		kept += c.Kept
		total += c.Total
	}
	return kept, total
}

// candidateTones colours the states of a candidate.
var candidateTones = map[compaction.CandidateState]string{
	compaction.CandidateRunning: views.ToneSea, compaction.CandidateReady: views.ToneViolet,
	compaction.CandidateAccepted: views.ToneLeaf, compaction.CandidateRejected: views.ToneCoral,
	compaction.CandidateFailed: views.ToneCoral, compaction.CandidateStale: views.ToneOutline,
}

func candidateChip(c *compaction.Candidate) views.Chip {
	if c == nil {
		return views.Chip{Text: "none", About: "No model was asked for a better text"}
	}
	return views.Chip{Text: string(c.State), Tone: candidateTones[c.State], About: "A model-written text for the same span. " + reasonText(compaction.Reason(c.Reason))}
}
