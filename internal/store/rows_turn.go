package store

import (
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
)

// turnRow is a turn with its running totals.
type turnRow struct {
	ID             string    `gorm:"column:id;primaryKey"`
	SessionID      string    `gorm:"column:session_id"`
	OpenSeq        int64     `gorm:"column:open_seq"`
	State          string    `gorm:"column:state"`
	StopReason     string    `gorm:"column:stop_reason"`
	Steps          int       `gorm:"column:steps"`
	Calls          int       `gorm:"column:calls"`
	UnpricedCalls  int       `gorm:"column:unpriced_calls"`
	Usage          usageCols `gorm:"embedded"`
	CostPico       int64     `gorm:"column:cost_pico"`
	CompactionPico int64     `gorm:"column:compaction_pico"`
	Started        stamp     `gorm:"column:started_at"`
	Ended          *stamp    `gorm:"column:ended_at"`
	Key            string    `gorm:"column:idem_key"`
	BodyHash       string    `gorm:"column:body_hash"`
	ErrorCode      string    `gorm:"column:error_code"`
	ErrorClass     string    `gorm:"column:error_class"`
	ErrorMessage   string    `gorm:"column:error_message"`
}

func (turnRow) TableName() string { return "turns" }

// fromTurn makes the row of a turn that begins: its totals are zero.
func fromTurn(t session.Turn) turnRow {
	return turnRow{
		ID: t.ID, SessionID: t.SessionID, OpenSeq: int64(t.OpenSeq), State: string(session.TurnRunning),
		Started: toStamp(t.StartedAt), Key: t.Key, BodyHash: t.BodyHash,
	}
}

func (r turnRow) toTurn() session.Turn {
	return session.Turn{
		ID: r.ID, SessionID: r.SessionID, State: session.TurnState(r.State), StopReason: r.StopReason, Steps: r.Steps,
		Usage: r.Usage.usage(), CostUSD: priced(r.CostPico, r.UnpricedCalls),
		CompactionCostUSD: pricing.FromPico(r.CompactionPico), StartedAt: r.Started.time(), EndedAt: r.Ended.timePtr(),
		OpenSeq: message.Seq(r.OpenSeq), Key: r.Key, BodyHash: r.BodyHash, ErrorCode: r.ErrorCode,
		ErrorClass: r.ErrorClass, ErrorMessage: r.ErrorMessage, Unpriced: r.UnpricedCalls > 0,
	}
}

// idempotencyRow claims a key for a turn (protocol, "Busy, retry, idempotency").
type idempotencyRow struct {
	SessionID string `gorm:"column:session_id;primaryKey"`
	Key       string `gorm:"column:key;primaryKey"`
	TurnID    string `gorm:"column:turn_id"`
	BodyHash  string `gorm:"column:body_hash"`
	Created   stamp  `gorm:"column:created_at"`
}

func (idempotencyRow) TableName() string { return "idempotency" }
