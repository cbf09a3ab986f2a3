package sim

import (
	"fmt"
	"strings"

	"tidemark/internal/message"
)

// aboutResults comments on the newest tool results, one line each.
func (c *call) aboutResults() string {
	names := make(map[string]string, len(c.turn.uses))
	for _, u := range c.turn.uses {
		names[u.ID] = u.Name
	}
	lines := make([]string, len(c.turn.results))
	for i, r := range c.turn.results {
		lines[i] = aboutResult(names[r.ToolUseID], r)
	}
	return strings.Join(lines, "\n")
}

func aboutResult(tool string, r message.ToolResult) string {
	text := strings.TrimSpace(r.Content.PlainText())
	switch {
	case r.IsError && text == "":
		return fmt.Sprintf("`%s` failed without saying why.", tool)
	case r.IsError:
		return fmt.Sprintf("`%s` failed: %s", tool, excerpt(text, 160))
	case text == "":
		return fmt.Sprintf("`%s` came back without text.", tool)
	}
	first, rest, more := strings.Cut(text, "\n")
	if !more {
		return fmt.Sprintf("`%s` says: %s", tool, excerpt(first, 160))
	}
	return fmt.Sprintf("`%s` came back with %d lines; the first reads: %s", tool, strings.Count(rest, "\n")+2, excerpt(first, 160))
}
