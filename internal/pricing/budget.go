package pricing

import (
	"errors"
	"fmt"
)

// ErrBudgetExceeded is what a refused reservation wraps.
var ErrBudgetExceeded = errors.New("budget exceeded")

// Budget is a limit on spend set beforehand: per session, per day, per purpose. Calls reserve their quote before they
// start and settle what they cost after they ended, so that two calls at once cannot both use the same rest
// (case D6 #60). It has no lock: its owner's goroutine alone uses it.
type Budget struct {
	Cap      USD
	Spent    USD // settled
	Reserved USD // quotes of calls that run now
}

// NewBudget builds a budget of which some is spent already, as after a restart.
func NewBudget(limit, spent USD) Budget { return Budget{Cap: limit, Spent: spent} }

// Exhausted reports whether a call with this quote would pass the cap: spent + projected > cap (spec 4.1). A quote that
// lands on the cap exactly is allowed. An unknown price counts as nothing: a cap in dollars cannot hold a model whose
// price nobody knows.
func (b Budget) Exhausted(projected Price) bool {
	return Sum(b.Spent, b.Reserved, projected.OrZero()).Cmp(b.Cap) > 0
}

// SpentOut is the test of the source rules (profile `source`, spec 2.3): spent >= cap, whatever the next call costs.
func (b Budget) SpentOut() bool { return b.Spent.Add(b.Reserved).Cmp(b.Cap) >= 0 }

// Left is what may still be reserved, never below zero.
func (b Budget) Left() USD {
	left := b.Cap.Sub(b.Spent).Sub(b.Reserved)
	if left.Sign() < 0 {
		return USD{}
	}
	return left
}

// Reserve sets the quote aside, or refuses with ErrBudgetExceeded and changes nothing. The reservation must be settled
// exactly once.
func (b *Budget) Reserve(projected Price) (Reservation, error) {
	if b.Exhausted(projected) {
		return Reservation{}, fmt.Errorf("%w: %s spent and %s projected of %s",
			ErrBudgetExceeded, b.Spent.Add(b.Reserved).Format(), projected.Format(), b.Cap.Format())
	}
	r := Reservation{amount: projected.OrZero()}
	b.Reserved = b.Reserved.Add(r.amount)
	return r, nil
}

// ReserveAnyway sets the quote aside although it passes the cap: the forced call of spec 4.4.
func (b *Budget) ReserveAnyway(projected Price) Reservation {
	r := Reservation{amount: projected.OrZero()}
	b.Reserved = b.Reserved.Add(r.amount)
	return r
}

// Settle gives the reservation back and books what the call cost, which may be more than was reserved or nothing at
// all. A failed call that used tokens is booked like any other.
func (b *Budget) Settle(r Reservation, actual Price) {
	b.Reserved = b.Reserved.Sub(r.amount)
	b.Spent = b.Spent.Add(actual.OrZero())
}

// Reservation is a quote set aside by Reserve.
type Reservation struct{ amount USD }

// Amount is what was set aside.
func (r Reservation) Amount() USD { return r.amount }
