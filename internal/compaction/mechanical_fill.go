package compaction

import (
	"sort"
	"strings"
)

// fill writes the whole text: the sections, and among and behind them as many specifics as fit, likeliest first. order
// is their rank without a focus.
func (w *writer) fill(order []int) string {
	if w.opt.Focus != "" {
		order = rankSpecifics(w.d.Specifics, w.d.Topics, w.opt.Focus)
	}
	room := 3 * w.opt.MaxTokens
	present := w.present()
	var list []int
	for _, k := range order {
		if !present[w.d.Specifics[k].Text] {
			list = append(list, k)
		}
	}
	// The text grows with the number of specifics, but for a few bytes when a group opens, so a search finds the number.
	n := sort.Search(len(list), func(n int) bool { return len(w.compose(list[:n+1], len(list)-n-1)) > room })
	return w.compose(list[:n], len(list)-n)
}

// present are the specifics that the sections hold anyway.
func (w *writer) present() map[string]bool {
	m := map[string]bool{}
	mark := func(s string) {
		ScanSpecifics(s, func(from, to int, _ SpecificKind) { m[s[from:to]] = true })
		ScanCodes(s, func(from, to int) { m[s[from:to]] = true })
	}
	for i := range w.out {
		for _, l := range w.out[i].lines {
			mark(l.text)
		}
	}
	return m
}

// compose writes the text with the given specifics; left is how many there was no room for.
func (w *writer) compose(picked []int, left int) string {
	groups := w.groups(picked)
	var sb strings.Builder
	sb.Grow(3 * w.opt.MaxTokens)
	sb.WriteString(w.head)
	for i := range w.out {
		w.out[i].write(&sb, groups)
	}
	writeLoose(&sb, groups)
	sb.WriteString(w.foot(left))
	return sb.String()
}

// shown is how a specific is written: absolute paths with their slash.
func (s *Specific) shown() string {
	if s.Marks&MarkAbsolute != 0 && strings.Contains(s.Text, "/") {
		return "/" + s.Text
	}
	return s.Text
}

// write adds a section. Groups whose topic has a line are written behind it and emptied.
func (s *section) write(sb *strings.Builder, groups []group) {
	if len(s.lines) == 0 {
		return
	}
	sb.WriteString("\n## ")
	sb.WriteString(s.title)
	sb.WriteByte('\n')
	if s.fence {
		sb.WriteString("```text\n")
	}
	for _, l := range s.lines {
		if !s.fence && l.text[0] != '[' {
			sb.WriteString("- ")
		}
		sb.WriteString(l.text)
		if l.topic.Kind != "" {
			writeGroup(sb, groups, l.topic)
		}
		sb.WriteByte('\n')
	}
	if s.fence {
		sb.WriteString("```\n")
	}
}

// foot names what the bound left out (spec 6.1: overflow counted).
func (w *writer) foot(specifics int) string {
	var parts []string
	for i := range w.out {
		if s := &w.out[i]; s.left > 0 {
			name, _, _ := strings.Cut(s.title, ",")
			parts = append(parts, itoa(s.left)+" of "+strings.ToLower(name))
		}
	}
	if specifics > 0 {
		parts = append(parts, itoa(specifics)+" names and numbers")
	}
	if len(parts) == 0 {
		return ""
	}
	return "\nLeft out for room: " + strings.Join(parts, "; ") + ".\n"
}
