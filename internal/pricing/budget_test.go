package pricing_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/pricing"
)

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
