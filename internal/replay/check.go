package replay

import (
	"fmt"

	"tidemark/internal/pricing"
)

// check lists what does not agree in a session's books (spec 7.7, 4.3, 8).
func check(b books, rec recording, model string) []string {
	var out []string
	out = append(out, checkCalls(b)...)
	out = append(out, checkTurns(b, rec, model)...)
	out = append(out, checkWatermark(b.passes)...)
	out = append(out, checkAttempts(b)...)
	return append(out, checkMoney(b)...)
}

// checkCalls: no request was refused as malformed, none passed the window.
func checkCalls(b books) []string {
	var out []string
	for _, row := range b.ledger {
		if row.ErrorClass == "invalid_request" {
			out = append(out, fmt.Sprintf("call %s was refused as an invalid request", row.ID))
		}
		if n := row.Usage.Prompt(); row.Purpose == "turn" && b.session.WindowTokens > 0 && n > b.session.WindowTokens {
			out = append(out, fmt.Sprintf("call %s sent %d tokens into a window of %d", row.ID, n, b.session.WindowTokens))
		}
	}
	return out
}

// checkTurns: each recorded turn is there and, when its answers were recorded too, took as many steps.
func checkTurns(b books, rec recording, model string) []string {
	if len(b.turns) != len(rec.turns) {
		return []string{fmt.Sprintf("the session has %d turns, the recording %d", len(b.turns), len(rec.turns))}
	}
	var out []string
	for i, t := range b.turns {
		switch want := len(rec.turns[i].steps); {
		case t.State != "completed":
			out = append(out, fmt.Sprintf("turn %d ended %s: %s %s", i+1, t.State, t.ErrorClass, t.ErrorMessage))
		case model == DefaultModel && t.Steps != want:
			out = append(out, fmt.Sprintf("turn %d took %d steps, the recording %d", i+1, t.Steps, want))
		}
	}
	return out
}

// applied reports whether a pass changed the view: a truncation does so although its outcome is failed (spec 4.5).
func (p passRow) applied() bool { return p.Outcome == "completed" || p.truncated() }

func (p passRow) truncated() bool { return p.Kind == "truncation" && p.Outcome == "failed" }

// checkWatermark: among applied passes it never goes back, and each begins where the one before it ended.
func checkWatermark(passes []passRow) []string {
	var out []string
	at := int64(0)
	for _, p := range passes {
		if !p.applied() {
			if p.Outcome != "undone" && p.WatermarkAfter != p.WatermarkBefore {
				out = append(out, fmt.Sprintf("pass %s ended %s and yet moved the watermark from %d to %d", p.ID, p.Outcome, p.WatermarkBefore, p.WatermarkAfter))
			}
			continue
		}
		if p.WatermarkAfter < p.WatermarkBefore || p.WatermarkBefore != at {
			out = append(out, fmt.Sprintf("pass %s moved the watermark from %d to %d where it stood at %d", p.ID, p.WatermarkBefore, p.WatermarkAfter, at))
		}
		at = max(at, p.WatermarkAfter)
	}
	return out
}

// checkAttempts: one started and one terminal event an attempt. A pass without a boundary has no started event, and the
// notice of spec 4.4 is one extra row.
func checkAttempts(b books) []string {
	var out []string
	open, started := false, 0
	for _, e := range b.events {
		failed := e.Type == "session.compaction_failed"
		notice := failed && e.Payload.FailureMode == "budget_exhausted_forced" && e.Payload.TruncatedMessageCount == nil
		switch {
		case e.Type == "session.compaction_started":
			if open {
				out = append(out, fmt.Sprintf("event %d starts an attempt while another is open", e.EventID))
			}
			open, started = true, started+1
		case failed && e.Payload.FailureMode == "no_valid_boundary" && !open, notice && open:
		case failed, e.Type == "session.compaction_completed":
			if !open {
				out = append(out, fmt.Sprintf("event %d ends an attempt that did not start", e.EventID))
			}
			open = false
		}
	}
	if open {
		out = append(out, "the last attempt has no terminal event")
	}
	attempts := 0
	for _, p := range b.passes {
		if p.FailureMode != "no_valid_boundary" {
			attempts++
		}
	}
	if attempts != started {
		out = append(out, fmt.Sprintf("%d attempts are on record, %d were started", attempts, started))
	}
	return out
}

// checkMoney: sum of calls = sum of turns = the session's own figure, compaction's part likewise, to the last digit.
func checkMoney(b books) []string {
	var calls, compaction, turns, turnsCompaction pricing.USD
	unpriced := false
	for _, row := range b.ledger {
		if row.CostUSD == nil {
			unpriced = true
			continue
		}
		calls = calls.Add(*row.CostUSD)
		if row.Purpose == "compaction" {
			compaction = compaction.Add(*row.CostUSD)
		}
	}
	for _, t := range b.turns {
		if t.CostUSD != nil {
			turns = turns.Add(*t.CostUSD)
		}
		turnsCompaction = turnsCompaction.Add(t.CompactionCostUSD)
	}
	var session pricing.USD
	if b.session.CostUSD != nil {
		session = *b.session.CostUSD
	}
	var out []string
	differ := func(what string, a, c pricing.USD) {
		if !a.Equal(c) {
			out = append(out, fmt.Sprintf("%s: %s by calls, %s by its own figure", what, a, c))
		}
	}
	differ("session spend", calls, session)
	differ("compaction spend", compaction, b.session.CompactionCostUSD)
	differ("compaction spend of turns", compaction, turnsCompaction)
	if !unpriced { // a turn with an unpriced call shows no sum at all
		differ("spend of turns", calls, turns)
	}
	return out
}
