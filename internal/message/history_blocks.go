package message

import (
	"fmt"
	"strings"
)

// checkBlocks holds the blocks of one message to spec 3.3, whatever its neighbors are.
func checkBlocks(m *Message) string {
	past := false // a block that is no result was seen
	for _, b := range m.Blocks {
		r, isResult := b.(ToolResult)
		rule := checkBlock(m.Role, b)
		if isResult {
			rule = checkResult(m.Role, r, past)
		}
		if rule != "" {
			return rule
		}
		past = past || !isResult
	}
	if onlyThinking(m.Blocks) {
		return "message holds nothing but thinking"
	}
	return ""
}

func checkBlock(role Role, b Block) string {
	switch v := b.(type) {
	case nil:
		return "no block where one should be"
	case Text:
		if isBlank(v.Text) {
			return "blank text block"
		}
	case Thinking:
		if role != RoleAssistant {
			return "thinking in a user message"
		}
	case ToolUse:
		if role != RoleAssistant {
			return fmt.Sprintf("tool_use %q in a user message", v.ID)
		}
		if v.ID == "" || v.Name == "" {
			return "tool_use without id or name"
		}
	}
	return ""
}

// checkResult lets one blank text pass as content: a command that prints a newline said just that.
func checkResult(role Role, r ToolResult, past bool) string {
	switch {
	case role != RoleUser:
		return fmt.Sprintf("tool_result %q in an assistant message", r.ToolUseID)
	case past:
		return fmt.Sprintf("tool_result %q does not stand first", r.ToolUseID)
	}
	for _, c := range r.Content {
		if c == nil || !fitsResult(c.Type()) {
			return fmt.Sprintf("tool_result %q holds a block that is not text or image", r.ToolUseID)
		}
		if t, ok := c.(Text); ok && isBlank(t.Text) && len(r.Content) > 1 {
			return fmt.Sprintf("blank text block in tool_result %q", r.ToolUseID)
		}
	}
	return ""
}

func onlyThinking(bs Blocks) bool {
	for _, b := range bs {
		if _, ok := b.(Thinking); !ok {
			return false
		}
	}
	return true
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
