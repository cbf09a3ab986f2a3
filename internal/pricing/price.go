package pricing

import (
	"encoding/json"

	"github.com/shopspring/decimal"

	"tidemark/internal/message"
	"tidemark/internal/model"
)

// Price is what tokens cost, if that is known. Three things are kept apart (spec 7.4): unknown (Known false; null in
// JSON, NULL in the database), free (Free: the model has a price list and it is all zeros) and a known amount of $0 (no
// tokens, or a hit in the summary cache).
type Price struct {
	USD     USD
	Known   bool
	Free    bool
	Missing model.Buckets // buckets that held tokens but have no price; empty when the whole card is unpriced
}

// Nothing is the known price of a call that was not made, such as a hit in the summary cache.
var Nothing = Price{Known: true}

// Charge prices the usage of a call at sync rates. A bucket that holds tokens and has no price makes the whole call
// unpriced (case D6 #52). Negative counts are a fault of the adapter and are counted as zero, so that no row can lower
// a sum (case D6 #53).
func Charge(card model.Card, u message.Usage) Price { return charge(card.Rates, u) }

// ChargeBatch prices a call that went through the provider's batch service. Where the card has no batch price it is the
// sync price and discounted is false, which is worth one warning (spec 11.2).
func ChargeBatch(card model.Card, u message.Usage) (p Price, discounted bool) {
	if card.Rates == nil || card.Rates.Batch == nil {
		return Charge(card, u), false
	}
	return charge(card.Rates.Batch, u), true
}

// Quote is the price expected before a compaction call: span tokens at the input rate plus the whole output limit at
// the output rate (spec 4.1, requirements A3.11). It is an upper bound for a call without cache marks.
func Quote(card model.Card, spanTokens, maxTokens int) Price {
	return Charge(card, message.Usage{Input: spanTokens, Output: maxTokens})
}

// QuoteTurn is the most a step may cost: the whole prompt at the dearest prompt rate, which is a cache write where the
// provider takes extra for one, plus the whole output limit.
func QuoteTurn(card model.Card, promptTokens, maxTokens int) Price {
	most := Charge(card, message.Usage{Input: promptTokens})
	if w := Charge(card, message.Usage{CacheWrite5m: promptTokens}); w.Known && w.USD.Cmp(most.USD) > 0 {
		most = w
	}
	return most.Add(Quote(card, 0, maxTokens))
}

func charge(r *model.Rates, u message.Usage) Price {
	if r == nil {
		return Price{}
	}
	p := Price{Known: true, Free: r.Free()}
	for _, b := range model.AllBuckets {
		n := b.Tokens(u)
		if n <= 0 {
			continue
		}
		rate, ok := r.Rate(b)
		if !ok {
			p.Missing |= b
			continue
		}
		p.USD = p.USD.Add(cost(n, rate))
	}
	if p.Missing != 0 {
		p.USD, p.Known = USD{}, false
	}
	return p
}

// cost is tokens times the rate per million. Rates have at most six decimals, so the product is a whole number of
// picodollars.
func cost(tokens int, rate decimal.Decimal) USD {
	return USD{decimal.NewFromInt(int64(tokens)).Mul(rate).Shift(-6)}
}

// Add sums two prices. A sum with an unknown part is unknown: showing the rest as the total would hide spend.
func (p Price) Add(o Price) Price {
	s := Price{USD: p.USD.Add(o.USD), Known: p.Known && o.Known, Free: p.Free && o.Free, Missing: p.Missing | o.Missing}
	if !s.Known {
		s.USD = USD{}
	}
	return s
}

// OrZero is the amount, $0 when it is unknown: for sums that show the unpriced calls beside them.
func (p Price) OrZero() USD {
	if !p.Known {
		return USD{}
	}
	return p.USD
}

// Ptr is the amount, nil when it is unknown: the form of records, where null means unpriced.
func (p Price) Ptr() *USD {
	if !p.Known {
		return nil
	}
	return &p.USD
}

// Format shows the price to a person: "unpriced", "free" or an amount.
func (p Price) Format() string {
	switch {
	case !p.Known:
		return "unpriced"
	case p.Free:
		return "free"
	}
	return p.USD.Format()
}

// MarshalJSON writes a decimal string, or null when the price is unknown.
func (p Price) MarshalJSON() ([]byte, error) {
	if !p.Known {
		return []byte("null"), nil
	}
	return p.USD.MarshalJSON()
}

// UnmarshalJSON reads what MarshalJSON writes; that a model was free is not in it.
func (p *Price) UnmarshalJSON(b []byte) error {
	*p = Price{}
	if string(b) == "null" {
		return nil
	}
	p.Known = true
	return json.Unmarshal(b, &p.USD)
}
