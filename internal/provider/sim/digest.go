package sim

import (
	"fmt"
	"strings"

	"tidemark/internal/message"
)

// digest has one line a message: the first, which is mostly the goal, then the newest that fit into size bytes.
func digest(msgs []message.Message, size int) string {
	lines := digestLines(msgs)
	if len(lines) == 0 || size <= 0 {
		return ""
	}
	head := lines[0]
	room := size - len(head) - len("\n(+000000)\n")
	from := len(lines)
	for from > 1 && room >= len(lines[from-1])+1 {
		from--
		room -= len(lines[from]) + 1
	}
	out := []string{head}
	if from > 1 {
		out = append(out, fmt.Sprintf("(+%d)", from-1))
	}
	text := strings.Join(append(out, lines[from:]...), "\n")
	return strings.TrimSpace(cutBytes(text, size))
}

// digestLines has a line for each message with text, or for each line of a span that came as one text.
func digestLines(msgs []message.Message) (lines []string) {
	for _, m := range msgs {
		if line := digestLine(m); line != "" {
			lines = append(lines, line)
		}
	}
	if len(msgs) > 1 {
		return lines
	}
	lines = nil
	for _, m := range msgs {
		for line := range strings.Lines(m.PlainText()) {
			if line = excerpt(line, 150); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// digestLine is who said what, in its first words.
func digestLine(m message.Message) string {
	text := excerpt(firstSentence(m.Blocks.PlainText()), 150)
	if text == "" {
		return ""
	}
	if m.Role == message.RoleAssistant {
		return "Assistant: " + text
	}
	return "User: " + text
}
