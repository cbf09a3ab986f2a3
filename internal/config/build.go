package config

import (
	"errors"
	"fmt"
	"maps"

	"tidemark/internal/compaction"
)

// build lays the layers over the defaults, lowest first.
func build(layers ...layer) (Config, error) {
	merged := make(layer)
	for _, l := range layers {
		maps.Copy(merged, l)
	}
	c := Default()
	c.from, c.switches = make(map[string]source), make(map[string]string)
	knobs := make(map[string]any)
	for key, g := range merged {
		s := bySpelling[key]
		c.from[key] = g.from
		if s.knob != nil {
			knobs[key] = g.value
			if isSwitch(key) {
				c.switches[key] = fmt.Sprint(g.value)
			}
			continue
		}
		v, _ := s.parse(g.value) // checked when it entered its layer
		s.set(&c, v)
	}
	var err error
	c.Compaction, err = compaction.Apply(c.Compaction, knobs)
	var ke *compaction.KnobError
	if errors.As(err, &ke) {
		return Config{}, &Error{*ke, c.Origin(ke.Key)}
	}
	return c, err
}

// Origin says where a setting was written, "default" when nowhere.
func (c Config) Origin(key string) string {
	if from, ok := c.from[key]; ok {
		return from.String()
	}
	return "default"
}

// odd lists what is allowed and yet likely a mistake.
func odd(c Config) []string {
	var out []string
	if n := len(c.AdminKey.Reveal()); n > 0 && n < 16 {
		out = append(out, "admin_key has fewer than 16 characters: whoever guesses it owns this server")
	}
	return out
}
