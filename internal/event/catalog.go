package event

import (
	"encoding/json"
	"time"
)

// Kind is the type of a catalog event.
type Kind string

// The catalog (spec section 8).
const (
	SessionCreated    Kind = "session.created"
	SessionForked     Kind = "session.forked"
	SessionClosed     Kind = "session.closed"
	SessionDeleted    Kind = "session.deleted"
	MemoryUpdated     Kind = "memory.updated"
	TurnStarted       Kind = "turn.started"
	TurnCompleted     Kind = "turn.completed"
	TurnCancelled     Kind = "turn.cancelled"
	TurnFailed        Kind = "turn.failed"
	CallStarted       Kind = "llm.call_started"
	CallCompleted     Kind = "llm.call_completed"
	CallFailed        Kind = "llm.call_failed"
	ToolStarted       Kind = "tool.started"
	ToolCompleted     Kind = "tool.completed"
	ToolFailed        Kind = "tool.failed"
	CompactionStarted Kind = "session.compaction_started"
	CompactionDone    Kind = "session.compaction_completed"
	CompactionFailed  Kind = "session.compaction_failed"
	SummarySwapped    Kind = "session.summary_swapped"
	CompactionUndone  Kind = "session.compaction_undone"
	PostureChanged    Kind = "session.posture_changed"
	BudgetReached     Kind = "budget.reached"
	EvalCompleted     Kind = "eval.completed"
	EvalFailed        Kind = "eval.failed"
)

// Sensitivity of a catalog event's payload.
type Sensitivity string

// Sensitivities. Payloads never hold transcript text; PSEUDONYMOUS ones name sessions and turns by opaque id.
const (
	Public       Sensitivity = "PUBLIC"
	Pseudonymous Sensitivity = "PSEUDONYMOUS"
	Private      Sensitivity = "PRIVATE"
)

// Class says what a log owes its readers.
type Class int

// Durable events are stored and replayable and must arrive or the link closes; ephemeral ones may be dropped.
const (
	Durable Class = iota
	Ephemeral
)

// Spec describes one type of the catalog. Audit events outlive the retention sweep.
type Spec struct {
	Kind        Kind
	Sensitivity Sensitivity
	Class       Class
	Audit       bool
	New         func() any // a pointer to an empty payload, to decode into
}

// Catalog is the one table of all types; a test walks it.
var Catalog = []Spec{
	{SessionCreated, Pseudonymous, Durable, true, func() any { return new(SessionCreatedPayload) }},
	{SessionForked, Pseudonymous, Durable, true, func() any { return new(SessionForkedPayload) }},
	{SessionClosed, Pseudonymous, Durable, true, func() any { return new(SessionEndPayload) }},
	{SessionDeleted, Pseudonymous, Durable, true, func() any { return new(SessionEndPayload) }},
	{MemoryUpdated, Pseudonymous, Durable, true, func() any { return new(MemoryUpdatedPayload) }},
	{TurnStarted, Pseudonymous, Durable, false, func() any { return new(TurnStartedPayload) }},
	{TurnCompleted, Pseudonymous, Durable, false, func() any { return new(TurnEndPayload) }},
	{TurnCancelled, Pseudonymous, Durable, false, func() any { return new(TurnEndPayload) }},
	{TurnFailed, Pseudonymous, Durable, false, func() any { return new(TurnEndPayload) }},
	{CallStarted, Pseudonymous, Durable, false, func() any { return new(CallPayload) }},
	{CallCompleted, Pseudonymous, Durable, false, func() any { return new(CallPayload) }},
	{CallFailed, Pseudonymous, Durable, false, func() any { return new(CallPayload) }},
	{ToolStarted, Pseudonymous, Durable, false, func() any { return new(ToolPayload) }},
	{ToolCompleted, Pseudonymous, Durable, false, func() any { return new(ToolPayload) }},
	{ToolFailed, Pseudonymous, Durable, false, func() any { return new(ToolPayload) }},
	{CompactionStarted, Pseudonymous, Durable, false, func() any { return new(CompactionStartedPayload) }},
	{CompactionDone, Pseudonymous, Durable, false, func() any { return new(CompactionCompletedPayload) }},
	{CompactionFailed, Pseudonymous, Durable, false, func() any { return new(CompactionFailedPayload) }},
	{SummarySwapped, Pseudonymous, Durable, false, func() any { return new(SummarySwappedPayload) }},
	{CompactionUndone, Pseudonymous, Durable, false, func() any { return new(CompactionUndonePayload) }},
	{PostureChanged, Pseudonymous, Durable, false, func() any { return new(PostureChangedPayload) }},
	{BudgetReached, Pseudonymous, Durable, false, func() any { return new(BudgetReachedPayload) }},
	{EvalCompleted, Pseudonymous, Durable, false, func() any { return new(EvalPayload) }},
	{EvalFailed, Pseudonymous, Durable, false, func() any { return new(EvalPayload) }},
}

// Lookup finds a type in the catalog.
func Lookup(k Kind) (Spec, bool) {
	for _, s := range Catalog {
		if s.Kind == k {
			return s, true
		}
	}
	return Spec{}, false
}

// Event is one catalog event. ID and Epoch are given by the store.
type Event struct {
	ID          ID              `json:"event_id"`
	Epoch       Epoch           `json:"epoch"`
	Type        Kind            `json:"type"`
	Sensitivity Sensitivity     `json:"sensitivity"`
	TS          time.Time       `json:"ts"`
	Payload     json.RawMessage `json:"payload"`

	// SessionID and Owner route the event (who may see it); they are columns, not part of the wire form.
	SessionID string `json:"-"`
	Owner     string `json:"-"`
}

// New makes an event of a catalog type; it panics on a type outside the catalog, which is a programming error.
func New(k Kind, sessionID, owner string, at time.Time, payload any) Event {
	s, ok := Lookup(k)
	if !ok {
		panic("event type " + string(k) + " is not in the catalog")
	}
	return Event{Type: k, Sensitivity: s.Sensitivity, TS: at.UTC(), Payload: mustJSON(payload), SessionID: sessionID, Owner: owner}
}
