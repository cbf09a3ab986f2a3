package model

import "tidemark/internal/message"

// Totals is usage as OpenAI and OpenRouter report it: Prompt includes the cached and the written tokens, Output
// includes the reasoning (requirements C6.4, C7.3).
type Totals struct {
	Prompt    int
	Cached    int
	Written   int // OpenRouter's cache_write_tokens; OpenAI has none
	Output    int
	Reasoning int
}

// Usage converts totals to the disjoint buckets of spec 7.3. Counts that cannot be true, such as more cached tokens
// than prompt tokens or negative ones, are clamped and reported, so that a bucket never goes below zero and the
// ledger never decreases (case D6 #53).
func (t Totals) Usage() (u message.Usage, clamped bool) {
	limit := func(n, upTo int) int {
		kept := max(0, min(n, upTo))
		clamped = clamped || kept != n
		return kept
	}
	prompt := limit(t.Prompt, max(t.Prompt, 0))
	u.CacheRead = limit(t.Cached, prompt)
	u.CacheWrite5m = limit(t.Written, prompt-u.CacheRead)
	u.Input = prompt - u.CacheRead - u.CacheWrite5m
	u.Output = limit(t.Output, max(t.Output, 0))
	u.Reasoning = limit(t.Reasoning, u.Output)
	return u, clamped
}
