package store

import (
	"encoding/json"

	"tidemark/internal/event"
	"tidemark/internal/session"
)

// streamRow is one row of what a session's clients are shown.
type streamRow struct {
	SessionID string   `gorm:"column:session_id;primaryKey"`
	Seq       int64    `gorm:"column:seq;primaryKey;autoIncrement:false"`
	Kind      string   `gorm:"column:kind"`
	TurnID    string   `gorm:"column:turn_id"`
	TS        stamp    `gorm:"column:ts"`
	Payload   jsonText `gorm:"column:payload"`
}

func (streamRow) TableName() string { return "stream" }

func fromStream(r event.StreamRow) streamRow {
	return streamRow{r.SessionID, int64(r.Seq), string(r.Kind), r.TurnID, toStamp(r.At), jsonText(r.Payload)}
}

func (r streamRow) toStream(epoch event.Epoch) event.StreamRow {
	return event.StreamRow{
		SessionID: r.SessionID, Seq: event.StreamSeq(r.Seq), Epoch: epoch, Kind: event.StreamKind(r.Kind),
		TurnID: r.TurnID, At: r.TS.time(), Payload: json.RawMessage(r.Payload),
	}
}

// eventRow is one catalog event.
type eventRow struct {
	ID          int64    `gorm:"column:event_id;primaryKey"`
	Type        string   `gorm:"column:type"`
	Sensitivity string   `gorm:"column:sensitivity"`
	SessionID   string   `gorm:"column:session_id"`
	Owner       string   `gorm:"column:owner"`
	TS          stamp    `gorm:"column:ts"`
	Payload     jsonText `gorm:"column:payload"`
}

func (eventRow) TableName() string { return "events" }

func fromEvent(e event.Event) eventRow {
	return eventRow{
		int64(e.ID), string(e.Type), string(e.Sensitivity), e.SessionID, e.Owner, toStamp(e.TS), jsonText(e.Payload),
	}
}

func (r eventRow) toEvent(epoch event.Epoch) event.Event {
	return event.Event{
		ID: event.ID(r.ID), Epoch: epoch, Type: event.Kind(r.Type), Sensitivity: event.Sensitivity(r.Sensitivity),
		TS: r.TS.time(), Payload: json.RawMessage(r.Payload), SessionID: r.SessionID, Owner: r.Owner,
	}
}

// ledgerRow is one model call (spec 7.7).
type ledgerRow struct {
	N            int64     `gorm:"column:n;primaryKey"`
	ID           string    `gorm:"column:id"`
	SessionID    string    `gorm:"column:session_id"`
	ParentID     string    `gorm:"column:parent_session_id"`
	Owner        string    `gorm:"column:owner"`
	TurnID       string    `gorm:"column:turn_id"`
	Step         int       `gorm:"column:step"`
	Purpose      string    `gorm:"column:purpose"`
	PricingMode  *string   `gorm:"column:pricing_mode"`
	Provider     string    `gorm:"column:provider"`
	Model        string    `gorm:"column:model"`
	Attempt      int       `gorm:"column:attempt"`
	CompactionID string    `gorm:"column:compaction_id"`
	Usage        usageCols `gorm:"embedded"`
	CostPico     *int64    `gorm:"column:cost_pico"`
	PriceVersion string    `gorm:"column:price_version"`
	RequestID    string    `gorm:"column:request_id"`
	PrefixHash   string    `gorm:"column:prefix_hash"`
	CacheBreak   string    `gorm:"column:cache_break"`
	Outcome      string    `gorm:"column:outcome"`
	ErrorClass   string    `gorm:"column:error_class"`
	LatencyMS    int64     `gorm:"column:latency_ms"`
	Created      stamp     `gorm:"column:created_at"`
}

func (ledgerRow) TableName() string { return "ledger" }

// pricingSync is what a row without a pricing mode means (spec 7.7).
const pricingSync = "sync"

func fromLedger(r session.LedgerRow) (ledgerRow, error) {
	u := fromUsage(r.Usage)
	u.Estimated = r.Estimated || r.Usage.Estimated
	row := ledgerRow{
		ID: r.ID, SessionID: r.SessionID, ParentID: r.ParentSessionID, Owner: r.Owner, TurnID: r.TurnID, Step: r.Step,
		Purpose: string(r.Purpose), Provider: r.Provider, Model: r.Model, Attempt: r.Attempt,
		CompactionID: r.CompactionID, Usage: u, PriceVersion: r.PriceVersion, RequestID: r.RequestID,
		PrefixHash: r.PrefixHash, CacheBreak: r.CacheBreak, Outcome: r.Outcome, ErrorClass: r.ErrorClass,
		LatencyMS: r.LatencyMS, Created: toStamp(r.CreatedAt),
	}
	if r.PricingMode != "" {
		row.PricingMode = &r.PricingMode
	}
	var err error
	row.CostPico, err = toPico(r.CostUSD)
	return row, err
}

func (r ledgerRow) toLedger() session.LedgerRow {
	l := session.LedgerRow{
		ID: r.ID, SessionID: r.SessionID, ParentSessionID: r.ParentID, Owner: r.Owner, TurnID: r.TurnID, Step: r.Step,
		Purpose: session.Purpose(r.Purpose), PricingMode: pricingSync, Provider: r.Provider, Model: r.Model,
		Attempt: r.Attempt, CompactionID: r.CompactionID, Usage: r.Usage.usage(), Estimated: r.Usage.Estimated,
		CostUSD: fromPico(r.CostPico), PriceVersion: r.PriceVersion, RequestID: r.RequestID, PrefixHash: r.PrefixHash,
		CacheBreak: r.CacheBreak, Outcome: r.Outcome, ErrorClass: r.ErrorClass, LatencyMS: r.LatencyMS,
		CreatedAt: r.Created.time(),
	}
	if r.PricingMode != nil {
		l.PricingMode = *r.PricingMode
	}
	return l
}
