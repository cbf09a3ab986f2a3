package pricing_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/shopspring/decimal"
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

func TestUSD_PicoRoundtrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "pico")
		u := pricing.FromPico(n)
		if back, err := u.Pico(); err != nil || back != n {
			t.Fatalf("%d came back as %d, %v", n, back, err)
		}
		js, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		var v pricing.USD
		if err := json.Unmarshal(js, &v); err != nil || !v.Equal(u) {
			t.Fatalf("%s came back as %s, %v", js, v, err)
		}
	})
}

func TestUSD_PicoRefuses(t *testing.T) {
	if _, err := pricing.Must("0.0000000000001").Pico(); !errors.Is(err, pricing.ErrInexact) {
		t.Errorf("inexact: %v", err)
	}
	top := pricing.FromPico(math.MaxInt64)
	if _, err := top.Add(pricing.FromPico(1)).Pico(); !errors.Is(err, pricing.ErrOverflow) {
		t.Errorf("overflow: %v", err)
	}
	if n, err := pricing.FromPico(math.MinInt64).Pico(); err != nil || n != math.MinInt64 {
		t.Errorf("smallest: %d, %v", n, err)
	}
	if _, err := pricing.FromDecimal(decimal.New(1, 40)).Pico(); !errors.Is(err, pricing.ErrOverflow) {
		t.Errorf("far too large: %v", err)
	}
}

func TestUSD_ParseRefuses(t *testing.T) {
	for _, s := range []string{"", "-", ".5", "5.", "1e3", "1e999999999", "0x10", "NaN", "Inf", " 1", "1_0", "+1", "--1", "1.2.3", "１"} {
		if u, err := pricing.Parse(s); err == nil {
			t.Errorf("Parse(%q) = %s", s, u)
		}
	}
	var u pricing.USD
	if err := json.Unmarshal([]byte("0.1"), &u); err == nil {
		t.Error("a JSON number was accepted")
	}
}

func TestUSD_Format(t *testing.T) {
	for in, want := range map[string]string{
		"0": "$0.00", "1": "$1.00", "1043.834": "$1,043.83", "1234567.891": "$1,234,567.89", "999.999": "$1,000.00",
		"0.99995": "$1.00", "0.99994": "$0.9999", "0.5": "$0.5000", "0.05048": "$0.0505", "0.0001": "$0.0001",
		"0.00009": "$0.000090", "0.0000012": "$0.0000012", "0.000000000001": "$0.0000000000010", "-2.5": "-$2.50", "-0.002": "-$0.0020",
	} {
		if got := pricing.Must(in).Format(); got != want {
			t.Errorf("%s shows as %s, want %s", in, got, want)
		}
	}
}

func TestUSD_StringIsPlain(t *testing.T) {
	for in, want := range map[string]string{"0": "0", "0.00": "0", "0.20": "0.2", "100": "100", "0.000000000001": "0.000000000001"} {
		if got := pricing.Must(in).String(); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

func price(s string) pricing.Price { return pricing.Price{USD: pricing.Must(s), Known: true} }

func TestBudget_Edges(t *testing.T) {
	b := pricing.NewBudget(pricing.Must("0.20"), pricing.Must("0.15"))
	if b.Exhausted(price("0.05")) || !b.Exhausted(price("0.050000000001")) {
		t.Error("the cap itself must be reachable and no more")
	}
	if b.SpentOut() || !pricing.NewBudget(pricing.Must("0.2"), pricing.Must("0.2")).SpentOut() {
		t.Error("source test is spent >= cap")
	}
	if !pricing.NewBudget(pricing.USD{}, pricing.USD{}).Exhausted(price("0.01")) {
		t.Error("a cap of zero allows no paid call")
	}
	if pricing.NewBudget(pricing.USD{}, pricing.USD{}).Exhausted(pricing.Price{}) {
		t.Error("a price nobody knows cannot be held by a cap in dollars")
	}
}

func TestBudget_ParallelCallsCannotShareTheRest(t *testing.T) {
	b := pricing.NewBudget(pricing.Must("0.10"), pricing.USD{})
	first, err := b.Reserve(price("0.06"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Reserve(price("0.06")); !errors.Is(err, pricing.ErrBudgetExceeded) {
		t.Fatalf("second reservation: %v", err)
	}
	b.Settle(first, price("0.01"))
	if b.Left().String() != "0.09" || !b.Reserved.IsZero() {
		t.Errorf("after settling: left %s, reserved %s", b.Left(), b.Reserved)
	}
	forced := b.ReserveAnyway(price("0.50"))
	b.Settle(forced, price("0.30"))
	if !b.Left().IsZero() || b.Spent.String() != "0.31" {
		t.Errorf("after a forced call: left %s, spent %s", b.Left(), b.Spent)
	}
}

// Whatever is reserved and settled, spent is the sum of what calls cost and nothing stays reserved.
func TestBudget_SettlesExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pricing.NewBudget(pricing.FromPico(rapid.Int64Range(0, 1e15).Draw(t, "cap")), pricing.USD{})
		var open []pricing.Reservation
		var spent pricing.USD
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			quote := pricing.Price{USD: pricing.FromPico(rapid.Int64Range(0, 1e14).Draw(t, "quote")), Known: true}
			if r, err := b.Reserve(quote); err == nil {
				open = append(open, r)
			}
			if len(open) > 0 && rapid.Bool().Draw(t, "settle") {
				actual := pricing.Price{USD: pricing.FromPico(rapid.Int64Range(0, 1e14).Draw(t, "actual")), Known: true}
				b.Settle(open[0], actual)
				open, spent = open[1:], spent.Add(actual.USD)
			}
		}
		for _, r := range open {
			b.Settle(r, pricing.Nothing)
		}
		if !b.Reserved.IsZero() || !b.Spent.Equal(spent) || b.Left().Sign() < 0 {
			t.Fatalf("reserved %s, spent %s of %s, left %s", b.Reserved, b.Spent, spent, b.Left())
		}
	})
}
