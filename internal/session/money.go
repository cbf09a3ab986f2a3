package session

import (
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/pricing"
)

// call is one model call on its way into the ledger.
type call struct {
	id        string
	card      model.Card
	purpose   Purpose
	step      int
	attempt   int
	passID    string
	usage     message.Usage
	requestID string
	prefix    string
	outcome   string
	class     string
	latency   time.Duration
}

// Outcomes of a ledger row.
const (
	callOK        = "ok"
	callFailed    = "failed"
	callCancelled = "cancelled"
)

// ledgerRow prices a call (spec 7.4, 7.7). Its turn is the running one, else the one that started last.
func (a *actor) ledgerRow(c call) LedgerRow {
	s := a.state
	row := LedgerRow{
		ID: c.id, SessionID: s.rec.ID, ParentSessionID: s.rec.ParentID, Step: c.step, Purpose: c.purpose,
		PricingMode: "sync", Provider: c.card.Provider, Model: c.card.Name, Attempt: c.attempt, CompactionID: c.passID,
		Usage: c.usage, Estimated: c.usage.Estimated, PriceVersion: a.deps.PriceVersion, RequestID: c.requestID,
		PrefixHash: c.prefix, Outcome: c.outcome, ErrorClass: c.class, LatencyMS: c.latency.Milliseconds(),
		CreatedAt: a.deps.Now().UTC(), Owner: s.rec.Owner,
	}
	if row.ID == "" {
		row.ID = a.deps.NewID()
	}
	switch {
	case s.turn != nil:
		row.TurnID = s.turn.turn.ID
	case s.lastTurn != nil:
		row.TurnID = s.lastTurn.ID
	}
	if p := pricing.Charge(c.card, c.usage); p.Known {
		usd := p.USD
		row.CostUSD = &usd
	}
	return row
}

// spend adds committed ledger rows to the running totals of the live state, as the store did in its transaction.
func (s *state) spend(rows ...LedgerRow) {
	for _, r := range rows {
		s.rec.Calls++
		s.rec.Usage = s.rec.Usage.Add(r.Usage)
		t := s.costTurn()
		if t != nil {
			t.Usage = t.Usage.Add(r.Usage)
		}
		if r.CostUSD == nil {
			s.rec.UnpricedCalls++
			if t != nil {
				t.CostUSD = nil
				t.Unpriced = true
			}
			continue
		}
		s.rec.CostUSD = s.rec.CostUSD.Add(*r.CostUSD)
		addTurnCost(t, *r.CostUSD, r.Purpose == PurposeCompaction)
		if r.Purpose == PurposeCompaction {
			s.rec.CompactionCostUSD = s.rec.CompactionCostUSD.Add(*r.CostUSD)
		}
	}
}

// costTurn is the turn that calls belong to now (spec 7.7).
func (s *state) costTurn() *Turn {
	if s.turn != nil {
		return &s.turn.turn
	}
	return s.lastTurn
}

func addTurnCost(t *Turn, c pricing.USD, compacting bool) {
	if t == nil {
		return
	}
	if !t.Unpriced {
		sum := c
		if t.CostUSD != nil {
			sum = t.CostUSD.Add(c)
		}
		t.CostUSD = &sum
	}
	if compacting {
		t.CompactionCostUSD = t.CompactionCostUSD.Add(c)
	}
}

// passCalls turns the calls of a pass into ledger rows and adds their usage and cost to its record. Calls that used
// nothing are unused: an event tells of them, the ledger has no line (spec 7.2).
func (a *actor) passCalls(p *compaction.Pass, calls []compaction.Call) (rows, unused []LedgerRow) {
	for _, c := range calls {
		card, ok := a.deps.Cards.Lookup(c.Model)
		if !ok {
			card = model.Unknown(c.Model)
		}
		lc := call{
			card: card, purpose: PurposeCompaction, attempt: c.Attempt, passID: p.ID, usage: c.Usage,
			requestID: c.RequestID, outcome: callOK, latency: c.Latency,
		}
		if c.Err != nil {
			lc.outcome, lc.class = failedOutcome(string(c.Err.Class)), string(c.Err.Class)
		}
		row := a.ledgerRow(lc)
		if c.Usage.IsZero() {
			unused = append(unused, row)
			continue
		}
		rows = append(rows, row)
		p.Usage = p.Usage.Add(row.Usage)
		addPassCost(p, row.CostUSD)
	}
	return rows, unused
}

func addPassCost(p *compaction.Pass, c *pricing.USD) {
	if c == nil || p.CostUSD == nil {
		p.CostUSD = nil // one unpriced call makes the sum unknown
		return
	}
	sum := p.CostUSD.Add(*c)
	p.CostUSD = &sum
}

func failedOutcome(class string) string {
	if class == "cancelled" {
		return callCancelled
	}
	return callFailed
}
