package compaction

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/message"
)

// rules are the standing instructions that do not stand in an instruction shown in full (case B45).
func (w *writer) rules() []line {
	shown := w.shownAsks()
	var out []line
	for _, n := range newestFirst(w.d.Limits) {
		f := Fact{Class: ClassUserConstraint, Text: n.Text, Seq: n.Seq}
		if strings.Contains(shown, n.Text) {
			w.facts = append(w.facts, f)
			continue
		}
		out = append(out, line{text: n.Text, fact: f})
	}
	return out
}

// shownAsks is the text of the sections so far, white space folded.
func (w *writer) shownAsks() string {
	var sb strings.Builder
	for i := range w.out {
		for _, l := range w.out[i].lines {
			sb.WriteString(l.text)
			sb.WriteByte('\n')
		}
	}
	return foldSpace(sb.String())
}

// notes are lines that say who said it, so that a guess of the model does not become a fact (case B54).
func (w *writer) notes(list []Note, class FactClass) []line {
	shown := w.shownAsks()
	var out []line
	for _, n := range newestFirst(list) {
		f := Fact{Class: class, Text: n.Text, Seq: n.Seq}
		if n.User && strings.Contains(shown, n.Text) {
			w.facts = append(w.facts, f)
			continue
		}
		who := ""
		if !n.User && class == ClassDecisionState {
			who = "assistant: "
		}
		out = append(out, line{text: who + n.Text, fact: f})
	}
	return out
}

func newestFirst(list []Note) []Note {
	l := slices.Clone(list)
	slices.SortStableFunc(l, func(a, b Note) int { return int(b.Seq - a.Seq) })
	return l
}

// state tells decided, done and next: the plan, the last answer and the last words before the newest action (case B28).
func (w *writer) state() []line {
	var out []line
	if n := len(w.d.Answers); n > 0 {
		out = append(out, line{text: fmt.Sprintf("last answer [%d]: %s", w.d.Answers[n-1].Seq, w.d.Answers[n-1].Text)})
	}
	if n := len(w.d.Says); n > 0 && (len(w.d.Answers) == 0 || w.d.Says[n-1].Seq > w.d.Answers[len(w.d.Answers)-1].Seq) {
		out = append(out, line{text: fmt.Sprintf("then said [%d]: %s", w.d.Says[n-1].Seq, w.d.Says[n-1].Text)})
	}
	if a := w.lastAction(); a != "" {
		out = append(out, line{text: "last action: " + a})
	}
	if w.d.Plan != nil {
		for _, it := range w.d.Plan.Items {
			t := fmt.Sprintf("plan: %s: %s", it.Text, it.State)
			l := line{text: t}
			if low := strings.ToLower(it.State); low != "completed" && low != "done" {
				l.fact = Fact{Class: ClassDecisionState, Text: t, Seq: w.d.Plan.Seq}
			}
			out = append(out, l)
		}
	}
	return out
}

// lastAction is the newest call with its outcome.
func (w *writer) lastAction() string {
	best, text := message.Seq(-1), ""
	for _, list := range [][]RunFact{w.d.Commands, w.d.Tools} {
		for i := range list {
			if list[i].Last >= best {
				best, text = list[i].Last, runText(&list[i])
			}
		}
	}
	for i := range w.d.Files {
		if w.d.Files[i].Last >= best {
			best, text = w.d.Files[i].Last, fileText(&w.d.Files[i])
		}
	}
	return text
}
