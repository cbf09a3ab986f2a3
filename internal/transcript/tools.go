package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"tidemark/internal/message"
)

// wireTool is a tool as the forms write it: flat with one of three names for the schema, inside "function", or a name.
type wireTool struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	CamelSchema json.RawMessage `json:"inputSchema"`
	Parameters  json.RawMessage `json:"parameters"`
	Function    *wireTool       `json:"function"`
}

// tools reads a list of tools; nothing and null are an empty one.
func tools(raw json.RawMessage) ([]message.ToolSpec, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	var out []message.ToolSpec
	for i, item := range items {
		t, err := tool(item)
		if err != nil {
			return nil, fmt.Errorf("tool %d: %w", i+1, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func tool(raw json.RawMessage) (message.ToolSpec, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil && name != "" {
		return message.ToolSpec{Name: name, InputSchema: anyObject}, nil
	}
	var w wireTool
	if err := json.Unmarshal(raw, &w); err != nil {
		return message.ToolSpec{}, err
	}
	return w.spec()
}

func (w *wireTool) spec() (message.ToolSpec, error) {
	if w.Function != nil {
		w = w.Function
	}
	out := message.ToolSpec{Name: w.Name, Description: w.Description, InputSchema: anyObject}
	if out.Name == "" {
		out.Name = w.Type // a server-side tool may have nothing but its type
	}
	if out.Name == "" {
		return out, errors.New("no name")
	}
	for _, schema := range []json.RawMessage{w.InputSchema, w.CamelSchema, w.Parameters} {
		if in, err := message.CanonicalInput(schema); err == nil && string(in) != "{}" {
			out.InputSchema = in
		}
	}
	return out, nil
}

// system reads a system prompt: a string, or the texts of a list of blocks.
func system(raw json.RawMessage) (string, error) {
	blocks, err := content{}.blocks(raw)
	if err != nil {
		return "", err
	}
	out := ""
	for _, b := range blocks {
		if t, ok := b.(message.Text); ok {
			out = joinSystem(out, t.Text)
		}
	}
	return out, nil
}
