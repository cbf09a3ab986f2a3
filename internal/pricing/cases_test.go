package pricing_test

import (
	"encoding/json"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/pricing"
)

// B144: four buckets with a price each. Input 3, cache write 109 075, cache read 0 is what a maximum, or a sum at one
// rate, gets wrong by far.
func TestCaseB144_BucketsHaveTheirOwnPrices(t *testing.T) {
	sonnet := card(t, "anthropic:claude-sonnet-4-6")
	for _, row := range []struct {
		name string
		u    message.Usage
		want string
	}{
		{"five minutes", message.Usage{Input: 3, CacheWrite5m: 109_075}, "0.40904025"},
		{"one hour", message.Usage{Input: 3, CacheWrite1h: 109_075}, "0.654459"},
		{"read", message.Usage{Input: 3, CacheRead: 109_075}, "0.0327315"},
		{"all", message.Usage{Input: 1, CacheRead: 10, CacheWrite5m: 100, CacheWrite1h: 1000, Output: 10_000}, "0.156381"},
	} {
		got := pricing.Charge(sonnet, row.u)
		require.True(t, got.Known, row.name)
		require.Equal(t, row.want, got.USD.String(), row.name)
		require.Equal(t, row.u.Input+row.u.CacheRead+row.u.CacheWrite5m+row.u.CacheWrite1h, row.u.Prompt(), "buckets are disjoint")
	}
}

// D6 52: every bucket that holds tokens finds a price, or the call is unpriced; none is silently free.
func TestCaseD6_52_ABucketWithoutAPrice(t *testing.T) {
	for _, u := range []message.Usage{{Input: 1}, {Output: 1}, {CacheRead: 1}, {CacheWrite5m: 1}, {CacheWrite1h: 1}} {
		c := card(t, haiku)
		require.Positive(t, pricing.Charge(c, u).USD.Sign(), "%+v", u)
		rates := *c.Rates
		rates.Missing = model.BucketInput | model.BucketOutput | model.BucketCacheRead | model.BucketCacheWrite5m | model.BucketCacheWrite1h
		c.Rates = &rates
		require.False(t, pricing.Charge(c, u).Known, "%+v", u)
	}
}

// D6 53: a count below zero is an adapter's fault and takes nothing off a sum.
func TestCaseD6_53_NothingCostsLessThanNothing(t *testing.T) {
	for _, u := range []message.Usage{
		{Input: -109_075, CacheRead: 10}, {Input: -1}, {Output: -5, Input: 2}, {CacheWrite5m: -9, CacheWrite1h: -9},
	} {
		require.GreaterOrEqual(t, pricing.Charge(card(t, haiku), u).USD.Sign(), 0, "%+v", u)
	}
}

// D6 54: a thousand thousandths are one: no float is in the way from the price to the sum.
func TestCaseD6_54_SumsOfSmallAmounts(t *testing.T) {
	one := pricing.Charge(card(t, haiku), message.Usage{Input: 1})
	sum := pricing.Nothing
	for range 1_000_000 {
		sum = sum.Add(one)
	}
	require.Equal(t, "1", sum.USD.String())
	require.True(t, sum.USD.Decimal().Equal(decimal.NewFromInt(1)))
}

// D6 56: from a dollar up two digits, so that 1,043.834 is not read as a million.
func TestCaseD6_56_ThreeDecimals(t *testing.T) {
	require.Equal(t, "$1,043.83", pricing.Must("1043.834").Format())
	require.Equal(t, "$1.04", pricing.Must("1.043834").Format())
}

// D6 57: a model without a row in the table costs an unknown amount, not nothing.
func TestCaseD6_57_AMissingPriceIsNull(t *testing.T) {
	p := pricing.Charge(model.Unknown("newco:brand-new"), message.Usage{Input: 10, Output: 10})
	require.False(t, p.Known)
	require.Nil(t, p.Ptr())
	b, err := json.Marshal(p)
	require.NoError(t, err)
	require.Equal(t, "null", string(b))
	require.Equal(t, "unpriced", p.Format())
}
