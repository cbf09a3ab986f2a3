package compaction

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// KnobError says which knob is wrong, what it was given and what it may be (spec 2.2).
type KnobError struct {
	Key     string // as the user spelled it
	Value   string // "" when the key itself is the mistake
	Allowed string // continues the sentence: "allowed: true, false", "unknown key"
}

func (e *KnobError) Error() string {
	if e.Value == "" {
		return e.Key + ": " + e.Allowed
	}
	return fmt.Sprintf("%s: %s is not allowed; %s", e.Key, e.Value, e.Allowed)
}

// Apply sets knobs on a configuration and checks the whole. Overrides may be nested or dotted, with full names
// ("compaction.mode"), source spellings ("compaction_mode") or, since a session's overrides are those of its compaction,
// names below it ("mode", "streaming.swap"). The error is a *KnobError; the configuration is then base, unchanged.
func Apply(base Config, overrides map[string]any) (Config, error) {
	flat := make(map[string]any)
	if err := flatten("", overrides, flat, 0); err != nil {
		return base, err
	}
	set, err := collect(flat, lookupRelative)
	if err != nil {
		return base, err
	}
	c := applySet(base, set)
	if err := checkTogether(c, set); err != nil {
		return base, err
	}
	return c, nil
}

// ApplyJSON is Apply for the overrides as they came over the wire; empty or null changes nothing.
func ApplyJSON(base Config, raw json.RawMessage) (Config, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return base, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // so that a price keeps its digits and a count is not a float
	var overrides map[string]any
	err := dec.Decode(&overrides)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("trailing data")
		}
	}
	if err != nil {
		return base, &KnobError{Key: "compaction", Value: clip(string(raw)), Allowed: "allowed: an object of knobs"}
	}
	return Apply(base, overrides)
}

// setKnob is a value that somebody gave, under the spelling they used.
type setKnob struct {
	knob     *Knob
	spelling string
	value    any
}

// collect resolves spellings and values. Two spellings of one knob must agree.
func collect(flat map[string]any, lookup func(string) *Knob) (map[string]setKnob, error) {
	set := make(map[string]setKnob)
	for _, spelling := range slices.Sorted(maps.Keys(flat)) { // sorted, so that the error does not change from run to run
		k := lookup(spelling)
		if k == nil {
			return nil, unknownKnob(spelling)
		}
		v, err := k.read(spelling, flat[spelling])
		if err != nil {
			return nil, err
		}
		if other, twice := set[k.Key]; twice && show(other.value) != show(v) {
			return nil, &KnobError{Key: spelling, Value: show(v), Allowed: fmt.Sprintf(
				"%s, which is the same setting, says %s", other.spelling, show(other.value))}
		}
		set[k.Key] = setKnob{k, spelling, v}
	}
	return set, nil
}

// lookupRelative also knows names below "compaction.".
func lookupRelative(spelling string) *Knob {
	if k := bySpelling[spelling]; k != nil {
		return k
	}
	return bySpelling["compaction."+spelling]
}

// flatten turns nested maps into dotted keys.
func flatten(prefix string, nested, flat map[string]any, depth int) error {
	const deepest = 8 // no knob lies deeper than 4; a bound, because the map may come from anybody
	for _, name := range slices.Sorted(maps.Keys(nested)) {
		path := prefix + name
		below, isMap := nested[name].(map[string]any)
		switch _, twice := flat[path]; {
		case isMap && depth < deepest:
			if err := flatten(path+".", below, flat, depth+1); err != nil {
				return err
			}
		case twice && show(flat[path]) != show(nested[name]):
			return &KnobError{Key: path, Value: show(nested[name]), Allowed: "the same key says " + show(flat[path])}
		default:
			flat[path] = nested[name]
		}
	}
	return nil
}

// applySet sets values in table order. The profile comes first, so that the defaults it brings hold unless they are set
// apart (spec 2.3).
func applySet(c Config, set map[string]setKnob) Config {
	if p, ok := set[keyProfile]; ok && p.value.(Profile) != c.Profile {
		c = withProfile(c, p.value.(Profile))
	}
	for i := range knobs {
		if s, ok := set[knobs[i].Key]; ok {
			s.knob.set(&c, s.value)
		}
	}
	return c
}

// withProfile changes the profile with the knobs that hang on it.
func withProfile(c Config, p Profile) Config {
	if p == ProfileSource {
		return SourceDefaults(c)
	}
	d := DefaultConfig()
	c.Profile, c.Mode, c.TailMaxTokens, c.Check, c.Fold = p, d.Mode, d.TailMaxTokens, d.Check, d.Fold
	return c
}
