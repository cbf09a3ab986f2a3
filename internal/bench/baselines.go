package bench

import (
	"slices"
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// baseline is a summarizer to compare with: rows of the span to text.
type baseline struct {
	name string
	make func(r *recording, p point) string
}

var baselines = []baseline{
	{"truncation", func(*recording, point) string { return "" }},
	{"head+tail 1500", headTail},
	{"paths 1500", pathsOnly},
	{"said specifics 1500", func(r *recording, p point) string { return plainSpecifics(r, p, 1500, false) }},
	{"all specifics 4000", func(r *recording, p point) string { return plainSpecifics(r, p, 4000, true) }},
	{"instructions 2500 + specifics 1500", instructionsAndSpecifics},
}

// fullText is what the measure reads of a row: text, calls and results in block order.
func fullText(m message.Message) string {
	var parts []string
	for _, b := range m.Blocks {
		switch v := b.(type) {
		case message.Text:
			parts = append(parts, v.Text)
		case message.ToolUse:
			parts = append(parts, v.Name+" "+spacedJSON(v.Input))
		case message.ToolResult:
			parts = append(parts, resultText(v, " "))
		default:
			parts = append(parts, "")
		}
	}
	return strings.Join(parts, " ")
}

func headTail(r *recording, p point) string {
	var parts []string
	for i := p.from; i < p.to; i++ {
		parts = append(parts, fullText(r.rows[i].msg))
	}
	t := []rune(strings.Join(parts, " "))
	k := min(1500*3/2, len(t))
	return string(t[:k]) + string(t[len(t)-k:])
}

// pathsOnly lists the paths of calls, newest first.
func pathsOnly(r *recording, p point) string {
	var order []string
	for i := p.from; i < p.to; i++ {
		for _, u := range r.rows[i].msg.ToolUses() {
			in := u.Name + " " + spacedJSON(u.Input)
			compaction.ScanSpecifics(in, func(from, to int, _ compaction.SpecificKind) {
				t := in[from:to]
				if strings.ContainsAny(t, "/.") {
					order = append(order, t)
				}
			})
		}
	}
	slices.Reverse(order)
	return capLines(firstOnly(order), 1500)
}

func firstOnly(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		was := seen[s]
		seen[s] = true
		return was
	})
}

// plainSpecifics lists specifics by frequency, then recency.
func plainSpecifics(r *recording, p point, budget int, results bool) string {
	type stat struct {
		tok            string
		n, last, first int
	}
	at := map[string]*stat{}
	var all []*stat
	add := func(i int, t string) {
		s := at[t]
		if s == nil {
			s = &stat{tok: t, first: len(all)}
			at[t] = s
			all = append(all, s)
		}
		s.n++
		s.last = i
	}
	for i := p.from; i < p.to; i++ {
		for _, b := range r.rows[i].msg.Blocks {
			_, isResult := b.(message.ToolResult)
			if isResult && !results {
				continue
			}
			seen := map[string]bool{}
			text := fullText(message.Message{Blocks: message.Blocks{b}})
			compaction.ScanSpecifics(text, func(from, to int, _ compaction.SpecificKind) {
				t := text[from:to]
				if !results || !seen[t] {
					seen[t] = true
					add(i, t)
				}
			})
		}
	}
	slices.SortStableFunc(all, func(a, b *stat) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return b.last - a.last
	})
	list := make([]string, len(all))
	for i, s := range all {
		list[i] = s.tok
	}
	return capLines(list, budget)
}

func instructionsAndSpecifics(r *recording, p point) string {
	var out []string
	n := 0
	for i := p.to - 1; i >= p.from; i-- {
		for k := len(r.rows[i].texts) - 1; k >= 0; k-- {
			if c := message.FallbackTokens(len(r.rows[i].texts[k])); n+c <= 2500 {
				out = append(out, r.rows[i].texts[k])
				n += c
			}
		}
	}
	return strings.Join(out, "\n") + "\n" + plainSpecifics(r, p, 4000-n, true)
}

// capLines keeps the items that fit, in order.
func capLines(items []string, tokens int) string {
	var out []string
	n := 0
	for _, it := range items {
		if k := message.FallbackTokens(len(it)) + 1; n+k <= tokens {
			out = append(out, it)
			n += k
		}
	}
	return strings.Join(out, "\n")
}
