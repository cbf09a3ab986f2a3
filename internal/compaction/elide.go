package compaction

import (
	"fmt"

	"tidemark/internal/message"
)

// elide replaces the content of every result in a row by a note with tool, size and seq (spec 4.9). before is the row
// that made the calls.
func elide(m, before message.Message) message.Message {
	names := make(map[string]string)
	for _, u := range before.ToolUses() {
		names[u.ID] = u.Name
	}
	m = m.Clone()
	for i, b := range m.Blocks {
		if r, ok := b.(message.ToolResult); ok {
			note := elisionNote(names[r.ToolUseID], r.Content.Units(), m.Seq)
			m.Blocks[i] = message.TextResult(r.ToolUseID, note, r.IsError)
		}
	}
	m.Count()
	return m
}

func elisionNote(tool string, size int, seq message.Seq) string {
	if tool == "" {
		tool = "tool"
	}
	return fmt.Sprintf("[result of %s left out to save room: %d bytes, message %d]", tool, size, seq)
}

// Elision is a set of rows whose results the view shows as notes from now on.
type Elision struct {
	Seqs  []message.Seq
	Saved int // tokens
}

// Elide chooses the oldest read results of rows until at least need unscaled tokens are saved, see [Planner.Excess]
// (spec 4.9). Rows from unread on hold results that the model has not seen and stay, as do rows elided before. It returns
// what it can, maybe nothing.
func Elide(rows []message.Message, already map[message.Seq]bool, unread message.Seq, need int) Elision {
	var e Elision
	var before message.Message
	for _, m := range rows {
		if e.Saved >= need || m.Seq >= unread {
			break
		}
		if len(m.ToolResults()) > 0 && !already[m.Seq] {
			if saved := m.Tokens - elide(m, before).Tokens; saved > 0 {
				e.Seqs = append(e.Seqs, m.Seq)
				e.Saved += saved
			}
		}
		before = m
	}
	return e
}

// ElidedTokens is what elisions save of rows in the view.
func ElidedTokens(rows []message.Message, elided map[message.Seq]bool) int {
	if len(elided) == 0 {
		return 0
	}
	n := 0
	var before message.Message
	for _, m := range rows {
		if elided[m.Seq] {
			n += m.Tokens - elide(m, before).Tokens
		}
		before = m
	}
	return n
}
