package compaction

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/pricing"
)

// Untyped is a value that came without a type: from the environment, a flag, an unquoted scalar of a YAML file.
type Untyped string

// boolKnob is a yes or no.
func boolKnob(key string, at func(*Config) *bool) Knob {
	return Knob{
		Key: key, Allowed: "allowed: true, false", parse: parseBool,
		set: func(c *Config, v any) { *at(c) = v.(bool) },
		get: func(c Config) any { return *at(&c) },
	}
}

// switchKnob is one of the two switches whose conjunction is Auto; Apply combines them.
func switchKnob(key string) Knob {
	k := boolKnob(key, func(c *Config) *bool { return &c.Auto })
	k.set = func(c *Config, v any) { c.Auto = c.Auto && v.(bool) }
	return k
}

func intKnob(key string, low, high int, at func(*Config) *int) Knob {
	return Knob{
		Key: key, Allowed: fmt.Sprintf("allowed: a whole number from %d to %d", low, high),
		parse: func(v any) (any, bool) {
			n, ok := parseInt(v)
			return n, ok && low <= n && n <= high
		},
		set: func(c *Config, v any) { *at(c) = v.(int) },
		get: func(c Config) any { return *at(&c) },
	}
}

// ratioKnob is more than 0 and at most 1.
func ratioKnob(key string, at func(*Config) *float64) Knob {
	return floatKnob(key, "allowed: more than 0, at most 1", func(f float64) bool { return f > 0 && f <= 1 }, at)
}

// openRatioKnob is more than 0 and less than 1 (requirements D1.5).
func openRatioKnob(key string, at func(*Config) *float64) Knob {
	return floatKnob(key, "allowed: more than 0, less than 1", func(f float64) bool { return f > 0 && f < 1 }, at)
}

func floatKnob(key, allowed string, in func(float64) bool, at func(*Config) *float64) Knob {
	return Knob{
		Key: key, Allowed: allowed,
		parse: func(v any) (any, bool) {
			f, ok := parseFloat(v)
			return f, ok && in(f)
		},
		set: func(c *Config, v any) { *at(c) = v.(float64) },
		get: func(c Config) any { return *at(&c) },
	}
}

// enumKnob is one of a closed set.
func enumKnob[T ~string](key string, at func(*Config) *T, values ...T) Knob {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return Knob{
		Key: key, Allowed: "allowed: " + strings.Join(names, ", "),
		parse: func(v any) (any, bool) {
			s, ok := parseString(v)
			return T(s), ok && slices.Contains(names, s)
		},
		set: func(c *Config, v any) { *at(c) = v.(T) },
		get: func(c Config) any { return *at(&c) },
	}
}

// modelKnob is "provider:model", or empty for the small model of the session's model. Whether the model exists is for
// whoever has the registry.
func modelKnob(key string, at func(*Config) *string) Knob {
	return Knob{
		Key: key, Allowed: `allowed: "provider:model", or empty for the small model of the session's model`,
		parse: func(v any) (any, bool) {
			s, ok := parseString(v)
			provider, name, cut := strings.Cut(s, ":")
			named := cut && provider != "" && name != "" && len(s) <= 200 && !strings.ContainsFunc(s, unprintable)
			return s, ok && (s == "" || named)
		},
		set: func(c *Config, v any) { *at(c) = v.(string) },
		get: func(c Config) any { return *at(&c) },
	}
}

// moneyKnob is a decimal string of zero or more, exact to the database's unit (spec 7.4). A JSON number is refused:
// whoever wrote it may have rounded it already.
func moneyKnob(key string, at func(*Config) *pricing.USD) Knob {
	return Knob{
		Key: key, Allowed: `allowed: a decimal string of "0" or more with at most 12 decimals, like "0.20"`,
		parse: func(v any) (any, bool) {
			if u, ok := v.(pricing.USD); ok {
				return u, validMoney(u)
			}
			s, ok := parseString(v)
			if !ok {
				return nil, false
			}
			u, err := pricing.Parse(s)
			return u, err == nil && validMoney(u)
		},
		set: func(c *Config, v any) { *at(c) = v.(pricing.USD) },
		get: func(c Config) any { return *at(&c) },
	}
}

func serverWide(k Knob) Knob {
	k.ServerWide = true
	return k
}
