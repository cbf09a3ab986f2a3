package transcript

import (
	"encoding/json"
	"errors"
	"fmt"

	"tidemark/internal/message"
)

// chatMessage is one message of the corpus, of an Anthropic or of an OpenAI array: the union of their keys.
type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Usage      json.RawMessage `json:"usage"`
	Name       string          `json:"name"`
	ToolCalls  []chatCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
	OldCall    *chatFunction   `json:"function_call"`
	Refusal    string          `json:"refusal"`
	Reasoning  string          `json:"reasoning_content"`
	Synthetic  bool            `json:"synthetic"`
	Timestamp  string          `json:"timestamp"`
}

type chatCall struct {
	ID       string        `json:"id"`
	Function *chatFunction `json:"function"`
	Custom   *chatFunction `json:"custom"`
}

type chatFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
}

// chat adds messages of these forms to a recording.
type chat struct {
	*builder
	in content
}

// add adds one message. The caller says where it stood when it is malformed.
func (c chat) add(m *chatMessage) error {
	if m.Role == "" || (m.Content == nil && !m.saysOtherwise()) {
		return errors.New("no role or no content")
	}
	blocks, err := c.in.blocks(m.Content)
	if err != nil {
		return err
	}
	at := parseTime(m.Timestamp)
	switch m.Role {
	case "system", "developer":
		c.instruct(m.Role, blocks, at)
	case "tool", "function":
		c.result(message.ToolResult{ToolUseID: m.ToolCallID, Content: flatten(blocks)}, at)
	case "user", "assistant":
		return c.speak(m, blocks)
	default:
		return fmt.Errorf("role %.40q is not known", m.Role)
	}
	return nil
}

// saysOtherwise is true for a message whose words stand beside its content.
func (m *chatMessage) saysOtherwise() bool {
	return len(m.ToolCalls) > 0 || m.OldCall != nil || m.Refusal != "" || m.Reasoning != ""
}

func (c chat) speak(m *chatMessage, blocks message.Blocks) error {
	u, err := usage(m.Usage)
	if err != nil {
		return fmt.Errorf("%s: %w", wantUsage, err)
	}
	if m.Reasoning != "" {
		blocks = append(message.Blocks{message.Thinking{Thinking: m.Reasoning}}, blocks...)
	}
	if m.Refusal != "" {
		blocks = append(blocks, message.Text{Text: "[refusal]\n" + m.Refusal})
	}
	blocks = append(blocks, m.calls()...)
	c.builder.add(row{message.Role(m.Role), blocks, u, m.Synthetic, parseTime(m.Timestamp)})
	return nil
}

// calls gives the calls that stand beside the content. The oldest spelling has no id; results to it have none either.
func (m *chatMessage) calls() message.Blocks {
	var out message.Blocks
	if m.OldCall != nil {
		out = append(out, m.OldCall.use(""))
	}
	for _, call := range m.ToolCalls {
		switch {
		case call.Function != nil:
			out = append(out, call.Function.use(call.ID))
		case call.Custom != nil:
			out = append(out, call.Custom.use(call.ID))
		default:
			out = append(out, message.ToolUse{ID: call.ID, Input: json.RawMessage("{}")})
		}
	}
	return out
}

func (f *chatFunction) use(id string) message.ToolUse {
	in := f.Arguments
	if in == nil {
		in = f.Input
	}
	return message.ToolUse{ID: id, Name: f.Name, Input: toolInput(in)}
}
