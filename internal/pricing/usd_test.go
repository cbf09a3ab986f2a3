package pricing_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"tidemark/internal/pricing"
)

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
