package config

import (
	"errors"
	"fmt"
	"strings"

	"tidemark/internal/compaction"
)

// override reads one line of limits.overrides, such as "compaction.threshold_tokens.max".
func (f *fileReader) override(g given) error {
	dot := strings.LastIndexByte(g.spelling, '.')
	knob, bound := g.spelling[:max(dot, 0)], g.spelling[dot+1:]
	lim := f.overrides[knob]
	var ok bool
	switch bound {
	case "min":
		lim.Min, ok = text(g.value)
	case "max":
		lim.Max, ok = text(g.value)
	case "only":
		lim.Only, ok = textList(g.value)
	case "locked":
		lim.Locked, ok = g.value.(bool)
	}
	if !ok {
		return &Error{compaction.KnobError{Key: overridesKey + g.spelling, Value: clip(fmt.Sprint(g.value)), Allowed: "allowed: " +
			"below a knob's name, min and max (a value), only (a list of values), locked (true, false)"}, g.from.String()}
	}
	f.overrides[knob] = lim
	return nil
}

func (f *fileReader) checkOverrides() error {
	err := f.overrides.Validate()
	var ke *compaction.KnobError
	if errors.As(err, &ke) {
		ke.Key = overridesKey + ke.Key
		return &Error{*ke, source{"file", f.path}.String()}
	}
	return err
}
