package pricing_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/pricing"
)

func card(t testing.TB, name string) model.Card {
	t.Helper()
	c, ok := model.Default().Lookup(name)
	if !ok {
		t.Fatalf("no card %s", name)
	}
	return c
}

const haiku = "anthropic:claude-haiku-4-5"

// The figures of requirements A11.5, A11.6 and A3.11, computed from the table.
func TestCharge_SourceFigures(t *testing.T) {
	for _, row := range []struct {
		name string
		u    message.Usage
		want string
	}{
		{"before", message.Usage{CacheRead: 33_000, Input: 1_000}, "0.0043"},
		{"after", message.Usage{CacheRead: 8_000, Input: 1_000}, "0.0018"},
		{"compaction turn", message.Usage{CacheRead: 3_000, CacheWrite5m: 5_000, Input: 1_000}, "0.00755"},
		{"one hour", message.Usage{CacheWrite1h: 1_000_000}, "2"},
		{"nothing", message.Usage{}, "0"},
		{"negative", message.Usage{Input: -5, Output: 1}, "0.000005"},
	} {
		if got := pricing.Charge(card(t, haiku), row.u); !got.Known || got.USD.String() != row.want {
			t.Errorf("%s: %s, known %v; want %s", row.name, got.USD, got.Known, row.want)
		}
	}
	if q := pricing.Quote(card(t, haiku), 30_000, 4_096); q.USD.String() != "0.05048" {
		t.Errorf("quote %s", q.USD)
	}
}

func TestCharge_UnknownFreeZero(t *testing.T) {
	used := message.Usage{Input: 10, Output: 10}
	for _, row := range []struct {
		name        string
		p           pricing.Price
		known, free bool
		shown, json string
	}{
		{"unpriced card", pricing.Charge(card(t, model.SimUnpriced), used), false, false, "unpriced", "null"},
		{"free card", pricing.Charge(card(t, model.SimFree), used), true, true, "free", `"0"`},
		{"no tokens", pricing.Charge(card(t, haiku), message.Usage{}), true, false, "$0.00", `"0"`},
		{"no call", pricing.Nothing, true, false, "$0.00", `"0"`},
		{"bucket without a price", pricing.Charge(card(t, "openai:gpt-5"), message.Usage{Input: 5, CacheWrite5m: 1}), false, false, "unpriced", "null"},
		{"that bucket empty", pricing.Charge(card(t, "openai:gpt-5"), message.Usage{Input: 4}), true, false, "$0.000010", `"0.00001"`},
		{"unknown part", pricing.Nothing.Add(pricing.Price{}), false, false, "unpriced", "null"},
	} {
		js, err := json.Marshal(row.p)
		if err != nil || row.p.Known != row.known || row.p.Free != row.free || row.p.Format() != row.shown || string(js) != row.json {
			t.Errorf("%s: %+v shows %q, json %s, %v", row.name, row.p, row.p.Format(), js, err)
		}
		if !row.p.Known && !row.p.USD.IsZero() {
			t.Errorf("%s: unknown, yet %s", row.name, row.p.USD)
		}
	}
}

func TestChargeBatch(t *testing.T) {
	u := message.Usage{Input: 1_000_000, Output: 1_000_000, CacheRead: 1_000_000}
	if p, ok := pricing.ChargeBatch(card(t, haiku), u); !ok || p.USD.String() != "3.05" {
		t.Errorf("batch %s, %v", p.USD, ok)
	}
	if p, ok := pricing.ChargeBatch(card(t, "openrouter:anthropic/claude-haiku-4.5"), u); ok || p.USD.String() != "6.1" {
		t.Errorf("no batch price: %s, %v", p.USD, ok)
	}
}

func TestQuoteTurn_CoversWhatAStepMayCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, _ := model.Default().Lookup(rapid.SampledFrom([]string{haiku, model.SimAssistant, model.SimFree, "openai:gpt-5"}).Draw(t, "model"))
		prompt, out := rapid.IntRange(0, 500_000).Draw(t, "prompt"), rapid.IntRange(0, 64_000).Draw(t, "out")
		read := rapid.IntRange(0, prompt).Draw(t, "read")
		u := message.Usage{CacheRead: read, Output: rapid.IntRange(0, out).Draw(t, "used")}
		if c.Rates.Missing.Has(model.BucketCacheWrite5m) {
			u.Input = prompt - read
		} else {
			u.CacheWrite5m = prompt - read
		}
		q, p := pricing.QuoteTurn(c, prompt, out), pricing.Charge(c, u)
		if !q.Known || !p.Known || p.USD.Cmp(q.USD) > 0 {
			t.Fatalf("%s: %+v costs %s, quoted %s", c.Name, u, p.USD, q.USD)
		}
	})
}

func drawUsage(t *rapid.T, label string) message.Usage {
	n := rapid.IntRange(0, 3_000_000)
	return message.Usage{
		Input: n.Draw(t, label+" input"), CacheRead: n.Draw(t, label+" read"), CacheWrite5m: n.Draw(t, label+" w5"),
		CacheWrite1h: n.Draw(t, label+" w1"), Output: n.Draw(t, label+" out"),
	}
}

// Sums are exact: pricing rows and adding them, in decimals or in the database's integers, equals pricing the sum.
func TestCharge_SumsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, _ := model.Default().Lookup(rapid.SampledFrom([]string{haiku, model.SimReplay, "anthropic:claude-opus-4-7"}).Draw(t, "model"))
		var whole message.Usage
		var sum pricing.USD
		var pico int64
		for i := range rapid.IntRange(1, 30).Draw(t, "calls") {
			u := drawUsage(t, string(rune('a'+i%26)))
			p := pricing.Charge(c, u)
			n, err := p.USD.Pico()
			if err != nil {
				t.Fatal(err)
			}
			whole, sum, pico = whole.Add(u), sum.Add(p.USD), pico+n
		}
		if all := pricing.Charge(c, whole); !all.USD.Equal(sum) || !pricing.FromPico(pico).Equal(sum) {
			t.Fatalf("whole %s, sum %s, pico %s", all.USD, sum, pricing.FromPico(pico))
		}
	})
}

// Requirements C7.5: OpenAI-style totals, converted and priced, never cost more than the same prompt without a cache.
func TestCharge_CachedTotalsNeverDearer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, _ := model.Default().Lookup(rapid.SampledFrom([]string{"openai:gpt-5", "openai:gpt-5-mini"}).Draw(t, "model"))
		n := rapid.IntRange(-5, 2_000_000)
		tot := model.Totals{Prompt: n.Draw(t, "prompt"), Cached: n.Draw(t, "cached"), Output: n.Draw(t, "output"), Reasoning: n.Draw(t, "reasoning")}
		u, _ := tot.Usage()
		got := pricing.Charge(c, u)
		uncached := pricing.Charge(c, message.Usage{Input: tot.Prompt, Output: tot.Output})
		if !got.Known || got.USD.Cmp(uncached.USD) > 0 || got.USD.Sign() < 0 {
			t.Fatalf("%+v costs %s, uncached %s", tot, got.USD, uncached.USD)
		}
	})
}
