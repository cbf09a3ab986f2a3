package transcript

import (
	"strings"
	"time"

	"tidemark/internal/message"
)

// builder puts a recording together row by row.
type builder struct {
	rec Recording
	// gathering is true while the last row holds nothing but results that each had a record of their own.
	gathering bool
}

// row is what one record of a file adds.
type row struct {
	role      message.Role
	blocks    message.Blocks
	usage     message.Usage
	synthetic bool
	at        time.Time
}

func (b *builder) add(r row) {
	b.gathering = false
	m := message.Message{Role: r.role, Blocks: r.blocks, Synthetic: r.synthetic, CreatedAt: r.at}
	b.rec.Messages = append(b.rec.Messages, m)
	b.rec.Usages = append(b.rec.Usages, r.usage)
}

// extend adds blocks to an earlier row.
func (b *builder) extend(i int, blocks message.Blocks) {
	m := &b.rec.Messages[i]
	m.Blocks = append(m.Blocks, blocks...)
}

// result adds a result that stands in a record of its own; neighbors make one user message (spec 3.1).
func (b *builder) result(r message.ToolResult, at time.Time) {
	blocks := message.Blocks{r}
	if b.gathering {
		b.extend(len(b.rec.Messages)-1, blocks)
		return
	}
	b.add(row{role: message.RoleUser, blocks: blocks, at: at})
	b.gathering = true
}

// instruct takes what a system or developer says: before the first message its text belongs to the system prompt, later
// it is a labeled user message. Nobody typed it, so it is synthetic and opens no turn.
func (b *builder) instruct(role string, blocks message.Blocks, at time.Time) {
	text, rest := splitText(blocks)
	switch {
	case strings.TrimSpace(text) == "":
	case len(b.rec.Messages) == 0:
		b.rec.System = joinSystem(b.rec.System, text)
	default:
		rest = append(message.Blocks{message.Text{Text: "[" + role + " message]\n" + text}}, rest...)
	}
	if len(rest) > 0 {
		b.add(row{role: message.RoleUser, blocks: rest, synthetic: true, at: at})
	}
}

// splitText gives the text of a list and the blocks that are none.
func splitText(blocks message.Blocks) (string, message.Blocks) {
	var rest message.Blocks
	for _, b := range blocks {
		if _, ok := b.(message.Text); !ok {
			rest = append(rest, b)
		}
	}
	return blocks.PlainText(), rest
}

func joinSystem(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// lastAssistant is the index of the newest assistant row, -1 when there is none.
func (b *builder) lastAssistant() int {
	for i := len(b.rec.Messages) - 1; i >= 0; i-- {
		if b.rec.Messages[i].Role == message.RoleAssistant {
			return i
		}
	}
	return -1
}

func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{} // times are for display alone
	}
	return t.UTC()
}
