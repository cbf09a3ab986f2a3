package store

import (
	"fmt"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// passRow is one attempt: what queries need as columns, and the record.
type passRow struct {
	N               int64    `gorm:"column:n;primaryKey"`
	ID              string   `gorm:"column:id"`
	SessionID       string   `gorm:"column:session_id"`
	TurnID          string   `gorm:"column:turn_id"`
	Trigger         string   `gorm:"column:trigger"`
	Kind            string   `gorm:"column:kind"`
	Outcome         string   `gorm:"column:outcome"`
	Version         int64    `gorm:"column:version"`
	SpanStart       int64    `gorm:"column:span_start"`
	SpanEnd         int64    `gorm:"column:span_end"`
	WatermarkBefore int64    `gorm:"column:watermark_before"`
	WatermarkAfter  int64    `gorm:"column:watermark_after"`
	TokensIn        int      `gorm:"column:tokens_in"`
	TokensOut       int      `gorm:"column:tokens_out"`
	CacheHit        bool     `gorm:"column:cache_hit"`
	Candidate       string   `gorm:"column:candidate"`
	FoldedInto      string   `gorm:"column:folded_into"`
	Created         stamp    `gorm:"column:created_at"`
	Record          jsonText `gorm:"column:record"`
}

func (passRow) TableName() string { return "compactions" }

func fromPass(p compaction.Pass) (row passRow, err error) {
	p.CreatedAt = p.CreatedAt.UTC()
	row = passRow{
		ID: p.ID, SessionID: p.SessionID, TurnID: p.TurnID, Trigger: string(p.Trigger), Kind: string(p.Kind),
		Outcome: string(p.Outcome), Version: p.Version, SpanStart: int64(p.SpanStart), SpanEnd: int64(p.SpanEnd),
		WatermarkBefore: int64(p.WatermarkBefore), WatermarkAfter: int64(p.WatermarkAfter),
		TokensIn: p.SpanTokenCountIn, TokensOut: p.SpanTokenCountOut, CacheHit: p.CacheHit, FoldedInto: p.FoldedInto,
		Created: toStamp(p.CreatedAt),
	}
	if p.Candidate != nil {
		row.Candidate = string(p.Candidate.State)
	}
	row.Record, err = toJSON(p)
	return row, err
}

// toPass reads the record; version and folded_into are columns, because later passes set them.
func (r passRow) toPass() (p compaction.Pass, err error) {
	if err := fromJSON(r.Record, &p); err != nil {
		return p, fmt.Errorf("record of compaction %s: %w", r.ID, err)
	}
	p.Version, p.FoldedInto = r.Version, r.FoldedInto
	return p, nil
}

// summaryRow is the text that stands for a span.
type summaryRow struct {
	ID         string   `gorm:"column:id;primaryKey"`
	SessionID  string   `gorm:"column:session_id"`
	SpanStart  int64    `gorm:"column:span_start"`
	SpanEnd    int64    `gorm:"column:span_end"`
	Kind       string   `gorm:"column:kind"`
	Model      string   `gorm:"column:model"`
	Text       string   `gorm:"column:text"`
	Hash       string   `gorm:"column:hash"`
	CacheKey   string   `gorm:"column:cache_key"`
	Request    jsonText `gorm:"column:request"`
	RequestSeq int64    `gorm:"column:request_seq"`
	Digest     jsonText `gorm:"column:digest"`
	InView     bool     `gorm:"column:in_view"`
	Created    stamp    `gorm:"column:created_at"`
}

func (summaryRow) TableName() string { return "summaries" }

func fromSummary(sessionID string, s compaction.Summary) (row summaryRow, err error) {
	row = summaryRow{
		ID: s.ID, SessionID: sessionID, SpanStart: int64(s.Span.Start), SpanEnd: int64(s.Span.End), Kind: string(s.Kind),
		Model: s.Model, Text: s.Text, Hash: s.Hash, CacheKey: s.CacheKey, RequestSeq: int64(s.RequestSeq), InView: true,
	}
	if s.Request != nil {
		if row.Request, err = toJSON(s.Request); err != nil {
			return row, err
		}
	}
	row.Digest, err = toJSON(s.Digest)
	return row, err
}

func (r summaryRow) toSummary() (compaction.Summary, error) {
	s := compaction.Summary{
		ID: r.ID, Span: message.Span{Start: message.Seq(r.SpanStart), End: message.Seq(r.SpanEnd)},
		Kind: compaction.Kind(r.Kind), Model: r.Model, Text: r.Text, Hash: r.Hash, CacheKey: r.CacheKey,
		RequestSeq: message.Seq(r.RequestSeq),
	}
	if err := fromJSON(r.Request, &s.Request); err != nil {
		return s, fmt.Errorf("request of summary %s: %w", r.ID, err)
	}
	if err := fromJSON(r.Digest, &s.Digest); err != nil {
		return s, fmt.Errorf("digest of summary %s: %w", r.ID, err)
	}
	return s, nil
}
