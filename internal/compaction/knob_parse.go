package compaction

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tidemark/internal/pricing"
)

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
