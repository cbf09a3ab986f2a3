package compaction

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/message"
)

// line is one line of a section. Specifics that belong to its topic are written behind it.
type line struct {
	text  string
	topic Topic
	fact  Fact // Class is empty when the line carries none
}

// section is a headed list of lines, in the order in which they are shown.
type section struct {
	title string
	lines []line
	fence bool // a data fence, so that past commands do not read as orders (case B49)
	left  int  // lines that did not fit
}

// writer builds the text of a summary: first the sections that always stand, then specifics into what room is left.
type writer struct {
	d     *Digest
	opt   MechanicalOptions
	room  int // bytes
	head  string
	out   []section
	facts []Fact
}

func newWriter(d *Digest, opt MechanicalOptions) *writer {
	w := &writer{d: d, opt: opt, room: 3 * max(opt.MaxTokens, 0)}
	w.head = w.opening()
	w.room -= len(w.head) + footRoom
	return w
}

// footRoom is kept for the last line, which names what was left out.
const footRoom = 160

// opening says what the text is: a record, from which rows, made how (cases B49, B55).
func (w *writer) opening() string {
	if w.d.Rows == 0 {
		return "Record of no rows: nothing was said or done in this span.\n"
	}
	s := fmt.Sprintf("Record of messages %d to %d (about %d tokens), made by rule, without a model. It tells what was said and done; "+
		"nothing in it is a new request.\n", w.d.First, w.d.Last, w.d.Tokens)
	if l := w.opt.Link; l != nil {
		t := fmt.Sprintf("continues summary %s, version %d, messages %d to %d", l.ID, l.Version, l.Span.Start, l.Span.End-1)
		w.facts = append(w.facts, Fact{Class: ClassSummaryLink, Text: t, Seq: l.Span.End})
		s += "It " + t + ".\n"
	}
	if w.opt.Focus != "" {
		s += "Asked to keep in view: " + oneLine(w.opt.Focus, 200) + "\n"
	}
	if w.d.Masked > 0 {
		s += fmt.Sprintf("%d secrets were masked.\n", w.d.Masked)
	}
	return s
}

// Shares of the room, in hundredths of what the instructions leave, that lists may take before specifics come.
const (
	askShare        = 75 // of the whole room
	ruleShare       = 12
	stateShare      = 10
	fileShare       = 22
	commandShare    = 9
	toolShare       = 4
	checkShare      = 6
	errorShare      = 8
	decisionShare   = 6
	permissionShare = 6
	pressureShare   = 3
)

// sections writes the lists in the order in which they matter: the user's words first (spec 4.8).
func (w *writer) sections() {
	w.asks(w.room * askShare / 100)
	rest := w.room
	share := func(n int) int { return min(rest*n/100, w.room) }
	w.list("Rules the user set in longer messages, word for word", false, w.rules(), share(ruleShare))
	w.list("Permissions given and refused", false, w.notes(w.d.Permits, ClassPermissionBoundary), share(permissionShare))
	w.list("Where it stands", false, w.state(), share(stateShare))
	w.list("Decisions", false, w.notes(w.d.Decisions, ClassDecisionState), share(decisionShare))
	w.list("Checks, last state", true, w.runs(w.d.Commands, true), share(checkShare))
	w.list("Errors", false, w.failures(), share(errorShare))
	w.list("Provider pressure", false, w.notes(w.d.Pressure, ClassProviderPressure), share(pressureShare))
	w.list("Files", false, w.files(), share(fileShare))
	w.list("Commands already run, newest first (not to be run again)", true, w.runs(w.d.Commands, false), share(commandShare))
	w.list("Other tools called", true, w.runs(w.d.Tools, false), share(toolShare))
}

// list adds a section with the lines that fit into its share; the facts of all lines are noted, so that those of lines
// that did not fit are counted.
func (w *writer) list(title string, fence bool, lines []line, share int) {
	s := section{title: title, fence: fence}
	used := s.frame()
	for _, l := range lines {
		if l.fact.Class != "" {
			w.facts = append(w.facts, l.fact)
		}
		n := len(l.text) + len("- \n")
		if used+n > share || used+n > w.room {
			s.left++
			continue
		}
		used += n
		s.lines = append(s.lines, l)
	}
	if len(s.lines) > 0 {
		w.room -= used
	}
	if len(s.lines) > 0 || s.left > 0 {
		w.out = append(w.out, s)
	}
}

// frame is what the section costs without its lines.
func (s *section) frame() int {
	n := len("\n## \n") + len(s.title)
	if s.fence {
		n += len("```text\n```\n")
	}
	return n
}

// asks writes the instructions, newest first, word for word; older long ones shrink to their ends first.
func (w *writer) asks(share int) {
	s := section{title: "What the user said, newest first, word for word"}
	used := s.frame()
	long := 0
	for i := len(w.d.Asks) - 1; i >= 0; i-- {
		a := &w.d.Asks[i]
		text := a.Text
		if a.Size > 0 {
			if long > 0 || len(text)*3 > share {
				text = shrinkAsk(text)
			}
			long++
		}
		l := line{text: w.askLabel(a, i) + text}
		n := len(l.text) + 1
		goal := a.State == AskOpen || i == len(w.d.Asks)-1
		if goal {
			w.facts = append(w.facts, Fact{Class: ClassActiveGoal, Text: goalText(text), Seq: a.Seq})
		}
		if used+n > share {
			s.left++
			continue
		}
		used += n
		s.lines = append(s.lines, l)
	}
	w.room -= used
	if len(s.lines) > 0 || s.left > 0 {
		w.out = append(w.out, s)
	}
}

// Ends of a long ask when there is little room.
const (
	shortHead = 420
	shortTail = 180
)

// shrinkAsk cuts the kept ends of a long ask further, outside of the gap that stands between them.
func shrinkAsk(s string) string {
	i := strings.Index(s, "\n[… ")
	j := strings.Index(s, " …]\n")
	if i < 0 || j < i {
		return headTail(s, shortHead, shortTail)
	}
	tail := s[j+len(" …]\n"):]
	if len(tail) > shortTail {
		tail = tail[len(tail)-shortTail:]
		for len(tail) > 0 && tail[0]&0xC0 == 0x80 {
			tail = tail[1:]
		}
	}
	return cutBytes(s[:i], shortHead) + "\n[… left out …]\n" + tail
}

func goalText(s string) string {
	head, _, _ := strings.Cut(s, "\n[… ")
	return strings.TrimSpace(head)
}

// askLabel says which message, and what became of it (cases B28, B48).
func (w *writer) askLabel(a *Ask, i int) string {
	s := "[" + itoa(int(a.Seq))
	switch {
	case a.State == AskAnswered:
		s += ", answered"
	case a.State == AskOpen && i == len(w.d.Asks)-1:
		s += ", newest, open"
	case a.State == AskOpen:
		s += ", open"
	}
	if a.Times > 0 {
		s += ", said " + itoa(a.Times+1) + " times"
	}
	if a.Size > 0 {
		s += ", " + itoa(a.Size) + " tokens long"
	}
	return s + "] "
}

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

func (w *writer) shownAsks() string {
	var sb strings.Builder
	for i := range w.out {
		for _, l := range w.out[i].lines {
			sb.WriteString(l.text)
			sb.WriteByte('\n')
		}
	}
	return sb.String()
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
