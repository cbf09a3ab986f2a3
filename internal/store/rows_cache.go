package store

import (
	"time"

	"tidemark/internal/compaction"
)

// cacheRow is the table of spec 5.2, to the letter.
type cacheRow struct {
	Key               string `gorm:"column:cache_key;type:TEXT;primaryKey"`
	Text              string `gorm:"column:summary_text;type:TEXT;not null"`
	Model             string `gorm:"column:summarization_model;type:TEXT;not null"`
	PromptVersion     string `gorm:"column:summarization_prompt_version;type:TEXT;not null"`
	SpanMessageCount  int    `gorm:"column:span_message_count;type:INTEGER;not null"`
	SpanTokenCountIn  int    `gorm:"column:span_token_count_in;type:INTEGER;not null"`
	SpanTokenCountOut int    `gorm:"column:span_token_count_out;type:INTEGER;not null"`
	CreatedMS         int64  `gorm:"column:created_at_ms;type:INTEGER;not null"`
	ReadMS            int64  `gorm:"column:last_read_at_ms;type:INTEGER;not null;index:idx_compaction_cache_last_read"`
	UseCount          int    `gorm:"column:use_count;type:INTEGER;not null;default:1"`
}

func (cacheRow) TableName() string { return "compaction_cache" }

// cachePayload are the columns that a write on a known key replaces.
var cachePayload = []string{
	"summary_text", "summarization_model", "summarization_prompt_version", "span_message_count", "span_token_count_in",
	"span_token_count_out", "last_read_at_ms",
}

func fromCache(r compaction.CacheRow, now time.Time) cacheRow {
	ms := now.UnixMilli()
	return cacheRow{
		r.Key, r.Text, r.Model, r.PromptVersion, r.SpanMessageCount, r.SpanTokenCountIn, r.SpanTokenCountOut, ms, ms, 1,
	}
}

func (r cacheRow) toCache() compaction.CacheRow {
	return compaction.CacheRow{
		Key: r.Key, Text: r.Text, Model: r.Model, PromptVersion: r.PromptVersion, SpanMessageCount: r.SpanMessageCount,
		SpanTokenCountIn: r.SpanTokenCountIn, SpanTokenCountOut: r.SpanTokenCountOut,
		CreatedAt: time.UnixMilli(r.CreatedMS).UTC(), ReadAt: time.UnixMilli(r.ReadMS).UTC(), UseCount: r.UseCount,
	}
}
