// Package model says what each model is: window, output limit, minimum cacheable prefix, estimator, prices. One
// versioned table (spec 7.1, 7.4); nothing else in the program knows a model by name.
package model

import (
	"strings"

	"github.com/shopspring/decimal"
)

// Estimator names how tokens of a request are counted before the provider has (spec 4.2).
type Estimator string

// Estimators.
const (
	EstimatorFallback Estimator = "bytes/3"
	EstimatorScaled   Estimator = "bytes/3*session" // fallback times the session's measured factor
	EstimatorLocal    Estimator = "tokenizer"
)

// Card is one model (spec 7.1).
type Card struct {
	Name      string // "provider:model"
	Provider  string
	Window    int // tokens; 0 = unknown
	MaxOutput int
	// MinCachePrefix is the smallest prefix the provider caches, in tokens; 0 = no prompt cache.
	MinCachePrefix int
	Estimator      Estimator
	Small          string // the model that summarizes for it (spec 2.3 compaction.model); "" = itself
	Simulated      bool
	Rates          *Rates // nil = price unknown
}

// WithWindow returns the card with another window, as `tidemark replay --window N` asks for (spec 7.6).
func (c Card) WithWindow(n int) Card {
	c.Window = n
	return c
}

// WireName is the model's name on its provider's wire: the part after the first colon.
func (c Card) WireName() string {
	_, wire, _ := strings.Cut(c.Name, ":")
	return wire
}

// Summarizer names the model that summarizes for this one: Small, or the model itself (spec 2.3 compaction.model).
func (c Card) Summarizer() string {
	if c.Small == "" {
		return c.Name
	}
	return c.Small
}

// Rates are USD per million tokens, one per usage bucket, exact decimals. Batch is nil when there is no batch price.
type Rates struct {
	Input, Output, CacheRead, CacheWrite5m, CacheWrite1h decimal.Decimal
	// Missing are buckets the provider quotes no price for. Tokens in one make the call unpriced, never free: a bucket
	// that silently costs nothing hides real spend (case D6 #52).
	Missing Buckets
	Batch   *Rates
}

// Free reports whether every quoted rate is zero: a model that costs nothing, unlike one whose price is unknown
// (spec 7.4).
func (r *Rates) Free() bool {
	return r != nil && r.Missing == 0 && r.Input.IsZero() && r.Output.IsZero() &&
		r.CacheRead.IsZero() && r.CacheWrite5m.IsZero() && r.CacheWrite1h.IsZero()
}
