package compaction

import (
	"context"
	"time"

	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/provider"
)

// Cache is the persistent store of summaries by key (spec section 5); not the provider's prompt cache. A cache that
// cannot be used answers a miss; it never fails a turn.
type Cache interface {
	// Read returns the text of a key and counts the use; ok is false on a miss.
	Read(ctx context.Context, key string) (row CacheRow, ok bool)
	// Write stores a text that passed the checks of its mode and evicts down to the bound.
	Write(ctx context.Context, row CacheRow)
}

// CacheRow is one row of the summary cache (spec 5.2).
type CacheRow struct {
	Key               string
	Text              string
	Model             string
	PromptVersion     string
	SpanMessageCount  int
	SpanTokenCountIn  int
	SpanTokenCountOut int
	CreatedAt, ReadAt time.Time
	UseCount          int
}

// Job is one semantic summary to get: from the cache, or by a call.
type Job struct {
	SessionID     string
	Rows          []message.Message // the span, verbatim (spec 4.6)
	Parents       []string          // folds: raw texts of the parents instead of Rows
	Facts         []Fact            // facts the text must keep (two_phase)
	Focus         string            // manual passes: neither reads nor writes the cache
	Model         string            // provider:model
	MaxTokens     int
	PromptVersion string // effective version, with its +two.N or +fold.N suffix (spec 5.1)
	Timeout       time.Duration
	SpanTokens    int
	NoCache       bool // repairs
}

// Text is what a job brought.
type Text struct {
	Text      string
	TokensOut int // fallback estimate of the text
	Stop      provider.StopReason
	CacheKey  string
	CacheHit  bool
	Calls     []Call // one per model call attempt, for the ledger; none on a hit
	Latency   time.Duration
}

// Call is one model call attempt as the ledger needs it.
type Call struct {
	Model     string
	Attempt   int
	Usage     message.Usage
	CostUSD   *pricing.USD // nil = unpriced
	Latency   time.Duration
	RequestID string
	Err       *provider.Error // nil = it answered
	StartedAt time.Time
}
