package web

import (
	"tidemark/internal/session"
	"tidemark/views"
)

func newLedger(f sessionFacts, numbers map[session.TurnID]int) views.Ledger {
	l := views.Ledger{ID: f.rec.ID, Summary: plural(len(f.ledger), "model call", "model calls")}
	switch {
	case f.more:
		l.Summary = "some of " + plural(f.rec.Calls, "model call", "model calls") + "; all of them are in the exports"
		l.Older = "/api/v1/sessions/" + f.rec.ID + "/ledger"
	case len(f.ledger) > maxListed:
		l.Summary = "newest " + number(min(maxListed, len(f.ledger))) + " of " + plural(f.rec.Calls, "model call", "model calls")
		l.Older = "/api/v1/sessions/" + f.rec.ID + "/ledger"
	}
	for _, row := range newestFirst(f.ledger, maxListed) {
		l.Rows = append(l.Rows, newLedgerRow(row, numbers))
	}
	return l
}

func newLedgerRow(row session.LedgerRow, numbers map[session.TurnID]int) views.LedgerRow {
	u := row.Usage
	out := views.LedgerRow{
		ID: row.ID, At: shownAt(row.CreatedAt, formClock, row.CreatedAt), Turn: turnPlace(row, numbers),
		Purpose: purposeChip(row.Purpose), Model: modelName(row.Model), Fresh: number(u.Input), Read: number(u.CacheRead),
		Write5m: number(u.CacheWrite5m), Write1h: number(u.CacheWrite1h), Output: number(u.Output), Reason: number(u.Reasoning),
		Prices: row.PriceVersion, Cost: money(row.CostUSD), Latency: tookMS(row.LatencyMS), Outcome: callChip(row),
		Break: words(row.CacheBreak),
	}
	if row.Attempt > 1 {
		out.Attempt = "attempt " + number(row.Attempt)
	}
	if row.Estimated {
		out.Fresh = "≈ " + out.Fresh
	}
	return out
}

func purposeChip(p session.Purpose) views.Chip {
	if p == session.PurposeCompaction {
		return views.Chip{Text: "compaction", Tone: views.ToneViolet, About: "A call to the summarizing model"}
	}
	return views.Chip{Text: string(p), Tone: views.ToneSea}
}

func callChip(row session.LedgerRow) views.Chip {
	switch row.Outcome {
	case "ok":
		return views.Chip{Text: "ok", Tone: views.ToneLeaf}
	case "cancelled":
		return views.Chip{Text: "cancelled", Tone: views.ToneSand, About: "Stopped; what was used until then is billed"}
	}
	c := views.Chip{Text: row.Outcome, Tone: views.ToneCoral}
	if row.ErrorClass != "" {
		c.Text += ": " + words(row.ErrorClass)
	}
	return c
}

func newTurnList(r reader, f sessionFacts) views.TurnList {
	l := views.TurnList{Summary: plural(len(f.turns), "turn", "turns")}
	if len(f.turns) > maxListed {
		l.Summary = "newest " + number(maxListed) + " of " + l.Summary
	}
	n := len(f.turns)
	for i, t := range newestFirst(f.turns, maxListed) {
		l.Rows = append(l.Rows, newTurnRow(r, t, n-i))
	}
	return l
}

func newTurnRow(r reader, t session.Turn, n int) views.TurnRow {
	prompt := t.Usage.Prompt()
	row := views.TurnRow{
		ID: t.ID, Number: "T" + number(n), State: turnChip(t.State), Stop: words(t.StopReason), Steps: number(t.Steps),
		Input: number(prompt), Cached: percentOf(t.Usage.CacheRead, prompt), Output: number(t.Usage.Output),
		Cost: money(t.CostUSD), Compact: t.CompactionCostUSD.Format(), Started: shownAt(t.StartedAt, formDate, r.now),
		Took: unknown,
	}
	if t.State == session.TurnCompleted && t.StopReason == "end_turn" {
		row.Stop = "" // the usual end says nothing more
	}
	if t.EndedAt != nil {
		row.Took = took(t.EndedAt.Sub(t.StartedAt))
	}
	if t.ErrorCode != "" {
		row.Error = words(t.ErrorCode) + " " + words(t.ErrorClass)
		if t.ErrorMessage != "" {
			row.Error += ": " + t.ErrorMessage
		}
	}
	return row
}

func turnChip(s session.TurnState) views.Chip {
	tone := map[session.TurnState]string{
		session.TurnRunning: views.ToneSea, session.TurnCompleted: views.ToneLeaf, session.TurnCancelled: views.ToneSand,
		session.TurnFailed: views.ToneCoral, session.TurnInterrupted: views.ToneCoral,
	}[s]
	return views.Chip{Text: string(s), Tone: tone}
}
