package message_test

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/message"
)

// Short names for histories in tests.
var (
	user      = message.NewUser
	assistant = message.NewAssistant
)

func text(s string) message.Text { return message.Text{Text: s} }

func use(id string) message.ToolUse {
	return message.ToolUse{ID: id, Name: "bash", Input: []byte("{}")}
}

func result(id, s string) message.ToolResult { return message.TextResult(id, s, false) }

// sketch writes a history in the notation of the cases: U speech, A{t1,t2} calls, R(t1) results.
func sketch(msgs []message.Message) string {
	rows := make([]string, len(msgs))
	for i, m := range msgs {
		parts := make([]string, len(m.Blocks))
		for j, b := range m.Blocks {
			parts[j] = sketchBlock(b)
		}
		rows[i] = map[message.Role]string{message.RoleUser: "U", message.RoleAssistant: "A"}[m.Role] + "[" + strings.Join(parts, " ") + "]"
	}
	return strings.Join(rows, " ")
}

func sketchBlock(b message.Block) string {
	switch v := b.(type) {
	case message.Text:
		return v.Text
	case message.ToolUse:
		return "use:" + v.ID
	case message.ToolResult:
		return "res:" + v.ToolUseID + "=" + v.Content.PlainText()
	default:
		return b.Type()
	}
}

func show(msgs []message.Message) string {
	var sb strings.Builder
	for i, m := range msgs {
		fmt.Fprintf(&sb, "%d %s %+v\n", i, m.Role, m.Blocks)
	}
	return sb.String()
}

func texts(msgs []message.Message) []string {
	var out []string
	for _, m := range msgs {
		out = append(out, blockTexts(m.Blocks)...)
	}
	return out
}

func blockTexts(bs message.Blocks) []string {
	var out []string
	for _, b := range bs {
		switch v := b.(type) {
		case message.Text:
			out = append(out, v.Text)
		case message.ToolResult:
			out = append(out, blockTexts(v.Content)...)
		}
	}
	return out
}

func countBlocks(msgs []message.Message, typ string) int {
	n := 0
	for _, m := range msgs {
		n += countType(m.Blocks, typ)
	}
	return n
}

// countType counts images and opaque blocks inside results too; a call inside a result is none.
func countType(bs message.Blocks, typ string) int {
	n := 0
	for _, b := range bs {
		if b != nil && b.Type() == typ {
			n++
		}
		if r, ok := b.(message.ToolResult); ok && typ != message.TypeToolUse {
			n += countType(r.Content, typ)
		}
	}
	return n
}

func deepCopy(msgs []message.Message) []message.Message {
	out := make([]message.Message, len(msgs))
	for i, m := range msgs {
		out[i] = m.Clone()
	}
	return slices.Clip(out)
}

// scribble overwrites every slice a caller could reach.
func scribble(msgs []message.Message) {
	for _, m := range msgs {
		for i, b := range m.Blocks {
			if r, ok := b.(message.ToolResult); ok {
				for j := range r.Content {
					r.Content[j] = text("scribbled")
				}
				_ = append(r.Content, text("scribbled"))
			}
			m.Blocks[i] = text("scribbled")
		}
		_ = append(m.Blocks, text("scribbled"))
	}
}
