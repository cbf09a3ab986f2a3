package model_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"tidemark/internal/message"
	"tidemark/internal/model"
)

func TestDefault_EveryCardIsWhole(t *testing.T) {
	table := model.Default()
	if table.Version == "" {
		t.Fatal("the table has no version")
	}
	for _, name := range table.Names() {
		c, ok := table.Lookup(name)
		if !ok || c.Name != name {
			t.Fatalf("Lookup(%q) = %+v, %v", name, c, ok)
		}
		if c.Window <= 0 || c.MaxOutput <= 0 || c.MaxOutput >= c.Window || c.Estimator == "" || c.WireName() == "" {
			t.Errorf("%s: incomplete card %+v", name, c)
		}
		if small, ok := table.Lookup(c.Summarizer()); !ok || small.Provider != c.Provider {
			t.Errorf("%s: summarizer %q is not a model of the same provider", name, c.Summarizer())
		}
		if c.Simulated != (c.Provider == "sim") {
			t.Errorf("%s: simulated = %v", name, c.Simulated)
		}
	}
}

func TestDefault_Rates(t *testing.T) {
	for _, row := range []struct{ name, in, out, read, w5, w1, batchIn string }{
		{model.SimAssistant, "3", "15", "0.3", "3.75", "6", "1.5"},
		{model.SimReplay, "3", "15", "0.3", "3.75", "6", "1.5"},
		{model.SimSummarizer, "1", "5", "0.1", "1.25", "2", "0.5"},
		{"anthropic:claude-haiku-4-5", "1", "5", "0.1", "1.25", "2", "0.5"},
		{"anthropic:claude-sonnet-4-6", "3", "15", "0.3", "3.75", "6", "1.5"},
		{"anthropic:claude-opus-4-7", "15", "75", "1.5", "18.75", "30", "7.5"},
		{"openai:gpt-5", "2.5", "10", "0.25", "", "", "1.25"},
		{"openai:gpt-5-mini", "0.5", "2", "0.05", "", "", "0.25"},
		{"openrouter:anthropic/claude-haiku-4.5", "1", "5", "0.1", "1.25", "", ""},
		{"openrouter:anthropic/claude-sonnet-4.6", "3", "15", "0.3", "3.75", "", ""},
		{model.SimFree, "0", "0", "0", "0", "0", ""},
	} {
		c, ok := model.Default().Lookup(row.name)
		if !ok {
			t.Errorf("%s: no card", row.name)
			continue
		}
		wantRate(t, c, model.BucketInput, row.in)
		wantRate(t, c, model.BucketOutput, row.out)
		wantRate(t, c, model.BucketCacheRead, row.read)
		wantRate(t, c, model.BucketCacheWrite5m, row.w5)
		wantRate(t, c, model.BucketCacheWrite1h, row.w1)
		if got, ok := c.Rates.Batch.Rate(model.BucketInput); ok != (row.batchIn != "") || ok && got.String() != row.batchIn {
			t.Errorf("%s: batch input %s, %v; want %q", row.name, got, ok, row.batchIn)
		}
	}
}

func wantRate(t *testing.T, c model.Card, b model.Buckets, want string) {
	t.Helper()
	got, ok := c.Rates.Rate(b)
	if ok != (want != "") || ok && got.String() != want {
		t.Errorf("%s %s: rate %s, %v; want %q", c.Name, b, got, ok, want)
	}
}

func TestDefault_RatesArePicoExact(t *testing.T) {
	unit := decimal.New(1, -6)
	for _, name := range model.Default().Names() {
		c, _ := model.Default().Lookup(name)
		for r := c.Rates; r != nil; r = r.Batch {
			for _, b := range model.AllBuckets {
				if rate, _ := r.Rate(b); !rate.Mod(unit).IsZero() {
					t.Errorf("%s %s: %s has more than six decimals", name, b, rate)
				}
			}
		}
	}
}

func TestDefault_FreeAndUnpricedDiffer(t *testing.T) {
	free, _ := model.Default().Lookup(model.SimFree)
	unpriced, _ := model.Default().Lookup(model.SimUnpriced)
	if !free.Rates.Free() || unpriced.Rates.Free() || unpriced.Rates != nil {
		t.Errorf("free %+v, unpriced %+v", free.Rates, unpriced.Rates)
	}
}

func TestDefault_Windows(t *testing.T) {
	for name, want := range map[string]int{
		model.SimAssistant: 200_000, model.SimReplay: 2_000_000, model.SimSummarizer: 200_000,
		"anthropic:claude-haiku-4-5": 200_000,
	} {
		if c, _ := model.Default().Lookup(name); c.Window != want {
			t.Errorf("%s: window %d, want %d", name, c.Window, want)
		}
	}
	c, _ := model.Default().Lookup(model.SimReplay)
	if c.WithWindow(9_000).Window != 9_000 || c.Window != 2_000_000 {
		t.Error("WithWindow does not return a changed copy")
	}
}

func TestTable_WithReplacesInPlace(t *testing.T) {
	base := model.NewTable("v", model.Card{Name: "a:x"}, model.Card{Name: "a:y"})
	next := base.With(model.Card{Name: "a:x", Window: 7}, model.Unknown("local:llama"))
	if got := next.Names(); len(got) != 3 || got[0] != "a:x" || got[2] != "local:llama" {
		t.Errorf("names %v", got)
	}
	if c, _ := base.Lookup("a:x"); c.Window != 0 {
		t.Error("With changed the table it was called on")
	}
	if c, _ := next.Lookup("local:llama"); c.Provider != "local" || c.Rates != nil || c.Window != 0 {
		t.Errorf("unknown card %+v", c)
	}
	if _, ok := next.Lookup("a:z"); ok {
		t.Error("a model that is not there was found")
	}
}

// Whatever a provider reports, the buckets are disjoint, never negative, and sum to the prompt.
func TestTotals_BucketsSumToPrompt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(-10, 200_000)
		tot := model.Totals{n.Draw(t, "prompt"), n.Draw(t, "cached"), n.Draw(t, "written"), n.Draw(t, "output"), n.Draw(t, "reasoning")}
		u, clamped := tot.Usage()
		if u.Input < 0 || u.CacheRead < 0 || u.CacheWrite5m < 0 || u.Output < 0 || u.Reasoning < 0 || u.Reasoning > u.Output {
			t.Fatalf("%+v gave %+v", tot, u)
		}
		if u.Prompt() != max(tot.Prompt, 0) {
			t.Fatalf("%+v: prompt %d", tot, u.Prompt())
		}
		exact := message.Usage{Input: tot.Prompt - tot.Cached - tot.Written, CacheRead: tot.Cached, CacheWrite5m: tot.Written, Output: tot.Output, Reasoning: tot.Reasoning}
		if clamped == (u == exact) {
			t.Fatalf("%+v: clamped = %v, usage %+v", tot, clamped, u)
		}
	})
}
