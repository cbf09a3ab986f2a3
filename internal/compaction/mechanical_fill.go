package compaction

import (
	"slices"
	"sort"
	"strings"
)

// fill writes the whole text: the sections, and among and behind them as many specifics as fit, likeliest first.
func (w *writer) fill() string {
	room := 3 * w.opt.MaxTokens
	present := w.present()
	var list []int
	for _, k := range rankSpecifics(w.d.Specifics, w.d.Topics, w.opt.Focus) {
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
	}
	for i := range w.out {
		for _, l := range w.out[i].lines {
			mark(l.text)
		}
	}
	return m
}

// group collects the specifics of one topic.
type group struct {
	topic    Topic
	toks     []string
	openings []string
}

func (g *group) empty() bool { return len(g.toks)+len(g.openings) == 0 }

// write lists the specifics. Openings of written lines stand apart, with the escape that comes in front of them in a
// call.
func (g *group) write(sb *strings.Builder) {
	for i, t := range g.toks {
		if i > 0 {
			sb.WriteByte(' ')
		}
		sb.WriteString(t)
	}
	if len(g.openings) == 0 {
		return
	}
	if len(g.toks) > 0 {
		sb.WriteString("; ")
	}
	sb.WriteString("lines open with ")
	sb.WriteString(strings.Join(g.openings, " "))
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

// groups sorts picked specifics into topics; both stand in the order of their first appearance.
func (w *writer) groups(picked []int) []group {
	gs := make([]group, len(w.d.Topics)+1)
	for i, t := range w.d.Topics {
		gs[i+1].topic = t
	}
	picked = slices.Clone(picked)
	slices.Sort(picked)
	for _, k := range picked {
		s := &w.d.Specifics[k]
		if s.Marks&MarkOpening != 0 {
			gs[s.At].openings = append(gs[s.At].openings, s.Text)
			continue
		}
		gs[s.At].toks = append(gs[s.At].toks, s.shown())
	}
	return gs
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

func writeGroup(sb *strings.Builder, groups []group, t Topic) {
	i := slices.IndexFunc(groups, func(g group) bool { return g.topic == t })
	if i < 0 || groups[i].empty() {
		return
	}
	sb.WriteString("; names: ")
	groups[i].write(sb)
	groups[i] = group{}
}

// writeLoose writes the groups without a line of their own: under a short label when they are worth one, else by who
// brought them up (case B54).
func writeLoose(sb *strings.Builder, groups []group) {
	var user, model, rest group
	var labeled []group
	for _, g := range groups {
		switch {
		case g.empty():
		case g.topic.Kind == TopicUser:
			user.take(g)
		case g.topic.Kind == TopicModel:
			model.take(g)
		case len(g.toks)+len(g.openings) < 2:
			rest.take(g)
		default:
			labeled = append(labeled, g)
		}
	}
	if len(labeled) == 0 && user.empty() && model.empty() && rest.empty() {
		return
	}
	sb.WriteString("\n## Names, numbers and paths met on the way\n")
	for i := range labeled {
		labeled[i].writeLine(sb, label(labeled[i].topic))
	}
	user.writeLine(sb, "named by the user")
	model.writeLine(sb, "named by the assistant")
	rest.writeLine(sb, "in other calls and results")
}

func (g *group) take(o group) {
	g.toks = append(g.toks, o.toks...)
	g.openings = append(g.openings, o.openings...)
}

func (g *group) writeLine(sb *strings.Builder, label string) {
	if g.empty() {
		return
	}
	sb.WriteString("- ")
	sb.WriteString(label)
	sb.WriteString(": ")
	g.write(sb)
	sb.WriteByte('\n')
}

// label is a short name of a topic.
func label(t Topic) string {
	if t.Kind == TopicFile {
		return baseName(t.Name)
	}
	return oneLine(t.Name, 48)
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
