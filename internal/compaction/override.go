package compaction

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/pricing"
)

// OverrideLimit narrows what sessions may set one knob to (spec 2.3). Min and Max are inclusive, "" is none.
type OverrideLimit struct {
	Min, Max string
	Only     []string
	Locked   bool // sessions keep the server's value
}

// OverrideLimits are an operator's limits by knob key. Knobs without one may be set anywhere in their own range; those
// that hold for the whole server never.
type OverrideLimits map[string]OverrideLimit

// Validate checks that each limit names a knob and is itself in that knob's range.
func (l OverrideLimits) Validate() error {
	for _, key := range sortedKeys(l) {
		k, ok := bySpelling[key]
		if !ok {
			return unknownKnob(key)
		}
		lim := l[key]
		if (lim.Min != "" || lim.Max != "") && !ordered(k) {
			return &KnobError{Key: key, Allowed: "has no order, so min and max mean nothing; use only"}
		}
		for _, v := range append([]string{lim.Min, lim.Max}, lim.Only...) {
			if v == "" {
				continue
			}
			if err := k.Check(key, Untyped(v)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ordered reports whether the knob's values have a size.
func ordered(k *Knob) bool {
	switch k.get(Config{}).(type) {
	case int, float64, pricing.USD:
		return true
	}
	return false
}

// Override applies a session's overrides to the server's configuration, inside the operator's limits. A value that
// equals the server's is no override.
func Override(base Config, raw json.RawMessage, limits OverrideLimits) (Config, error) {
	c, err := ApplyJSON(base, raw)
	if err != nil {
		return base, err
	}
	for i := range knobs {
		k := &knobs[i]
		if k.Show(c) == k.Show(base) {
			continue
		}
		if err := limits.check(k, k.get(c)); err != nil {
			return base, err
		}
	}
	return c, nil
}

func (l OverrideLimits) check(k *Knob, v any) error {
	refuse := func(allowed string) error { return &KnobError{Key: k.Key, Value: show(v), Allowed: allowed} }
	if k.ServerWide {
		return refuse("it is set for the whole server")
	}
	for _, spelling := range append([]string{k.Key}, k.Aliases...) {
		lim, ok := l[spelling]
		switch {
		case !ok:
		case lim.Locked:
			return refuse("this server does not let sessions change it")
		case lim.Min != "" && compareTo(k, v, lim.Min) < 0:
			return refuse("this server allows sessions at least " + lim.Min)
		case lim.Max != "" && compareTo(k, v, lim.Max) > 0:
			return refuse("this server allows sessions at most " + lim.Max)
		case len(lim.Only) > 0 && !slices.Contains(lim.Only, fmt.Sprint(v)):
			return refuse("this server allows sessions only " + strings.Join(lim.Only, ", "))
		}
	}
	return nil
}

// compareTo compares a value with a limit, which Validate has found readable.
func compareTo(k *Knob, v any, limit string) int {
	l, ok := k.parse(Untyped(limit))
	if !ok {
		return 0
	}
	switch v := v.(type) {
	case int:
		return cmp.Compare(v, l.(int))
	case float64:
		return cmp.Compare(v, l.(float64))
	case pricing.USD:
		return v.Cmp(l.(pricing.USD))
	}
	return 0
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
