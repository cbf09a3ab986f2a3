package compaction

import "tidemark/internal/message"

// Memory is what the planner must remember of earlier attempts; it is stored with the session, so that a restart
// decides as the live session would have (spec 4.3, 4.5, 4.11, 6.7). Its token counts are unscaled.
type Memory struct {
	// FailStreak counts soft failures in a row; after three the planner waits five turns (spec 4.5). FailTurn is the
	// session's turn count at the newest of them.
	FailStreak int `json:"fail_streak,omitempty"`
	FailTurn   int `json:"fail_turn,omitempty"`
	// FutileStreak counts passes in a row that freed too little; FutilePending is what was pending at the newest, less
	// what a truncation has dropped since (spec 4.11).
	FutileStreak  int `json:"futile_streak,omitempty"`
	FutilePending int `json:"futile_pending,omitempty"`
	// NoBoundary is where no valid boundary was reported last, so that it is said once until something moves.
	NoBoundary *Stuck `json:"no_boundary,omitempty"`
	// Undone keeps automatic passes off a span that was given back (spec 6.7).
	Undone *UndoGuard `json:"undone,omitempty"`
	// Unreachable is set once the configuration error of spec 4.11 was said.
	Unreachable bool `json:"unreachable,omitempty"`
	// Link is set while a summary link is broken (spec 6.8).
	Link Reason `json:"link,omitempty"`
}

// Stuck is the place of a no_valid_boundary report.
type Stuck struct {
	Watermark message.Seq `json:"watermark"`
	TailStart message.Seq `json:"tail_start"`
}

// UndoGuard is a span that an undo gave back and what was pending then.
type UndoGuard struct {
	Span    message.Span `json:"span"`
	Pending int          `json:"pending"`
}

// retryTurn is the first turn that may try again after soft failures: the next one, after three in a row five later
// (spec 4.5).
func (m Memory) retryTurn() int {
	switch {
	case m.FailStreak == 0:
		return 0
	case m.FailStreak < FailuresBeforeWait:
		return m.FailTurn + 1
	}
	return m.FailTurn + 1 + TurnsToWait
}

// Applied is what is remembered after a pass took: streaks end, and an undo's guard is spent once its span is covered
// again. Folds, repairs and elisions cover nothing new.
func (m Memory) Applied(p Pass) Memory {
	switch {
	case p.Trigger == TriggerRepair:
		m.Link = ""
		return m
	case p.Trigger == TriggerFold || p.Kind == KindElision:
		return m
	}
	m.FailStreak, m.FailTurn, m.FutileStreak, m.FutilePending, m.NoBoundary = 0, 0, 0, 0, nil
	if m.Undone != nil && p.SpanEnd > m.Undone.Span.Start {
		m.Undone = nil
	}
	return m
}

// Failed is what is remembered after a pass that brought no summary, planned as w in the given turn of the session:
// futile ones and soft failures make streaks, a failure at the cap waits for nobody (requirements A9.7). A truncation
// only takes what it dropped off what was pending, for the history grows all the same.
func (m Memory) Failed(p Pass, w Plan, turn int) Memory {
	switch {
	case p.Outcome == OutcomeCancelled || p.Trigger == TriggerFold || p.Trigger == TriggerRepair:
	case p.Futile:
		m.FutileStreak++
		m.FutilePending = w.PendingRaw
	case !w.Forced && p.Trigger != TriggerManual:
		m.FailStreak++
		m.FailTurn = turn
	}
	if p.Kind == KindTruncation && m.FutileStreak > 0 {
		m.FutilePending -= p.SpanTokenCountIn
	}
	return m
}

// TookBack is what is remembered after an undo of a pass that moved the watermark; w is what was pending before it
// (spec 6.7).
func (m Memory) TookBack(p Pass, w Plan) Memory {
	m.Undone = &UndoGuard{Span: p.Span(), Pending: w.PendingRaw + p.SpanTokenCountIn}
	return m
}
