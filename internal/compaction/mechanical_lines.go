package compaction

import (
	"cmp"
	"slices"
	"strings"
)

// files are paths with what was done to them: changed ones first, then by use, newest first.
func (w *writer) files() []line {
	order := make([]int, len(w.d.Files))
	for i := range order {
		order[i] = i
	}
	fs := w.d.Files
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(fileRank(&fs[b]), fileRank(&fs[a])), cmp.Compare(fs[b].Last, fs[a].Last))
	})
	out := make([]line, 0, len(order))
	for _, k := range order {
		f := &fs[k]
		t := fileText(f)
		out = append(out, line{text: t, topic: Topic{TopicFile, f.Path}, fact: Fact{Class: ClassActivePath, Text: t, Seq: f.Last}})
	}
	return out
}

func fileRank(f *FileFact) int {
	switch {
	case f.Edited+f.Wrote > 0:
		return 2
	case f.done():
		return 1
	}
	return 0
}

// fileText is `path: edited 2, read 1`.
func fileText(f *FileFact) string {
	var parts []string
	for _, p := range [...]struct {
		word string
		n    int
	}{{"wrote", f.Wrote}, {"edited", f.Edited}, {"read", f.Read}, {"failed", f.Failed}} {
		switch {
		case p.n == 1:
			parts = append(parts, p.word)
		case p.n > 1:
			parts = append(parts, p.word+" "+itoa(p.n)+"x")
		}
	}
	return f.Path + ": " + strings.Join(parts, ", ")
}

// runs are commands or calls with their newest outcome, newest first; checks and others apart.
func (w *writer) runs(list []RunFact, check bool) []line {
	order := make([]*RunFact, 0, len(list))
	for i := range list {
		if list[i].Check == check {
			order = append(order, &list[i])
		}
	}
	slices.Reverse(order)
	slices.SortStableFunc(order, func(a, b *RunFact) int { return cmp.Compare(b.Last, a.Last) })
	out := make([]line, 0, len(order))
	for _, r := range order {
		class := ClassToolOutcome
		if check {
			class = ClassValidationResult
		}
		t := runText(r)
		out = append(out, line{text: t, topic: runTopic(r), fact: Fact{Class: class, Text: t, Seq: r.Last}})
	}
	return out
}

func runTopic(r *RunFact) Topic {
	if isShellTool(r.Tool) {
		return Topic{TopicCommand, r.Target}
	}
	return Topic{TopicTool, strings.TrimSpace(r.Tool + " " + r.Target)}
}

// runText is `go test ./... -> failed: undefined: x (3 runs)`; shell commands stand without the tool's name.
func runText(r *RunFact) string {
	s := runTopic(r).Name
	if r.OK {
		s += " -> ok"
	} else {
		s += " -> failed"
	}
	if r.Result != "" {
		s += ": " + r.Result
	}
	if r.Runs > 1 {
		s += " (" + itoa(r.Runs) + " runs)"
	}
	return strings.ReplaceAll(s, "```", "'''") // the fence must hold
}

// failures are errors with tool, target, message and whether they were overcome; no rule is drawn (case B46). Failed
// commands tell theirs in their own line.
func (w *writer) failures() []line {
	var open, fixed []line
	for i := len(w.d.Errors) - 1; i >= 0; i-- {
		e := &w.d.Errors[i]
		t := errorText(e)
		l := line{text: t, fact: Fact{Class: ClassToolOutcome, Text: t, Seq: e.Seq}}
		switch {
		case e.Fixed:
			fixed = append(fixed, l)
		case !w.toldByRun(e):
			open = append(open, l)
		}
	}
	return append(open, fixed...)
}

// errorText is `Edit a.go failed: no match (2 times) (overcome later)`.
func errorText(e *ErrorFact) string {
	t := strings.TrimSpace(e.Tool+" "+e.Target) + " failed: " + e.Text
	if e.Times > 0 {
		t += " (" + itoa(e.Times+1) + " times)"
	}
	if e.Fixed {
		t += " (overcome later)"
	}
	return t
}

func (w *writer) toldByRun(e *ErrorFact) bool {
	for _, list := range [][]RunFact{w.d.Commands, w.d.Tools} {
		for i := range list {
			if r := &list[i]; r.Tool == e.Tool && r.Target == e.Target && !r.OK {
				return true
			}
		}
	}
	return false
}
