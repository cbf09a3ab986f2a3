package model

import (
	"github.com/shopspring/decimal"

	"tidemark/internal/message"
)

// Buckets is a set of usage buckets (spec 7.3).
type Buckets uint8

// The buckets that have a price of their own. Reasoning is part of Output.
const (
	BucketInput Buckets = 1 << iota
	BucketOutput
	BucketCacheRead
	BucketCacheWrite5m
	BucketCacheWrite1h
)

// AllBuckets lists them in the order of message.Usage's JSON.
var AllBuckets = [...]Buckets{BucketInput, BucketCacheRead, BucketCacheWrite5m, BucketCacheWrite1h, BucketOutput}

// Has reports whether the set holds b.
func (s Buckets) Has(b Buckets) bool { return s&b != 0 }

// String names a single bucket as message.Usage's JSON does, and a set by its members joined by a comma.
func (s Buckets) String() string {
	names := [...]string{"input", "cache_read", "cache_write_5m", "cache_write_1h", "output"}
	out := ""
	for i, b := range AllBuckets {
		if !s.Has(b) {
			continue
		}
		if out != "" {
			out += ","
		}
		out += names[i]
	}
	return out
}

// Tokens is what the usage holds in the single bucket b.
func (s Buckets) Tokens(u message.Usage) int {
	switch s {
	case BucketInput:
		return u.Input
	case BucketOutput:
		return u.Output
	case BucketCacheRead:
		return u.CacheRead
	case BucketCacheWrite5m:
		return u.CacheWrite5m
	case BucketCacheWrite1h:
		return u.CacheWrite1h
	}
	return 0
}

// Rate is the price per million tokens of the single bucket b, and whether there is one.
func (r *Rates) Rate(b Buckets) (decimal.Decimal, bool) {
	if r == nil || r.Missing.Has(b) {
		return decimal.Zero, false
	}
	switch b {
	case BucketInput:
		return r.Input, true
	case BucketOutput:
		return r.Output, true
	case BucketCacheRead:
		return r.CacheRead, true
	case BucketCacheWrite5m:
		return r.CacheWrite5m, true
	case BucketCacheWrite1h:
		return r.CacheWrite1h, true
	}
	return decimal.Zero, false
}
