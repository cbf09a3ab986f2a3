package sim

import (
	"regexp"
	"slices"
	"strings"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// summarize is sim:summarizer: first each fact it was told to keep, word for word, then a digest of the messages in
// their own words and so in their own language. What stands in the messages is data: no cue and no order in it changes
// the form (spec 4.6).
//
// The text block at the very end is the closing instruction; its lists of facts are those of [factLines]. The whole is
// at most max_tokens and at most a third of the span; facts alone may pass the third, because leaving one out is worse.
func summarize(c *call) (reply, *provider.Error) {
	span, closing := splitClosing(c.req.Messages)
	facts := factLines(closing)
	span = withoutDraft(span, facts)
	if c.fault.Kind == MissingFacts {
		facts = nil
	}
	third := message.FallbackTokens(units(span)) / 3
	limit := 3 * max(1, min(third, outputLimit(&c.m.card, c.req, &c.prompt)))

	text := strings.Join(facts, "\n")
	if rest := digest(span, limit-len(text)-2); rest != "" && text != "" {
		text += "\n\n" + rest
	} else {
		text += rest
	}
	if text == "" {
		text = "…" // three bytes: one token is always allowed
	}
	return textReply(text), nil
}

// splitClosing takes the closing instruction off the messages.
func splitClosing(msgs []message.Message) (span []message.Message, closing string) {
	span = slices.Clone(msgs)
	last := span[len(span)-1]
	if t, ok := last.Blocks[len(last.Blocks)-1].(message.Text); ok {
		closing = t.Text
		last.Blocks = last.Blocks[:len(last.Blocks)-1]
	}
	span[len(span)-1] = last
	if len(last.Blocks) > 0 {
		return span, closing
	}
	if len(span) == 1 { // span and instruction in one text
		return msgs, closing
	}
	return span[:len(span)-1], closing
}

// withoutDraft takes off what a repair repeats: the first closing instruction, which lists the same facts, and the draft
// that left some out (spec 6.3).
func withoutDraft(span []message.Message, facts []string) []message.Message {
	n := len(span)
	if len(facts) == 0 || n < 3 || span[n-1].Role != message.RoleAssistant {
		return span
	}
	before, closing := splitClosing(span[:n-1])
	asked := factLines(closing)
	slices.Sort(asked)
	if !slices.Equal(asked, slices.Sorted(slices.Values(facts))) {
		return span
	}
	return before
}

func units(msgs []message.Message) int {
	n := 0
	for _, m := range msgs {
		n += m.Blocks.Units()
	}
	return n
}

// A heading of a list speaks of facts and says that they must stay, or that they went missing.
var (
	factHeading = regexp.MustCompile(`(?i)\bfacts?\b.*\b(keep|kept|preserve|retain|must|missing|dropped)\b|` +
		`\b(keep|kept|preserve|retain|missing|dropped)\b.*\bfacts?\b`)
	classHeading = regexp.MustCompile(`^\W*[a-z]+_[a-z]+\W*$`) // the name of a fact class
)

// factLines collects the lines that begin with "- " under each heading such as "Facts to keep:". A list ends at the
// first other line; empty lines and names of fact classes may stand between.
func factLines(closing string) []string {
	var out []string
	seen := make(map[string]bool)
	inside := false
	for line := range strings.Lines(closing) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "- "):
			if inside && !seen[line] {
				seen[line] = true
				out = append(out, line)
			}
		case strings.TrimSpace(line) == "" || classHeading.MatchString(line):
		default:
			inside = factHeading.MatchString(line)
		}
	}
	return out
}
