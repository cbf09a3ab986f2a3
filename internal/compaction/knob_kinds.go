package compaction

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
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

func validMoney(u pricing.USD) bool {
	_, err := u.Pico()
	return err == nil && u.Sign() >= 0
}

func unprintable(r rune) bool { return r <= ' ' || r == 0x7f || !strconv.IsPrint(r) }

func parseBool(v any) (any, bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case Untyped:
		return v == "true", v == "true" || v == "false"
	}
	return nil, false
}

func parseString(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case Untyped:
		return string(v), true
	case Profile:
		return string(v), true
	case Mode:
		return string(v), true
	case Check:
		return string(v), true
	case SwapRule:
		return string(v), true
	}
	return "", false
}

func parseInt(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case json.Number:
		return parseInt(Untyped(v))
	case float64:
		// JSON knows one kind of number; 30000.0 and 3e4 are whole.
		return int(v), v == math.Trunc(v) && math.Abs(v) < 1<<53
	case Untyped:
		if n, err := strconv.Atoi(string(v)); err == nil {
			return n, true
		}
		if f, err := strconv.ParseFloat(string(v), 64); err == nil && !strings.ContainsAny(string(v), "xXpP_") {
			return parseInt(f)
		}
	}
	return 0, false
}

func parseFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, !math.IsNaN(v)
	case int:
		return float64(v), true
	case json.Number:
		return parseFloat(Untyped(v))
	case Untyped:
		f, err := strconv.ParseFloat(string(v), 64)
		return f, err == nil && !math.IsNaN(f)
	}
	return 0, false
}

// show renders a value for an error or a listing.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return clip(strconv.Quote(v))
	case Untyped:
		return clip(string(v))
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case map[string]any, []any:
		b, _ := json.Marshal(v) //nolint:errcheck // decoded from JSON or YAML a moment ago
		return clip(string(b))
	}
	return clip(fmt.Sprint(v))
}

// clip keeps a hostile value from filling an error message.
func clip(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
