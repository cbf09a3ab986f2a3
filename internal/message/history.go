package message

import (
	"fmt"
	"strings"
)

// InvalidHistoryError names the first rule of spec 3.3 that a history breaks and where. Index is the place in the
// list; Seq is the transcript seq of that message, -1 for a synthetic one.
type InvalidHistoryError struct {
	Index int
	Seq   Seq
	Rule  string
}

func (e *InvalidHistoryError) Error() string {
	return fmt.Sprintf("history is not valid at message %d (seq %d): %s", e.Index, e.Seq, e.Rule)
}

// ValidateHistory holds a list of messages to spec 3.3: starts and ends with user, strict alternation, nothing empty or
// blank, each tool_use answered exactly once in the very next message, each result preceded by its use and standing
// first, ids unique. It returns an *InvalidHistoryError for the first break.
func ValidateHistory(msgs []Message) error {
	if len(msgs) == 0 {
		return &InvalidHistoryError{0, -1, "no messages"}
	}
	seen := make(map[string]bool)
	var open map[string]bool // calls of the message before
	for i := range msgs {
		m := &msgs[i]
		rule := checkPlace(msgs, i)
		if rule == "" {
			rule = checkBlocks(m)
		}
		if rule == "" {
			rule = checkResults(m, open)
		}
		if rule == "" {
			open, rule = collectUses(m, seen)
		}
		if rule != "" {
			return &InvalidHistoryError{i, m.Seq, rule}
		}
	}
	last := msgs[len(msgs)-1]
	if last.Role != RoleUser {
		return &InvalidHistoryError{len(msgs) - 1, last.Seq, "does not end with a user message"}
	}
	return nil
}

func checkPlace(msgs []Message, i int) string {
	m := msgs[i]
	switch {
	case m.Role != RoleUser && m.Role != RoleAssistant:
		return fmt.Sprintf("role %q is not known", m.Role)
	case i == 0 && m.Role != RoleUser:
		return "does not start with a user message"
	case i > 0 && msgs[i-1].Role == m.Role:
		return fmt.Sprintf("two %s messages in a row", m.Role)
	case len(m.Blocks) == 0:
		return "empty message"
	}
	return ""
}

func checkBlocks(m *Message) string {
	past := false // a block that is no result was seen
	for _, b := range m.Blocks {
		switch v := b.(type) {
		case Text:
			if strings.TrimSpace(v.Text) == "" {
				return "blank text block"
			}
		case ToolUse:
			if m.Role != RoleAssistant {
				return fmt.Sprintf("tool_use %q in a user message", v.ID)
			}
			if v.ID == "" || v.Name == "" {
				return "tool_use without id or name"
			}
		case ToolResult:
			if m.Role != RoleUser {
				return fmt.Sprintf("tool_result %q in an assistant message", v.ToolUseID)
			}
			if past {
				return fmt.Sprintf("tool_result %q does not stand first", v.ToolUseID)
			}
			for _, c := range v.Content {
				if t, ok := c.(Text); ok && strings.TrimSpace(t.Text) == "" && len(v.Content) > 1 {
					return fmt.Sprintf("blank text block in tool_result %q", v.ToolUseID)
				}
			}
			continue
		case Thinking:
			if m.Role != RoleAssistant {
				return "thinking in a user message"
			}
		}
		past = true
	}
	if onlyThinking(m) {
		return "message holds nothing but thinking"
	}
	return ""
}

func onlyThinking(m *Message) bool {
	for _, b := range m.Blocks {
		if _, ok := b.(Thinking); !ok {
			return false
		}
	}
	return true
}

func checkResults(m *Message, open map[string]bool) string {
	answered := make(map[string]bool, len(open))
	for _, r := range m.ToolResults() {
		switch {
		case !open[r.ToolUseID]:
			return fmt.Sprintf("tool_result %q has no call in the message before", r.ToolUseID)
		case answered[r.ToolUseID]:
			return fmt.Sprintf("two results for call %q", r.ToolUseID)
		}
		answered[r.ToolUseID] = true
	}
	for id := range open {
		if !answered[id] {
			return fmt.Sprintf("call %q has no result in this message", id)
		}
	}
	return ""
}

func collectUses(m *Message, seen map[string]bool) (map[string]bool, string) {
	uses := m.ToolUses()
	if len(uses) == 0 {
		return nil, ""
	}
	open := make(map[string]bool, len(uses))
	for _, u := range uses {
		if seen[u.ID] {
			return nil, fmt.Sprintf("tool_use id %q is not unique", u.ID)
		}
		seen[u.ID], open[u.ID] = true, true
	}
	return open, ""
}
