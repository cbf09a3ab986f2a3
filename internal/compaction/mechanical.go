package compaction

import (
	"slices"
	"strings"

	"tidemark/internal/message"
)

// SummaryLink names the summary that a mechanical summary continues; it becomes its summary_link fact.
type SummaryLink struct {
	ID      string
	Version int64
	Span    message.Span
}

// MechanicalOptions bound and tie a mechanical summary.
type MechanicalOptions struct {
	MaxTokens int          // of Text, by the fallback estimate; at most a third of the span (spec 2.3)
	Link      *SummaryLink // the previous summary, if there is one
	Focus     string       // what a manual pass asked to keep in view
}

// MechanicalSummary is phase 1's answer (spec 6.1).
type MechanicalSummary struct {
	Text   string
	Tokens int          // fallback estimate of Text
	Facts  []Fact       // retention shadow: at most 12 a class, newest first, each standing in Text
	Left   []ClassCount // facts that the bound left out of Text, in the order of FactClasses
	Digest Digest       // bounded merge, stored with the summary so that a fold need not read rows
}

// Mechanical writes the summary of a span from its rows' digests, or of a fold from its parents' digests, in transcript
// order (spec 6.1, 4.8). Same input, same bytes. It is total: it has an answer within MaxTokens for each input, in the
// end a cut one (case B94).
func Mechanical(ds []Digest, opt MechanicalOptions) MechanicalSummary {
	d := mergeAll(ds)
	opt.Focus, _ = Mask(opt.Focus)
	w := newWriter(&d, ds, opt)
	w.sections()
	order := rankSpecifics(d.Specifics, d.Topics, "")
	text := cutBytes(w.fill(order), 3*opt.MaxTokens)
	if strings.TrimSpace(text) == "" && opt.MaxTokens > 0 {
		text = cutBytes("(nothing to tell)", 3*opt.MaxTokens)
	}
	out := MechanicalSummary{Text: text, Tokens: message.FallbackTokens(len(text))}
	out.Facts, out.Left = shadow(w.facts, &d, text)
	out.Digest = trimDigest(d, order, DefaultDigestBound)
	return out
}

// shadow picks the facts that stand in the text, white space folded, newest first, and counts those that do not.
func shadow(all []Fact, d *Digest, text string) ([]Fact, []ClassCount) {
	left := leftByClass(d.Left)
	text = foldSpace(text)
	var facts []Fact
	for k, class := range FactClasses {
		var mine []Fact
		for _, f := range all {
			if f.Class != class || f.Text == "" {
				continue
			}
			if !strings.Contains(text, foldSpace(f.Text)) {
				left[k].N++
				continue
			}
			mine = append(mine, newFact(f.Class, f.Text, f.Seq))
		}
		slices.SortStableFunc(mine, func(a, b Fact) int { return int(b.Seq - a.Seq) })
		facts = append(facts, mine[:min(len(mine), MaxFactsPerClass)]...)
	}
	return facts, slices.DeleteFunc(left, func(c ClassCount) bool { return c.N == 0 })
}

// leftByClass is what earlier bounds, of rows or of parents, left out.
func leftByClass(l Left) []ClassCount {
	n := map[FactClass]int{
		ClassActiveGoal: l.Asks, ClassUserConstraint: l.Limits, ClassPermissionBoundary: l.Permits, ClassActivePath: l.Files,
		ClassToolOutcome: l.Commands + l.Tools + l.Errors, ClassProviderPressure: l.Pressure, ClassDecisionState: l.Decisions,
	}
	out := make([]ClassCount, 0, len(FactClasses))
	for _, c := range FactClasses {
		out = append(out, ClassCount{Class: c, N: n[c]})
	}
	return out
}
