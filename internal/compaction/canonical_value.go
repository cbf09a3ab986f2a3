package compaction

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// canonicalInput reads a tool input. It is masked as the JSON text it is, since only there a secret still stands beside
// its name.
func canonicalInput(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(strings.NewReader(masked(string(raw))))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return canonicalValue(v), nil
}

// canonicalValue replaces the numbers of a decoded value in place.
func canonicalValue(v any) any {
	switch t := v.(type) {
	case json.Number:
		return canonicalNumber(string(t))
	case []any:
		for i := range t {
			t[i] = canonicalValue(t[i])
		}
	case map[string]any:
		for k := range t {
			t[k] = canonicalValue(t[k])
		}
	}
	return v
}

// canonicalNumber is an int64 when the text has neither point nor exponent and fits one, else a float64. A number beyond
// float64 is infinite, with its sign.
func canonicalNumber(s string) any {
	if !strings.ContainsAny(s, ".eE") {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return s
	}
	return f
}
