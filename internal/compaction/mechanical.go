package compaction

import "tidemark/internal/message"

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
// order. It is total: it has an answer for each input (case B94).
func Mechanical(ds []Digest, opt MechanicalOptions) MechanicalSummary {
	return MechanicalSummary{}
}
