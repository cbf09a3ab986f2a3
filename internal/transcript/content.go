package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"tidemark/internal/message"
)

// content turns the content of one message into blocks. Provider names whose types the unknown ones are.
type content struct{ provider string }

// part is the union of what the forms call a block, a content part or an item.
type part struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Refusal   *string         `json:"refusal"`
	Thinking  *string         `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   *bool           `json:"is_error"`
	MediaType string          `json:"media_type"`
	Data      string          `json:"data"`
	Provider  string          `json:"provider"`
	Kind      string          `json:"kind"`
	Raw       json.RawMessage `json:"raw"`
	ImageURL  json.RawMessage `json:"image_url"`
	Source    *struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

// blocks reads a string, a list of parts, or nothing.
func (c content) blocks(raw json.RawMessage) (message.Blocks, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0, bytes.Equal(raw, []byte("null")):
		return nil, nil
	case raw[0] == '"':
		return textBlock(raw)
	case raw[0] != '[':
		return nil, errors.New("content is neither a string nor a list of blocks")
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, err
	}
	var out message.Blocks
	for i, p := range parts {
		b, err := c.block(p)
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", i+1, err)
		}
		out = append(out, b)
	}
	return out, nil
}

func textBlock(raw json.RawMessage) (message.Blocks, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	if s == "" {
		return nil, nil
	}
	return message.Blocks{message.Text{Text: s}}, nil
}

func (c content) block(raw json.RawMessage) (message.Block, error) {
	if raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		return message.Text{Text: s}, err
	}
	var p part
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	switch p.Type {
	case "tool_result":
		return c.result(p)
	case "":
		if p.Text == nil {
			return nil, errors.New("no type")
		}
		return message.Text{Text: *p.Text}, nil
	}
	if b := p.known(); b != nil {
		return b, nil
	}
	return message.Opaque{Provider: c.provider, Kind: p.Type, Raw: canonical(raw)}, nil
}

// known converts the types that mean the same in every form; nil for the others, and for images that are not here.
func (p *part) known() message.Block {
	switch p.Type {
	case "text", "input_text", "output_text", "summary_text", "reasoning_text":
		return message.Text{Text: deref(p.Text)}
	case "refusal":
		return message.Text{Text: "[refusal]\n" + deref(p.Refusal)}
	case "thinking":
		return message.Thinking{Thinking: deref(p.Thinking), Signature: p.Signature}
	case "tool_use":
		return message.ToolUse{ID: p.ID, Name: p.Name, Input: toolInput(p.Input)}
	case "image", "image_url", "input_image":
		return p.image()
	case "opaque":
		return message.Opaque{Provider: p.Provider, Kind: p.Kind, Raw: canonical(p.Raw)}
	}
	return nil
}

// result reads a tool_result. What may not stand inside one becomes labeled text.
func (c content) result(p part) (message.Block, error) {
	inside, err := c.blocks(p.Content)
	if err != nil {
		return nil, fmt.Errorf("tool_result %.80q: %w", p.ToolUseID, err)
	}
	r := message.ToolResult{ToolUseID: p.ToolUseID, Content: flatten(inside)}
	r.IsError = p.IsError != nil && *p.IsError
	return r, nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
