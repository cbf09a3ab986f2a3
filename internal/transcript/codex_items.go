package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"tidemark/internal/message"
)

var errNoMessage = errors.New("no message")

// codexItems are the response items that older rollouts write without an envelope.
var codexItems = map[string]bool{
	"message": true, "reasoning": true, "function_call": true, "function_call_output": true, "custom_tool_call": true,
	"custom_tool_call_output": true, "local_shell_call": true, "web_search_call": true,
}

// codexItem is the union of the response items.
type codexItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

func (c *codexLog) item(payload json.RawMessage) error {
	var it codexItem
	if err := json.Unmarshal(payload, &it); err != nil {
		return err
	}
	switch {
	case it.Type == "message":
		return c.message(&it)
	case it.Type == "reasoning":
		return c.reasoning(&it)
	case strings.HasSuffix(it.Type, "_output"):
		return c.output(&it)
	case strings.HasSuffix(it.Type, "_call") && it.callID() != "" && it.Type != "web_search_call":
		c.speak(message.RoleAssistant, message.Blocks{it.use()})
	case it.Type == "", it.Type == "ghost_snapshot": // a state line, a marker for undo
	default:
		raw := canonical(payload)
		c.speak(message.RoleAssistant, message.Blocks{message.Opaque{Provider: c.in.provider, Kind: it.Type, Raw: raw}})
	}
	return nil
}

func (it *codexItem) callID() string {
	if it.CallID == "" {
		return it.ID
	}
	return it.CallID
}

// use reads a call: arguments as a string of JSON, free input, or an action. A call without a name is named by its type.
func (it *codexItem) use() message.ToolUse {
	u := message.ToolUse{ID: it.callID(), Name: it.Name}
	if u.Name == "" {
		u.Name = strings.TrimSuffix(it.Type, "_call")
	}
	for _, in := range []json.RawMessage{it.Arguments, it.Input, it.Action} {
		if in != nil {
			u.Input = toolInput(in)
			return u
		}
	}
	u.Input = json.RawMessage("{}")
	return u
}

func (c *codexLog) message(it *codexItem) error {
	blocks, err := c.in.blocks(it.Content)
	if err != nil {
		return err
	}
	switch it.Role {
	case "user", "assistant":
		c.speak(message.Role(it.Role), blocks)
	case "":
		return errors.New("no role")
	default:
		c.answering = false
		c.instruct(it.Role, blocks, c.at)
	}
	return nil
}

// reasoning keeps what can be read as thinking and the encrypted form as its signature: only the provider can use it, and
// it counts nothing in a history (spec 4.2).
func (c *codexLog) reasoning(it *codexItem) error {
	summary, err := c.in.blocks(it.Summary)
	if err != nil {
		return err
	}
	full, err := c.in.blocks(it.Content)
	if err != nil {
		return err
	}
	text := append(summary, full...).PlainText()
	c.speak(message.RoleAssistant, message.Blocks{message.Thinking{Thinking: text, Signature: it.Encrypted}})
	return nil
}

// output reads a result: a string, parts, or an object around either.
func (c *codexLog) output(it *codexItem) error {
	c.answering = false
	r := message.ToolResult{ToolUseID: it.callID()}
	raw := bytes.TrimSpace(it.Output)
	if len(raw) > 0 && raw[0] == '{' {
		var o struct {
			Content json.RawMessage `json:"content"`
			Success *bool           `json:"success"`
		}
		if err := json.Unmarshal(raw, &o); err != nil {
			return err
		}
		r.IsError = o.Success != nil && !*o.Success
		if o.Content != nil {
			raw = o.Content
		}
	}
	if len(raw) > 0 && raw[0] == '{' { // an object of its own: keep it as it is
		r.Content = message.Blocks{message.Text{Text: string(canonical(raw))}}
		c.result(r, c.at)
		return nil
	}
	blocks, err := c.in.blocks(raw)
	r.Content = flatten(blocks)
	c.result(r, c.at)
	return err
}
