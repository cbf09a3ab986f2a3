package compaction

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/message"
)

// prompt is one version of what the summarizer is told. A version is never edited after it was used: a change is a new
// version, which also forces cache misses (spec 2.3).
type prompt struct {
	system string
	span   string // closing instruction after a span
	fold   string // closing instruction after a fold's parents
	repair string // what is said when a draft left facts out
}

// prompts are the texts by version; [PromptVersions] lists their names.
var prompts = map[string]prompt{"1.0.0": prompt100}

// promptFor finds the texts of an effective version.
func promptFor(effective string) (prompt, error) {
	p, ok := prompts[promptKnob(effective)]
	if !ok {
		return prompt{}, fmt.Errorf("summary prompt version %q does not exist; there are %s",
			effective, strings.Join(PromptVersions, ", "))
	}
	return p, nil
}

// FactsHeading stands above the facts that a summary must keep, one line each.
const FactsHeading = "Facts to keep"

// closing is the one instruction behind the span: what to write, how long, the focus of a manual pass, the facts. The
// facts come last, so that nothing else is taken for one.
func (p prompt) closing(job Job, limit int) string {
	var sb strings.Builder
	text := p.span
	if len(job.Parents) > 0 {
		text = p.fold
	}
	fmt.Fprintf(&sb, text, summaryWords(limit))
	if f := focusLine(job.Focus); f != "" {
		fmt.Fprintf(&sb, "\n\nThe user asked for this summary and wants above all: %s", f)
	}
	writeFacts(&sb, job.Facts)
	return sb.String()
}

// summaryWords is the length to aim at. A word takes about two tokens by the fallback estimate, more in code and paths,
// so a third of the limit leaves room: a text that is too long is refused, not cut (case B52).
func summaryWords(limit int) int { return max(limit/3, 20) }

// focusLine is the focus text as one masked line (case B51).
func focusLine(focus string) string {
	return strings.Join(strings.Fields(data(cutRunes(focus, maxFocusRunes))), " ")
}

const maxFocusRunes = 500

func writeFacts(sb *strings.Builder, facts []Fact) {
	if len(facts) == 0 {
		return
	}
	sb.WriteString("\n\n" + factsIntro + "\n\n" + FactsHeading + ":\n")
	for _, f := range facts {
		sb.WriteString(factLine(f))
	}
}

// factLine is one fact as one line; it is a quotation of the span and so data like the rest.
func factLine(f Fact) string {
	return "- " + strings.Join(strings.Fields(data(f.Text)), " ") + "\n"
}

// repairMessages goes on from a request whose answer left facts out: the draft as the assistant's own, and one user
// message that lists the facts again, the dropped ones first (spec 6.3).
func (p prompt) repairMessages(asked []message.Message, draft string, facts []Fact, missing []string) []message.Message {
	var sb strings.Builder
	sb.WriteString(p.repair)
	writeFacts(&sb, droppedFirst(facts, missing))
	out := append([]message.Message(nil), asked...)
	for _, m := range []message.Message{
		message.NewAssistant(message.Text{Text: draft}), message.NewUser(message.Text{Text: sb.String()}),
	} {
		m.Seq, m.Synthetic = -1, true
		out = append(out, m)
	}
	return out
}

func droppedFirst(facts []Fact, missing []string) []Fact {
	var first, rest []Fact
	for _, f := range facts {
		if slices.Contains(missing, f.ID) {
			first = append(first, f)
		} else {
			rest = append(rest, f)
		}
	}
	return append(first, rest...)
}
