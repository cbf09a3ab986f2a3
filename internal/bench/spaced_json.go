package bench

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// spacedJSON writes a call's input as the measure defines it: blanks after `:` and `,`, text not escaped to ASCII.
func spacedJSON(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var sb strings.Builder
	if err := spaceValue(dec, &sb); err != nil {
		return string(raw)
	}
	return sb.String()
}

func spaceValue(dec *json.Decoder, sb *strings.Builder) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	switch v := tok.(type) {
	case json.Delim:
		return spaceList(dec, sb, v)
	case string:
		sb.WriteString(quoteJSON(v))
	case json.Number:
		sb.WriteString(v.String())
	case bool:
		sb.WriteString(strconv.FormatBool(v))
	default:
		sb.WriteString("null")
	}
	return nil
}

func spaceList(dec *json.Decoder, sb *strings.Builder, open json.Delim) error {
	sb.WriteRune(rune(open))
	for n := 0; dec.More(); n++ {
		if n > 0 {
			sb.WriteString(", ")
		}
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			sb.WriteString(quoteJSON(key.(string)))
			sb.WriteString(": ")
		}
		if err := spaceValue(dec, sb); err != nil {
			return err
		}
	}
	end, err := dec.Token()
	if err == nil {
		sb.WriteRune(rune(end.(json.Delim)))
	}
	return err
}

// quoteJSON escapes what JSON must and nothing more.
func quoteJSON(s string) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return strconv.Quote(s)
	}
	q := strings.TrimSuffix(buf.String(), "\n")
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(q)
}
