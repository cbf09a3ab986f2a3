package compaction

import (
	"slices"
	"strings"
)

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
