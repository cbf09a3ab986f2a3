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

// FactsHeading begins the heading above each list of facts that a summary must keep, one line each.
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

// writeFacts lists the facts: those that must stand word for word, then those of which the substance is enough.
func writeFacts(sb *strings.Builder, facts []Fact) {
	writeList(sb, factsVerbatim, FactsHeading+" word for word", facts, true)
	writeList(sb, factsInSubstance, FactsHeading+" in substance", facts, false)
}

func writeList(sb *strings.Builder, intro, heading string, facts []Fact, failClosed bool) {
	started := false
	for _, f := range facts {
		if f.Class.FailClosed() != failClosed {
			continue
		}
		if !started {
			sb.WriteString(paragraph(sb.String()) + intro + "\n\n" + heading + ":\n")
			started = true
		}
		sb.WriteString(factLine(f))
	}
}

// paragraph is what a new paragraph needs behind s.
func paragraph(s string) string {
	if strings.HasSuffix(s, "\n") {
		return "\n"
	}
	return "\n\n"
}

// factLine is one fact as one line; it is a quotation of the span and so data like the rest. A long goal is cut: the
// gate does not ask for all of it either.
func factLine(f Fact) string {
	text := strings.Join(strings.Fields(data(f.Text)), " ")
	if !f.Class.FailClosed() {
		text = cutRunes(text, maxGoalRunes)
	}
	return "- " + text + "\n"
}

const maxGoalRunes = 600

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
