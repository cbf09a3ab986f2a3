package transcript

import (
	"bytes"
	"encoding/json"
	"strings"

	"tidemark/internal/message"
)

// toolInput makes an object of whatever a call carries: an object as it is, a string that spells an object as that
// object, everything else under the key "input".
func toolInput(raw json.RawMessage) json.RawMessage {
	if in, err := message.CanonicalInput(raw); err == nil {
		return in
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return toolArguments(s)
	}
	return wrapInput(raw)
}

// toolArguments does the same for arguments that come as a string.
func toolArguments(s string) json.RawMessage {
	if in, err := message.CanonicalInput([]byte(s)); err == nil && strings.TrimSpace(s) != "null" {
		return in
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage("{}") // a string always marshals
	}
	return wrapInput(quoted)
}

func wrapInput(value json.RawMessage) json.RawMessage {
	return canonical(append(append([]byte(`{"input":`), value...), '}'))
}

// canonical is the spelling of well-formed JSON that a stored block keeps.
func canonical(raw json.RawMessage) json.RawMessage {
	wrapped := append(append([]byte(`{"x":`), raw...), '}')
	in, err := message.CanonicalInput(wrapped)
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	return in[len(`{"x":`) : len(in)-1]
}

// image reads the three spellings of inline data. An image that is only linked to stays with its provider: nil.
func (p *part) image() message.Block {
	switch {
	case p.Source != nil && p.Source.Data != "":
		return message.Image{MediaType: p.Source.MediaType, Data: p.Source.Data}
	case p.Source == nil && p.Data != "":
		return message.Image{MediaType: p.MediaType, Data: p.Data}
	case p.ImageURL != nil:
		return dataURL(imageLink(p.ImageURL))
	}
	return nil
}

// imageLink reads a bare string, or the object around it.
func imageLink(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return ""
	}
	return o.URL
}

func dataURL(link string) message.Block {
	rest, ok := strings.CutPrefix(link, "data:")
	if !ok {
		return nil
	}
	mediaType, data, ok := strings.Cut(rest, ";base64,")
	if !ok || data == "" {
		return nil
	}
	return message.Image{MediaType: mediaType, Data: data}
}

// flatten keeps text and images and turns everything else into labeled text, raw. The empty text goes: a result without
// content has one form.
func flatten(in message.Blocks) message.Blocks {
	var out message.Blocks
	for _, b := range in {
		switch v := b.(type) {
		case message.Text:
			if v.Text != "" {
				out = append(out, v)
			}
		case message.Image:
			out = append(out, v)
		case message.Thinking:
			out = append(out, message.Text{Text: "[thinking]\n" + v.Thinking})
		case message.ToolUse:
			out = append(out, message.Text{Text: "[call of " + v.Name + "]\n" + string(v.Input)})
		case message.ToolResult:
			out = append(out, v.Content...)
		case message.Opaque:
			out = append(out, message.Text{Text: "[" + v.Kind + "]\n" + string(v.Raw)})
		}
	}
	return out
}
