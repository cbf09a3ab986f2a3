package web

import (
	"reflect"
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/views"
)

// passFacts are a pass with its texts; those are left empty for who may not read them.
type passFacts struct {
	pass    compaction.Pass
	read    bool // the reader may see text
	summary string
	covered []message.Message
}

// Bounds of what the record shows of a span.
const (
	coveredShown = 200
	coveredChars = 400
)

func newPassRecord(f passFacts) views.PassRecord {
	p := f.pass
	rec := views.PassRecord{
		ID: p.ID, Facts: recordFacts(p), Gate: newGateTable(p.Gate, f.read), Candidate: newCandidate(p.Candidate, f.read),
		Error: strings.TrimSpace(failureText(p)),
	}
	if rec.Candidate != nil && reflect.DeepEqual(p.Gate, p.Candidate.Gate) {
		rec.Candidate.Gate = nil // it is the pass's own
	}
	if !f.read {
		rec.Hidden = "Your role sees numbers only: the summary and the messages it covers are not shown."
		return rec
	}
	rec.Summary = f.summary
	if f.summary == "" {
		rec.Summary = "This pass has no summary."
	}
	for _, m := range f.covered[:min(len(f.covered), coveredShown)] {
		rec.Covered = append(rec.Covered, views.CoveredRow{Seq: number(m.Seq), Role: string(m.Role), Text: excerpt(m)})
	}
	rec.CoveredN = plural(p.SpanMessageCount, "message", "messages") + ", " + number(p.SpanTokenCountIn) + " tokens"
	return rec
}

func failureText(p compaction.Pass) string {
	if p.FailureMode == "" {
		return ""
	}
	text := look(failureWords, p.FailureMode, string(p.FailureMode))
	if p.Futile {
		text += "; it would have freed too little"
	}
	if p.ErrorMessage != "" {
		text += ": " + p.ErrorMessage
	}
	return text
}

func recordFacts(p compaction.Pass) []views.Fact {
	return []views.Fact{
		{Name: "Span", Value: number(p.SpanStart) + " to " + number(p.SpanEnd), About: "Message seqs, the end left out"},
		{Name: "Span tokens", Value: number(p.SpanTokenCountIn) + " → " + number(p.SpanTokenCountOut), About: "What the summary replaces → the summary"},
		{Name: "Threshold", Value: number(p.Threshold), About: "Tokens of history at which a pass runs"},
		{Name: "Estimator", Value: string(p.Estimator), About: "How tokens were counted"},
		{Name: "Model", Value: orUnknown(p.Model), About: "Who wrote the summary"},
		{Name: "Prompt version", Value: orUnknown(p.PromptVersion), About: "Of the summarizing prompt"},
		{Name: "Its tokens", Value: number(p.Usage.Prompt()) + " in, " + number(p.Usage.Output) + " out", About: "Used by the summarizing call"},
		{Name: "Cache key", Value: orUnknown(p.CacheKey), About: "Of the summary cache"},
		{Name: "Messages left out", Value: number(p.TruncatedMessageCount), About: "Dropped without a summary"},
		{Name: "Results elided", Value: number(len(p.ElidedSeqs)), About: "Tool results replaced by notes"},
		{Name: "Turn", Value: orUnknown(p.TurnID), About: "During which it ran"},
		{Name: "Id", Value: p.ID, About: "Of this record"},
	}
}

func orUnknown(s string) string {
	if s == "" {
		return unknown
	}
	return s
}

// newGateTable lists the classes in their fixed order. What is missing is text of the session.
func newGateTable(g *compaction.GateVerdict, read bool) *views.GateTable {
	if g == nil {
		return nil
	}
	t := &views.GateTable{Verdict: gateChip(g), Reason: reasonText(compaction.Reason(g.Reason))}
	for _, class := range compaction.FactClasses {
		c, ok := g.Classes[class]
		if !ok || c.Total == 0 {
			continue
		}
		row := views.GateRow{Class: words(string(class)), Kept: number(c.Kept) + " of " + number(c.Total), Tone: views.ToneLeaf}
		f, _ := fraction(c.Kept, c.Total)
		row.Fill = pct(f)
		if c.Kept < c.Total {
			row.Tone = views.ToneCoral
		}
		t.Rows = append(t.Rows, row)
	}
	if read {
		t.Missing = g.Missing
	}
	return t
}

func newCandidate(c *compaction.Candidate, read bool) *views.CandidateCard {
	if c == nil {
		return nil
	}
	return &views.CandidateCard{
		State: candidateChip(c), Reason: reasonText(compaction.Reason(c.Reason)), Gate: newGateTable(c.Gate, read),
		Facts: []views.Fact{
			{Name: "Model", Value: orUnknown(c.Model)}, {Name: "Cost", Value: money(c.CostUSD)},
			{Name: "Took", Value: tookMS(c.LatencyMS)}, {Name: "Tokens", Value: number(c.TokensOut)},
			{Name: "Summary cache", Value: cacheText(compaction.Pass{CacheHit: c.CacheHit, CacheKey: c.CacheKey})},
			{Name: "Error class", Value: orUnknown(words(c.ErrorClass))},
		},
	}
}

// excerpt is the beginning of a message as text.
func excerpt(m message.Message) string {
	var parts []string
	for _, b := range m.Blocks {
		switch v := b.(type) {
		case message.Text:
			parts = append(parts, v.Text)
		case message.ToolUse:
			parts = append(parts, "calls "+v.Name+" "+string(v.Input))
		case message.ToolResult:
			parts = append(parts, "result: "+v.Content.PlainText())
		case message.Image:
			parts = append(parts, "["+v.MediaType+"]")
		}
	}
	return cut(strings.Join(parts, "\n"), coveredChars)
}

// cut shortens text at a character, never inside one.
func cut(s string, chars int) string {
	n := 0
	for i := range s {
		if n == chars {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
