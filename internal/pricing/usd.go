package pricing

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/shopspring/decimal"
)

// USD is an exact amount of US dollars (spec 7.4). The zero value is $0. Compare with Equal or Cmp, not with ==.
type USD struct{ d decimal.Decimal }

// Reasons why an amount cannot become picodollars.
var (
	ErrInexact  = errors.New("amount is not a whole number of picodollars")
	ErrOverflow = errors.New("amount does not fit an int64 of picodollars")
)

// picoExp is the decimal exponent of one picodollar, the unit of the database.
const picoExp = 12

// FromDecimal wraps an exact decimal.
func FromDecimal(d decimal.Decimal) USD { return USD{d} }

// FromPico turns the database's integer of 10⁻¹² USD into an amount.
func FromPico(n int64) USD { return USD{decimal.New(n, -picoExp)} }

// Pico is the amount in 10⁻¹² USD, the form of the database. It never rounds: an amount that has more digits or does
// not fit is an error.
func (u USD) Pico() (int64, error) {
	shifted := u.d.Shift(picoExp)
	if !shifted.IsInteger() {
		return 0, fmt.Errorf("%s USD: %w", u, ErrInexact)
	}
	var n *big.Int = shifted.BigInt()
	if !n.IsInt64() {
		return 0, fmt.Errorf("%s USD: %w", u, ErrOverflow)
	}
	return n.Int64(), nil
}

// maxDigits bounds what Parse reads; an int64 of picodollars has 19 digits.
const maxDigits = 64

// Parse reads a plain decimal such as "0.20" or "-3". Exponents are refused: "1e999999999" would cost the memory of its
// digits.
func Parse(s string) (USD, error) {
	if len(s) > maxDigits || !isPlainDecimal(s) {
		return USD{}, fmt.Errorf("%.70q is not a plain decimal amount like \"0.20\"", s)
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return USD{}, fmt.Errorf("%q is not a decimal amount: %w", s, err)
	}
	return USD{d}, nil
}

// Must is Parse for constants; it panics on anything else.
func Must(s string) USD {
	u, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

func isPlainDecimal(s string) bool {
	whole, frac, dotted := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return isDigits(whole) && (!dotted || isDigits(frac))
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Decimal is the amount as a decimal.
func (u USD) Decimal() decimal.Decimal { return u.d }

// Add returns u + v.
func (u USD) Add(v USD) USD { return USD{u.d.Add(v.d)} }

// Sub returns u - v.
func (u USD) Sub(v USD) USD { return USD{u.d.Sub(v.d)} }

// Cmp returns -1, 0 or 1 as u is less than, equal to or greater than v.
func (u USD) Cmp(v USD) int { return u.d.Cmp(v.d) }

// Equal reports whether both are the same amount.
func (u USD) Equal(v USD) bool { return u.d.Equal(v.d) }

// IsZero reports whether the amount is $0.
func (u USD) IsZero() bool { return u.d.IsZero() }

// Sign is -1, 0 or 1.
func (u USD) Sign() int { return u.d.Sign() }

// String is the exact amount without superfluous digits, "0" for nothing (spec 8).
func (u USD) String() string { return u.d.String() }

// MarshalText writes the exact amount, in YAML and as a JSON key too.
func (u USD) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (u *USD) UnmarshalText(b []byte) error {
	v, err := Parse(string(b))
	if err == nil {
		*u = v
	}
	return err
}

// MarshalJSON writes a decimal string (spec 7.4).
func (u USD) MarshalJSON() ([]byte, error) { return json.Marshal(u.String()) }

// UnmarshalJSON reads a decimal string. A JSON number is refused: whoever wrote it may have rounded it already.
func (u *USD) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("an amount is a decimal string, not %.40s", b)
	}
	return u.UnmarshalText([]byte(s))
}

// Sum adds amounts.
func Sum(amounts ...USD) USD {
	var total USD
	for _, a := range amounts {
		total = total.Add(a)
	}
	return total
}
