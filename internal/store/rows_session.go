package store

import (
	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
)

// headRow is the part of a session row that transactions change: heads of the logs, compaction state, running totals.
type headRow struct {
	ID        string `gorm:"column:id;primaryKey"`
	Owner     string `gorm:"column:owner"`
	ParentID  string `gorm:"column:parent_id"`
	Title     string `gorm:"column:title"`
	Model     string `gorm:"column:model"`
	State     string `gorm:"column:state"`
	Updated   stamp  `gorm:"column:updated_at"`
	Head      int64  `gorm:"column:stream_head"`
	NextSeq   int64  `gorm:"column:next_seq"`
	Watermark int64  `gorm:"column:watermark"`
	Version   int64  `gorm:"column:version"`

	Factor           float64   `gorm:"column:factor"`
	Turns            int       `gorm:"column:turns"`
	Passes           int       `gorm:"column:passes"`
	SummaryCacheHits int       `gorm:"column:summary_cache_hits"`
	Calls            int       `gorm:"column:calls"`
	UnpricedCalls    int       `gorm:"column:unpriced_calls"`
	Usage            usageCols `gorm:"embedded"`
	CostPico         int64     `gorm:"column:cost_pico"`
	CompactionPico   int64     `gorm:"column:compaction_pico"`
	ContextTokens    int       `gorm:"column:context_tokens"`
	WindowTokens     int       `gorm:"column:window_tokens"`
	LastCall         stamp     `gorm:"column:last_call_at"`
	PostureState     string    `gorm:"column:posture_state"`
	PostureReason    string    `gorm:"column:posture_reason"`
	Memory           jsonText  `gorm:"column:memory"`
}

func (headRow) TableName() string { return "sessions" }

// sessionRow is the whole row.
type sessionRow struct {
	H          headRow  `gorm:"embedded"`
	CWD        string   `gorm:"column:cwd"`
	Compaction jsonText `gorm:"column:compaction"`
	ForkID     string   `gorm:"column:fork_session_id"`
	ForkSeq    int64    `gorm:"column:fork_seq"`
	Disconnect string   `gorm:"column:disconnect"`
	Created    stamp    `gorm:"column:created_at"`
	System     string   `gorm:"column:system"`
	Tools      jsonText `gorm:"column:tools"`
}

func (sessionRow) TableName() string { return "sessions" }

// fromRecord makes the row of a new session: every number starts at its beginning, whatever the record says.
func fromRecord(r session.Record) (row sessionRow, err error) {
	row = sessionRow{
		H: headRow{
			ID: r.ID, Owner: r.Owner, ParentID: r.ParentID, Title: r.Title, Model: r.Model,
			State: string(session.StateIdle), Updated: toStamp(r.UpdatedAt), Factor: r.Factor,
			WindowTokens: r.WindowTokens,
		},
		CWD: r.CWD, Disconnect: string(r.Disconnect), Created: toStamp(r.CreatedAt), System: r.System,
	}
	row.H.setPosture(&r.Posture)
	if r.ForkedFrom != nil {
		row.ForkID, row.ForkSeq = r.ForkedFrom.SessionID, int64(r.ForkedFrom.Seq)
	}
	if row.H.Factor == 0 {
		row.H.Factor = 1
	}
	if row.Compaction, err = toJSON(r.Compaction); err != nil {
		return row, err
	}
	if row.H.Memory, err = toJSON(r.Memory); err != nil {
		return row, err
	}
	row.Tools, err = toJSON(r.Tools)
	return row, err
}

func (h *headRow) setPosture(p *compaction.Posture) {
	if p != nil {
		h.PostureState, h.PostureReason = string(p.State), string(p.Reason)
	}
}

func (h *headRow) setMemory(m *compaction.Memory) (err error) {
	if m != nil {
		h.Memory, err = toJSON(m)
	}
	return err
}

// toRecord reads a row back; columns that a query left out stay zero.
func (row sessionRow) toRecord(epoch event.Epoch) (session.Record, error) {
	h := row.H
	r := session.Record{
		ID: h.ID, Owner: h.Owner, Title: h.Title, Model: h.Model, State: session.State(h.State), CWD: row.CWD,
		System: row.System, ParentID: h.ParentID, Disconnect: session.Disconnect(row.Disconnect),
		CreatedAt: row.Created.time(), UpdatedAt: h.Updated.time(),
		Epoch: epoch, StreamHead: event.StreamSeq(h.Head), NextSeq: message.Seq(h.NextSeq),
		Watermark: message.Seq(h.Watermark), Version: h.Version, Factor: h.Factor,
		Turns: h.Turns, Calls: h.Calls, UnpricedCalls: h.UnpricedCalls, Passes: h.Passes,
		SummaryCacheHits: h.SummaryCacheHits, Usage: h.Usage.usage(), CostUSD: pricing.FromPico(h.CostPico),
		CompactionCostUSD: pricing.FromPico(h.CompactionPico), ContextTokens: h.ContextTokens,
		WindowTokens: h.WindowTokens, LastCallAt: h.LastCall.time(),
		Posture: compaction.Posture{
			State: compaction.PostureState(h.PostureState), Reason: compaction.Reason(h.PostureReason),
		},
	}
	if row.ForkID != "" {
		r.ForkedFrom = &session.ForkPoint{SessionID: row.ForkID, Seq: message.Seq(row.ForkSeq)}
	}
	if err := fromJSON(row.Compaction, &r.Compaction); err != nil {
		return r, err
	}
	if err := fromJSON(h.Memory, &r.Memory); err != nil {
		return r, err
	}
	return r, fromJSON(row.Tools, &r.Tools)
}
