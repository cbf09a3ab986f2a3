package pricing

import "strings"

// Format shows an amount to a person: two digits from one dollar up, because three after a comma read as thousands
// (case D6 #56); four below, and below a hundredth of a cent as many as two significant ones take.
func (u USD) Format() string {
	sign, abs := "", u.d
	if abs.IsNegative() {
		sign, abs = "-", abs.Neg()
	}
	return sign + "$" + group(abs.StringFixed(digits(USD{abs})))
}

var (
	oneDollar   = Must("1")
	roundsToOne = Must("0.99995")
	smallest    = Must("0.0001")
)

// digits is how many decimals the amount, zero or more, is shown with.
func digits(u USD) int32 {
	switch {
	case u.IsZero(), u.Cmp(oneDollar) >= 0, u.Cmp(roundsToOne) >= 0:
		return 2
	case u.Cmp(smallest) >= 0:
		return 4
	}
	places := int32(6)
	for edge := Must("0.00001"); u.Cmp(edge) < 0; edge = (USD{edge.d.Shift(-1)}) {
		places++
	}
	return places
}

// group sets a comma between thousands of the whole part.
func group(fixed string) string {
	whole, frac, _ := strings.Cut(fixed, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + "." + frac
}
