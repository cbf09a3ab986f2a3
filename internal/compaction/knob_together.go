package compaction

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkTogether holds what no knob can say alone, and blames the one that was set.
func checkTogether(c Config, set map[string]setKnob) error {
	if c.HardCapTokens > c.ThresholdTokens {
		return nil
	}
	threshold, ok := set[keyThreshold]
	if _, capSet := set[keyHardCap]; ok && !capSet {
		return &KnobError{Key: threshold.spelling, Value: show(c.ThresholdTokens), Allowed: fmt.Sprintf(
			"allowed: less than %s, which is %d", keyHardCap, c.HardCapTokens)}
	}
	return &KnobError{Key: keyHardCap, Value: show(c.HardCapTokens), Allowed: fmt.Sprintf(
		"allowed: more than %s, which is %d", keyThreshold, c.ThresholdTokens)}
}

// Validate checks every knob of a configuration that was not made by Apply, such as a stored one.
func Validate(c Config) error {
	for i := range knobs {
		if err := knobs[i].Check(knobs[i].Key, knobs[i].get(c)); err != nil {
			return err
		}
	}
	return checkTogether(c, nil)
}

// unknownKnob also knows names below "compaction.".
func unknownKnob(spelling string) error {
	e := UnknownKey(spelling, slices.Collect(maps.Keys(bySpelling)))
	if !strings.Contains(e.Allowed, "did you mean") {
		if near := Nearest("compaction."+spelling, slices.Collect(maps.Keys(bySpelling))); near != "" {
			e.Allowed += "; did you mean " + strings.TrimPrefix(near, "compaction.") + "?"
		}
	}
	return e
}

// UnknownKey refuses a key that is none of the known ones, and names the nearest when it is a likely slip of the
// keyboard.
func UnknownKey(spelling string, known []string) *KnobError {
	e := &KnobError{Key: clip(spelling), Allowed: "unknown key"}
	below := func(name string) bool { return strings.HasPrefix(name, spelling+".") }
	if slices.ContainsFunc(known, below) {
		e.Allowed = "is a group of settings, not one"
	} else if near := Nearest(spelling, known); near != "" {
		e.Allowed += "; did you mean " + near + "?"
	}
	return e
}
