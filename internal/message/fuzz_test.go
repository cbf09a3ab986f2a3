package message_test

import (
	"fmt"
	"testing"

	"tidemark/internal/message"
)

// FuzzRepair builds a history from bytes, one block a byte, and holds Repair to all its laws. The high bit starts a new
// message, the next two say whose; then come the kind of block and an id out of four.
func FuzzRepair(f *testing.F) {
	for _, seed := range []string{
		"",
		"\x80\xa8\x90",                 // U A{t0} R(t0)
		"\xa8\x29\xb0",                 // the assistant opens with two calls
		"\x80\xa8\x80\x90\x11",         // speech between call and result, and an orphan
		"\x80\xa8\x90\xa8\x90\x90",     // one id twice, and a duplicate
		"\x80\xa4\xa4\x80\xa4",         // thinking alone
		"\x80\xa8\x00\x80\x10\x00\xb8", // results behind text
		"\xc0\xe8\xd0",                 // roles nobody knows
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 200 {
			t.Skip("long histories find nothing that short ones do not")
		}
		checkRepairLaws(t, fromBytes(data))
	})
}

func fromBytes(data []byte) []message.Message {
	var out []message.Message
	roles := []message.Role{message.RoleUser, message.RoleAssistant, "tool", ""}
	for i, b := range data {
		if len(out) == 0 || b&0x80 != 0 {
			out = append(out, message.Message{Role: roles[b>>5&3]})
		}
		m := &out[len(out)-1]
		m.Blocks = append(m.Blocks, blockFromByte(b&0x1f, i))
	}
	return out
}

func blockFromByte(b byte, i int) message.Block {
	id, words := fmt.Sprintf("t%d", b&3), fmt.Sprintf("text %d.", i)
	switch b >> 2 {
	case 0:
		return text(words)
	case 1:
		return message.Thinking{Thinking: words}
	case 2:
		return use(id)
	case 3:
		return text(" ")
	case 4:
		return result(id, words)
	case 5:
		return result(id, "same")
	case 6:
		return message.ToolResult{ToolUseID: id, Content: message.Blocks{text(words), text(""), use("t9")}}
	default:
		return message.Image{MediaType: "image/png", Data: words}
	}
}
