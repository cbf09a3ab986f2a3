package compaction

import "strings"

// Everything of a span reaches the summarizer inside fences whose names say that it is past and data (spec 4.6, cases
// B49 and B52). Data that contains one of the names as a tag is escaped, so that a tool result cannot close its fence
// and go on as an instruction.
const (
	fenceMessage = "past_message"
	fenceCall    = "past_tool_call"
	fenceResult  = "past_tool_result"
	fenceSummary = "past_summary"
)

// fencePrefix begins all their names. The envelope of spec 4.7 is escaped along with them.
const fencePrefix = "past_"

var fenceNames = [...]string{fenceMessage, fenceCall, fenceResult, fenceSummary, "compaction_summary"}

// openFence writes `<name attrs>`; attrs are pairs and already safe.
func openFence(sb *strings.Builder, name string, attrs ...string) {
	sb.WriteByte('<')
	sb.WriteString(name)
	for i := 0; i+1 < len(attrs); i += 2 {
		sb.WriteByte(' ')
		sb.WriteString(attrs[i])
		sb.WriteString(`="`)
		sb.WriteString(attrs[i+1])
		sb.WriteByte('"')
	}
	sb.WriteByte('>')
}

// closeFence ends the line before it, if that is still open.
func closeFence(sb *strings.Builder, name string) {
	if s := sb.String(); s != "" && s[len(s)-1] != '\n' {
		sb.WriteByte('\n')
	}
	sb.WriteString("</")
	sb.WriteString(name)
	sb.WriteString(">\n")
}

// escapeFences writes `&lt;` for the `<` of every tag in s, opening or closing, that bears a fence's name in any case
// and with any blanks inside.
func escapeFences(s string) string {
	i := nextFence(s, 0)
	if i < 0 {
		return s
	}
	var sb strings.Builder
	done := 0
	for ; i >= 0; i = nextFence(s, i+1) {
		sb.WriteString(s[done:i])
		sb.WriteString("&lt;")
		done = i + 1
	}
	sb.WriteString(s[done:])
	return sb.String()
}

// nextFence finds the `<` of a fence's tag at or after i, or -1.
func nextFence(s string, i int) int {
	for ; i < len(s); i++ {
		lt := strings.IndexByte(s[i:], '<')
		if lt < 0 {
			return -1
		}
		i += lt
		if isFence(s[i+1:]) {
			return i
		}
	}
	return -1
}

// isFence reports whether s, the text behind a `<`, goes on as a fence's tag.
func isFence(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n/\\")
	for _, name := range fenceNames {
		if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
			return true
		}
	}
	return false
}

// dropFences takes our tags out of an answer: a model may copy them, and what a summary holds is no recording any more.
func dropFences(s string) string {
	var sb strings.Builder
	done := 0
	for i := nextFence(s, 0); i >= 0; i = nextFence(s, i+1) {
		end := strings.IndexByte(s[i:], '>')
		if i < done || end < 0 || !strings.Contains(strings.ToLower(s[i:i+end]), fencePrefix) {
			continue
		}
		sb.WriteString(s[done:i])
		done = i + end + 1
	}
	if done == 0 {
		return s
	}
	sb.WriteString(s[done:])
	return sb.String()
}

// attr makes a name of a model's or a provider's choosing fit to stand in a fence's attribute.
func attr(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '"' || r == '<' || r == '>' || r < ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, masked(s))
	return cutRunes(s, 100)
}
