package session

import (
	"encoding/json"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// teller builds what a commit tells, for one session at one moment.
type teller struct {
	s   *state
	now time.Time
	out Out
}

func (a *actor) tell() *teller { return &teller{s: a.state, now: a.deps.Now()} }

func (t *teller) turnID() string {
	switch {
	case t.s.turn != nil:
		return t.s.turn.turn.ID
	case t.s.lastTurn != nil:
		return t.s.lastTurn.ID
	}
	return ""
}

// row adds a stream row of the running turn; outside a turn it belongs to none.
func (t *teller) row(kind event.StreamKind, payload any) *teller {
	turn := ""
	if t.s.turn != nil {
		turn = t.s.turn.turn.ID
	}
	t.out.Stream = append(t.out.Stream, event.NewStreamRow(t.s.rec.ID, turn, kind, t.now, payload))
	return t
}

// event adds a catalog event.
func (t *teller) event(kind event.Kind, payload any) *teller {
	t.out.Events = append(t.out.Events, event.New(kind, t.s.rec.ID, t.s.rec.Owner, t.now, payload))
	return t
}

// gauge adds the context gauge and, when it changed, the posture.
func (t *teller) gauge(posture *compaction.Posture) *teller {
	return t.row(event.StreamUsage, t.s.gauge(posture))
}

func (s *state) gauge(posture *compaction.Posture) event.Gauge {
	g := event.Gauge{Used: s.used(), Window: s.card.Window, CostUSD: s.rec.ExactCost(), Estimated: s.estimated}
	if posture != nil {
		g.Posture = &event.Posture{State: string(posture.State), Reason: string(posture.Reason)}
	}
	return g
}

// posture sets the session's posture; it returns nil when that is no change, so that only changes are told.
func (t *teller) posture(state compaction.PostureState, reason compaction.Reason) *compaction.Posture {
	p := compaction.Posture{State: state, Reason: reason}
	if t.s.rec.Posture == p {
		return nil
	}
	t.s.rec.Posture = p
	t.out.Posture = &p
	t.event(event.PostureChanged, event.PostureChangedPayload{
		SessionID: t.s.rec.ID, State: string(state), Reason: string(reason), Version: t.s.rec.Version,
	})
	return &p
}

// shownStatus is how a pass that has ended is shown; an undone one stays completed on the wire, its record says undone.
func shownStatus(p compaction.Pass) string {
	if p.Outcome == compaction.OutcomeUndone {
		return string(compaction.OutcomeCompleted)
	}
	return string(p.Outcome)
}

// compaction adds the row that shows a pass as it stands.
func (t *teller) compaction(p compaction.Pass, status string, summary *string) *teller {
	return t.row(event.StreamCompaction, event.Compaction{
		CompactionID: p.ID, Status: status, Summary: summary, Record: mustJSON(p),
	})
}

func (t *teller) compactionStarted(p compaction.Pass, forced bool) *teller {
	limit := "threshold"
	if forced {
		limit = "hard_cap"
	}
	return t.event(event.CompactionStarted, event.CompactionStartedPayload{
		SessionID: p.SessionID, TurnID: p.TurnID, WatermarkBefore: int64(p.WatermarkBefore),
		SpanMessageCount: p.SpanMessageCount, SpanTokenCountIn: p.SpanTokenCountIn, ThresholdOrHardCap: limit,
	})
}

func (t *teller) compactionCompleted(p compaction.Pass) *teller {
	return t.event(event.CompactionDone, event.CompactionCompletedPayload{
		SessionID: p.SessionID, TurnID: p.TurnID, WatermarkBefore: int64(p.WatermarkBefore),
		WatermarkAfter: int64(p.WatermarkAfter), SpanMessageCount: p.SpanMessageCount,
		SpanTokenCountIn: p.SpanTokenCountIn, SpanTokenCountOut: p.SpanTokenCountOut, CacheHit: p.CacheHit,
		CacheKey: p.CacheKey, CostUSD: costString(p.CostUSD), LatencyMS: p.LatencyMS,
	})
}

// compactionFailed is the failed event of an attempt; mode may differ from the record's for the notice of spec 4.4.
func (t *teller) compactionFailed(p compaction.Pass, mode compaction.FailureMode) *teller {
	pl := event.CompactionFailedPayload{
		SessionID: p.SessionID, TurnID: p.TurnID, WatermarkBefore: int64(p.WatermarkBefore),
		SpanMessageCount: p.SpanMessageCount, FailureMode: string(mode),
	}
	if mode == compaction.FailAdapterError {
		pl.ErrorClass, pl.ErrorMessage = p.ErrorClass, p.ErrorMessage
	}
	if p.TruncatedMessageCount > 0 {
		pl.TruncatedMessageCount = &p.TruncatedMessageCount
	}
	return t.event(event.CompactionFailed, pl)
}

// costString is the cost in an event of a compaction: "0" where there is none (spec section 8).
func costString(c *pricing.USD) string {
	if c == nil {
		return "0"
	}
	return c.String()
}

// costOrNull is the cost in every other event: null = unpriced (spec 7.4).
func costOrNull(c *pricing.USD) *string {
	if c == nil {
		return nil
	}
	s := c.String()
	return &s
}

// calls tells how the calls of a pass ended (spec section 8); their prompts and answers are nobody's to read.
func (t *teller) calls(rows []LedgerRow) *teller {
	for _, r := range rows {
		kind := event.CallCompleted
		if r.Outcome != callOK {
			kind = event.CallFailed
		}
		t.event(kind, callPayload(r, ""))
	}
	return t
}

// budgetReached tells, once, that the session's compaction budget is used up.
func (t *teller) budgetReached() *teller {
	s := t.s
	if s.budgetTold || s.rec.Posture.Reason == compaction.ReasonBudgetExhausted {
		return t
	}
	s.budgetTold = true
	return t.event(event.BudgetReached, event.BudgetReachedPayload{
		SessionID: s.rec.ID, Budget: "compaction_session", LimitUSD: s.rec.Compaction.MaxCostPerSessionUSD.String(),
		SpentUSD: s.rec.CompactionCostUSD.String(),
	})
}

// callPayload is the payload of an llm.call event.
func callPayload(r LedgerRow, message string) event.CallPayload {
	return event.CallPayload{
		SessionID: r.SessionID, TurnID: r.TurnID, CallID: r.ID, Purpose: string(r.Purpose), Model: r.Model, Step: r.Step,
		Attempt: r.Attempt, CompactionID: r.CompactionID, Input: r.Usage.Input, CacheRead: r.Usage.CacheRead,
		CacheWrite5m: r.Usage.CacheWrite5m, CacheWrite1h: r.Usage.CacheWrite1h, Output: r.Usage.Output,
		CostUSD: costOrNull(r.CostUSD), LatencyMS: r.LatencyMS, ErrorClass: r.ErrorClass, ErrorMessage: message,
	}
}

func toolContent(b message.Blocks) json.RawMessage { return mustJSON(b) }
