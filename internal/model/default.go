package model

import (
	"sync"

	"github.com/shopspring/decimal"
)

// Version is the version of the built-in table. A change of any card or price needs a new one (spec 7.4).
const Version = "2026-11-30"

// Names of the simulated models (spec 7.6).
const (
	SimAssistant  = "sim:assistant"
	SimReplay     = "sim:replay"
	SimSummarizer = "sim:summarizer"
	SimFree       = "sim:free"
	SimUnpriced   = "sim:unpriced"
)

const (
	haiku           = "anthropic:claude-haiku-4-5"
	openRouterHaiku = "openrouter:anthropic/claude-haiku-4.5"
	gptMini         = "openai:gpt-5-mini"
)

// Default is the built-in table.
func Default() *Table { return builtIn() }

var builtIn = sync.OnceValue(func() *Table {
	cards := append(simCards(), anthropicCards()...)
	cards = append(cards, openAICards()...)
	return NewTable(Version, append(cards, openRouterCards()...)...)
})

// Prices per million tokens are those of requirements A11.4 and C7.4; a 1-hour cache write costs twice the input.
func haikuRates() *Rates  { return halfInBatch(rates("1", "5", "0.10", "1.25", "2.00")) }
func sonnetRates() *Rates { return halfInBatch(rates("3", "15", "0.30", "3.75", "6.00")) }
func opusRates() *Rates   { return halfInBatch(rates("15", "75", "1.50", "18.75", "30.00")) }

// rates reads decimals so that no price ever was a float.
func rates(input, output, read, write5m, write1h string) *Rates {
	d := decimal.RequireFromString
	return &Rates{Input: d(input), Output: d(output), CacheRead: d(read), CacheWrite5m: d(write5m), CacheWrite1h: d(write1h)}
}

// halfInBatch adds batch prices at half of every rate, cache buckets included.
func halfInBatch(r *Rates) *Rates {
	half := func(d decimal.Decimal) decimal.Decimal { return d.Mul(decimal.RequireFromString("0.5")) }
	r.Batch = &Rates{
		Input: half(r.Input), Output: half(r.Output), CacheRead: half(r.CacheRead),
		CacheWrite5m: half(r.CacheWrite5m), CacheWrite1h: half(r.CacheWrite1h), Missing: r.Missing,
	}
	return r
}

// without marks buckets the provider quotes no price for.
func without(r *Rates, missing Buckets) *Rates {
	r.Missing = missing
	if r.Batch != nil {
		r.Batch.Missing = missing
	}
	return r
}

// simCards are the simulated models; minimum prefixes as of the models they are priced like.
func simCards() []Card {
	sim := func(name string, prefix int, r *Rates) Card {
		return Card{
			Name: name, Provider: "sim", Window: 200_000, MaxOutput: 64_000, MinCachePrefix: prefix,
			Estimator: EstimatorFallback, Small: SimSummarizer, Simulated: true, Rates: r,
		}
	}
	summarizer := sim(SimSummarizer, 4096, haikuRates())
	summarizer.Small = ""
	return []Card{
		sim(SimAssistant, 2048, sonnetRates()),
		sim(SimReplay, 2048, sonnetRates()).WithWindow(2_000_000),
		summarizer,
		sim(SimFree, 2048, rates("0", "0", "0", "0", "0")),
		sim(SimUnpriced, 2048, nil),
	}
}

// anthropicCards take their minimum cacheable prefix from requirements C3.2 (E4).
func anthropicCards() []Card {
	claude := func(name string, window, output, prefix int, r *Rates) Card {
		return Card{
			Name: name, Provider: "anthropic", Window: window, MaxOutput: output, MinCachePrefix: prefix,
			Estimator: EstimatorScaled, Small: haiku, Rates: r,
		}
	}
	return []Card{
		claude(haiku, 200_000, 64_000, 4096, haikuRates()),
		claude("anthropic:claude-sonnet-4-6", 1_000_000, 128_000, 2048, sonnetRates()),
		claude("anthropic:claude-opus-4-7", 1_000_000, 128_000, 4096, opusRates()),
	}
}

// openAICards have no cache-write price: OpenAI caches by itself and reports no writes (requirements C3.3, C7.3).
func openAICards() []Card {
	gpt := func(name string, r *Rates) Card {
		return Card{
			Name: name, Provider: "openai", Window: 400_000, MaxOutput: 128_000, MinCachePrefix: 1024,
			Estimator: EstimatorLocal, Small: gptMini,
			Rates: without(halfInBatch(r), BucketCacheWrite5m|BucketCacheWrite1h),
		}
	}
	return []Card{
		gpt("openai:gpt-5", rates("2.50", "10.00", "0.25", "0", "0")),
		gpt(gptMini, rates("0.50", "2.00", "0.05", "0", "0")),
	}
}

// openRouterCards have one write price and no batch service (requirements C6).
func openRouterCards() []Card {
	routed := func(name string, window, output, prefix int, r *Rates) Card {
		r.Batch = nil
		return Card{
			Name: name, Provider: "openrouter", Window: window, MaxOutput: output, MinCachePrefix: prefix,
			Estimator: EstimatorScaled, Small: openRouterHaiku, Rates: without(r, BucketCacheWrite1h),
		}
	}
	return []Card{
		routed(openRouterHaiku, 200_000, 64_000, 4096, haikuRates()),
		routed("openrouter:anthropic/claude-sonnet-4.6", 1_000_000, 128_000, 2048, sonnetRates()),
	}
}
