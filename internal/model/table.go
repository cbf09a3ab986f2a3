package model

import "strings"

// Table is a versioned list of cards. Its version stands in every ledger row, so that a price of last month can be told
// from one of today (spec 7.4). A Table is read-only after it was built and safe for concurrent use.
type Table struct {
	Version string
	cards   []Card
	index   map[string]int
}

// NewTable builds a table; of two cards with one name the later wins.
func NewTable(version string, cards ...Card) *Table {
	t := &Table{Version: version, index: make(map[string]int, len(cards))}
	for _, c := range cards {
		if i, ok := t.index[c.Name]; ok {
			t.cards[i] = c
			continue
		}
		t.index[c.Name] = len(t.cards)
		t.cards = append(t.cards, c)
	}
	return t
}

// Lookup finds a card by its full name, "provider:model".
func (t *Table) Lookup(name string) (Card, bool) {
	i, ok := t.index[name]
	if !ok {
		return Card{}, false
	}
	return t.cards[i], true
}

// Names lists the models in table order, which is fixed.
func (t *Table) Names() []string {
	out := make([]string, len(t.cards))
	for i, c := range t.cards {
		out[i] = c.Name
	}
	return out
}

// Of lists the cards of one provider in table order.
func (t *Table) Of(provider string) []Card {
	var out []Card
	for _, c := range t.cards {
		if c.Provider == provider {
			out = append(out, c)
		}
	}
	return out
}

// With returns a copy of the table in which the given cards replace or follow those of the same name.
func (t *Table) With(cards ...Card) *Table {
	all := append(append([]Card(nil), t.cards...), cards...)
	return NewTable(t.Version, all...)
}

// Unknown is the card of a model the table does not know, as a local server behind a compatible URL may offer
// (spec 7.1): no window, so no window trigger; no price, so "unpriced" and not zero.
func Unknown(name string) Card {
	provider, _, _ := strings.Cut(name, ":")
	return Card{Name: name, Provider: provider, MaxOutput: UnknownMaxOutput, Estimator: EstimatorFallback}
}

// UnknownMaxOutput is the output limit assumed for a model without a card.
const UnknownMaxOutput = 4096
