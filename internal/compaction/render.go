package compaction

import (
	"fmt"
	"strings"

	"tidemark/internal/message"
)

// RenderSpan puts a span before the summarizer (spec 4.6): messages of text alone, with tool calls and results as
// labelled text inside their own messages (cases B12, B13, B121), thinking dropped (B37, B120), images and opaque blocks
// as placeholders, and everything masked. The closing instruction is the last block of the last user message. The
// result passes [message.ValidateHistory] whatever the rows are: neighbors of one role share a message, and a stub opens
// a span that begins with the assistant.
func RenderSpan(rows []message.Message, closing string) []message.Message {
	r := renderer{ids: make(toolNames)}
	for i := range rows {
		r.add(rows[i].Role, r.row(&rows[i]))
	}
	return r.close(closing)
}

// RenderFold puts the raw texts of a fold's parents before the summarizer, oldest first (spec 4.8). A parent is a
// mandatory input: what only it knows would be lost otherwise (case B43).
func RenderFold(parents []string, closing string) []message.Message {
	var r renderer
	for i, p := range parents {
		var sb strings.Builder
		openFence(&sb, fenceSummary, "part", fmt.Sprintf("%d of %d", i+1, len(parents)))
		sb.WriteByte('\n')
		sb.WriteString(escapeFences(masked(p)))
		closeFence(&sb, fenceSummary)
		r.add(message.RoleUser, sb.String())
	}
	return r.close(closing)
}

// spanStub opens a rendered span that begins with the assistant.
const spanStub = "(The recording begins with an answer of the assistant.)"

type renderer struct {
	ids toolNames
	out []message.Message
}

// add appends text in the role's voice, to the message before when that has the same role.
func (r *renderer) add(role message.Role, text string) {
	if text == "" {
		return
	}
	if role != message.RoleAssistant {
		role = message.RoleUser
	}
	if n := len(r.out); n > 0 && r.out[n-1].Role == role {
		r.out[n-1].Blocks = append(r.out[n-1].Blocks, message.Text{Text: text})
		return
	}
	if len(r.out) == 0 && role == message.RoleAssistant {
		r.add(message.RoleUser, spanStub)
	}
	r.out = append(r.out, message.Message{Seq: -1, Role: role, Blocks: message.Blocks{message.Text{Text: text}}})
}

func (r *renderer) close(closing string) []message.Message {
	r.add(message.RoleUser, closing)
	for i := range r.out {
		r.out[i].Synthetic = true
		r.out[i].Count()
	}
	return r.out
}

// row renders one message, or nothing when nothing in it is for the summarizer.
func (r *renderer) row(m *message.Message) string {
	var sb strings.Builder
	for _, b := range m.Blocks {
		r.block(&sb, b)
	}
	if strings.TrimSpace(sb.String()) == "" {
		return ""
	}
	var out strings.Builder
	out.Grow(sb.Len() + 64)
	openFence(&out, fenceMessage, "from", string(m.Role))
	out.WriteString(sb.String())
	closeFence(&out, fenceMessage)
	return out.String()
}

func (r *renderer) block(sb *strings.Builder, b message.Block) {
	switch v := b.(type) {
	case message.Text:
		writeLine(sb, data(v.Text))
	case message.ToolUse:
		openFence(sb, fenceCall, "id", r.ids.name(v.ID), "tool", attr(v.Name))
		sb.WriteByte('\n')
		writeLine(sb, data(string(v.Input)))
		closeFence(sb, fenceCall)
	case message.ToolResult:
		r.result(sb, v)
	case message.Image:
		writeLine(sb, imageNote(v))
	case message.Opaque:
		writeLine(sb, opaqueNote(v))
	}
}

func (r *renderer) result(sb *strings.Builder, v message.ToolResult) {
	status := "ok"
	if v.IsError {
		status = "error"
	}
	openFence(sb, fenceResult, "id", r.ids.name(v.ToolUseID), "status", status)
	sb.WriteByte('\n')
	if s, ok := onlyText(v.Content); ok {
		writeLine(sb, data(s))
	} else {
		for _, c := range v.Content {
			r.block(sb, c)
		}
	}
	closeFence(sb, fenceResult)
}

// data is text of the span, masked and unable to leave its fence.
func data(s string) string { return escapeFences(masked(s)) }

func writeLine(sb *strings.Builder, s string) {
	sb.WriteString(s)
	if s != "" && !strings.HasSuffix(s, "\n") {
		sb.WriteByte('\n')
	}
}

// imageNote names type and size of an image, which is all that is sent of it.
func imageNote(img message.Image) string {
	return fmt.Sprintf("[image: %s, %d bytes]", attr(img.MediaType), len(imageBytes(img)))
}

// opaqueNote stands for a block that only its provider understands.
func opaqueNote(o message.Opaque) string {
	return fmt.Sprintf("[%s block of %s, not shown]", attr(o.Kind), attr(o.Provider))
}
