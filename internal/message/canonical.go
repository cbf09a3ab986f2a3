package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// CanonicalInput is the one spelling of a tool input: compact JSON, an object, valid UTF-8, with the escapes that
// encoding/json adds for HTML undone. A stored call then has the same bytes, and so the same units and the same place in a prompt cache,
// before and after a restart (spec 4.2, 4.10). Nothing, blank and null become {}; other values are an error.
func CanonicalInput(raw []byte) (json.RawMessage, error) {
	in := bytes.TrimSpace(raw)
	if len(in) == 0 || bytes.Equal(in, []byte("null")) {
		return json.RawMessage("{}"), nil
	}
	if in[0] != '{' {
		return nil, errors.New("not a JSON object")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, in); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return plainBytes(compact.Bytes()), nil
}

// canonicalRaw does the same for JSON of any kind that is known to be well formed.
func canonicalRaw(raw json.RawMessage) json.RawMessage {
	var compact bytes.Buffer
	if len(raw) == 0 || json.Compact(&compact, raw) != nil {
		return raw
	}
	return plainBytes(compact.Bytes())
}

func plainBytes(compact []byte) json.RawMessage {
	return unescapeHTML(bytes.ToValidUTF8(compact, []byte("\ufffd")))
}

// htmlEscapes are the escapes json.Marshal writes where a plain character would do.
var htmlEscapes = map[string]string{
	`\u003c`: "<", `\u003e`: ">", `\u0026`: "&", `\u2028`: "\u2028", `\u2029`: "\u2029",
}

// unescapeHTML undoes them. It steps over every other escape as a pair, so that an escaped backslash before a "u003c"
// stays what it is.
func unescapeHTML(in []byte) []byte {
	if !bytes.Contains(in, []byte(`\u`)) {
		return in
	}
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); i++ {
		if in[i] != '\\' || i+1 >= len(in) {
			out = append(out, in[i])
			continue
		}
		if plain, ok := plainFor(in[i:]); ok {
			out = append(out, plain...)
			i += len(`\u003c`) - 1
			continue
		}
		out = append(out, in[i], in[i+1])
		i++
	}
	return out
}

func plainFor(in []byte) (string, bool) {
	if len(in) < len(`\u003c`) || in[1] != 'u' {
		return "", false
	}
	plain, ok := htmlEscapes[strings.ToLower(string(in[:6]))]
	return plain, ok
}
