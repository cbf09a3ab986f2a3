package compaction

import (
	"slices"
	"strings"

	"tidemark/internal/message"
)

// Bounds of what is kept of a result.
const (
	maxErrorLine = 180
	maxResult    = 90
	maxRefusal   = 300
)

// result takes what came of a call: the file, command or tool with its outcome, the error, a refusal, the specifics.
func (x *extractor) result(r message.ToolResult, c toolCall) {
	text := x.mask(r.Content.PlainText())
	topic := 0
	if c.tool != "" {
		topic = x.topic(c.topic())
		text = x.outcome(&c, text, r.IsError)
	}
	x.scan(text, inResult, topic, 0)
	if len(c.files) == 0 && c.kind == callOther {
		x.codes(text, inResult, topic, 0)
	}
}

// outcome notes what came of a call and returns the result without its wrapper.
func (x *extractor) outcome(c *toolCall, text string, isError bool) string {
	failed, body := readOutcome(text, isError, c.kind == callShell || c.check)
	if said, ok := refusal(text, isError); ok {
		x.refused(c, said)
		return said
	}
	switch {
	case len(c.files) > 0 && c.kind != callShell:
		x.files(c, failed)
	case !failed && planOf(c) != nil: // the plan itself is kept
	default:
		x.run(c, body, failed)
	}
	if failed {
		e := ErrorFact{Tool: c.tool, Target: c.target, Text: errorLine(body), Seq: x.d.Last}
		if len(c.files) > 0 {
			e.Target = c.files[0]
		}
		x.d.Errors = append(x.d.Errors, e)
		if p := pressureIn(body); p != "" {
			x.d.Pressure = append(x.d.Pressure, Note{Text: p, Seq: x.d.Last})
		}
	}
	x.answered(c, body, failed)
	return body
}

// answered keeps what the user chose when a tool asked.
func (x *extractor) answered(c *toolCall, body string, failed bool) {
	name := strings.ToLower(c.tool)
	if failed || !strings.Contains(name, "ask") || !(strings.Contains(name, "user") || strings.Contains(name, "question")) {
		if !failed && strings.Contains(strings.ToLower(body[:min(len(body), 200)]), "approved your plan") {
			x.d.Permits = append(x.d.Permits, Note{Text: "the user approved the plan of " + c.tool, Seq: x.d.Last, User: true})
		}
		return
	}
	if t := oneLine(body, maxRefusal); t != "" {
		x.d.Decisions = append(x.d.Decisions, Note{Text: t, Seq: x.d.Last, User: true})
	}
}

func (x *extractor) files(c *toolCall, failed bool) {
	for _, p := range c.files {
		f := FileFact{Path: p, Last: x.d.Last}
		switch {
		case failed:
			f.Failed = 1
		case c.kind == callRead:
			f.Read = 1
		case c.kind == callWrite:
			f.Wrote = 1
		default:
			f.Edited = 1
		}
		x.d.Files = append(x.d.Files, f)
	}
}

func (x *extractor) run(c *toolCall, body string, failed bool) {
	r := RunFact{Tool: c.tool, Target: c.target, Runs: 1, OK: !failed, Check: c.check, Last: x.d.Last}
	switch {
	case failed:
		r.Result = errorLine(body)
	case c.check:
		r.Result = checkLine(body)
	case len(body) <= maxResult && !strings.Contains(strings.TrimSpace(body), "\n"):
		r.Result = oneLine(body, maxResult)
	}
	if c.kind == callShell {
		x.d.Commands = append(x.d.Commands, r)
		return
	}
	x.d.Tools = append(x.d.Tools, r)
}

// refused keeps a denial with its tool and scope, and what the user said with it, as a boundary (D3.5).
func (x *extractor) refused(c *toolCall, said string) {
	text := "refused: " + strings.TrimSpace(c.tool+" "+c.target)
	if said != "" {
		text += " (user: " + oneLine(said, maxRefusal) + ")"
		x.limits(said)
	}
	x.d.Permits = append(x.d.Permits, Note{Text: oneLine(text, maxRefusal+maxCommand), Seq: x.d.Last, User: true})
}

// refusals are the phrases by which agents report that user or policy said no.
var refusals = []string{
	"doesn't want to proceed with", "user rejected", "rejected by the user", "user denied", "denied by the user", "user declined",
	"declined by the user", "requested permissions to", "permission to use", "denied by policy", "blocked by policy", "not permitted by",
	"permission was denied", "was not permitted", "refused by the user", "user refused",
}

// refusal tells a denial and what the user said with it.
func refusal(text string, isError bool) (said string, ok bool) {
	head := text[:min(len(text), 400)]
	if !isError || !slices.ContainsFunc(refusals, func(p string) bool { return strings.Contains(head, p) }) {
		return "", false
	}
	if _, after, found := strings.Cut(text, "the user said:"); found {
		said = strings.TrimSpace(after)
		said, _, _ = strings.Cut(said, "\n\nNote:")
	}
	return said, true
}

// pressureIn finds a sign of provider pressure in an error or a notice (D3.7).
func pressureIn(s string) string {
	for line := range strings.SplitSeq(s[:min(len(s), 2000)], "\n") {
		low := strings.ToLower(line)
		if slices.ContainsFunc(pressureWords, func(p string) bool { return strings.Contains(low, p) }) {
			return oneLine(line, maxErrorLine)
		}
	}
	return ""
}

var pressureWords = []string{
	"rate limit", "rate_limit", "too many requests", "overloaded", "quota exceeded", "exceeded your", "usage limit", "credit balance",
	"insufficient credit", "context_length_exceeded", "maximum context length", "prompt is too long", "budget exceeded",
	"budget_exhausted", "spend limit", "set model to", "switched to model", "model switched", "switching to model",
}
