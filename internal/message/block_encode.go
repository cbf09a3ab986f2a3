package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// rawBlock is the JSON shape of every block; only the fields of its type are written.
type rawBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	Data      string          `json:"data,omitempty"`
	Provider  string          `json:"provider,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	Raw       json.RawMessage `json:"raw,omitempty"`
	Source    *struct {
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source,omitempty"`
}

// MarshalJSON writes the list in the form of spec 3.1. A nil list is written as [].
func (bs Blocks) MarshalJSON() ([]byte, error) {
	out := make([]rawBlock, 0, len(bs))
	for _, b := range bs {
		r, err := toRaw(b)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

func toRaw(b Block) (rawBlock, error) {
	if b == nil {
		return rawBlock{}, errors.New("no block where one should be")
	}
	r := rawBlock{Type: b.Type()}
	switch v := b.(type) {
	case Text:
		r.Text = &v.Text
	case Thinking:
		r.Thinking, r.Signature = &v.Thinking, v.Signature
	case ToolUse:
		r.ID, r.Name, r.Input = v.ID, v.Name, v.Input
		if len(r.Input) == 0 {
			r.Input = json.RawMessage("{}")
		}
	case ToolResult:
		c, err := marshalContent(v.Content)
		if err != nil {
			return r, err
		}
		r.ToolUseID, r.Content, r.IsError = v.ToolUseID, c, v.IsError
	case Image:
		r.MediaType, r.Data = v.MediaType, v.Data
	case Opaque:
		r.Provider, r.Kind, r.Raw = v.Provider, v.Kind, v.Raw
	default:
		return r, fmt.Errorf("block type %T is not known", b)
	}
	return r, nil
}

// marshalContent writes a result's content: a string when it is at most one text, else a list.
func marshalContent(c Blocks) (json.RawMessage, error) {
	if len(c) == 0 {
		return json.RawMessage(`""`), nil
	}
	if t, ok := c[0].(Text); ok && len(c) == 1 {
		return json.Marshal(t.Text)
	}
	return c.MarshalJSON()
}
