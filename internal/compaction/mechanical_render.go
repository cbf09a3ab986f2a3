package compaction

import (
	"fmt"
	"slices"
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
	share int  // hundredths of the room it may take before specifics come
	fold  int  // the same in a fold, before what is left is handed out
	left  int  // lines that did not fit
}

// writer builds the text of a summary: first the sections that always stand, then specifics into what room is left.
type writer struct {
	d     *Digest
	opt   MechanicalOptions
	room  int // bytes
	head  string
	fold  bool // of summaries: facts go before names (spec 4.8)
	out   []section
	facts []Fact
}

func newWriter(d *Digest, ds []Digest, opt MechanicalOptions) *writer {
	w := &writer{d: d, opt: opt, room: 3 * max(opt.MaxTokens, 0)}
	w.fold = slices.ContainsFunc(ds, func(o Digest) bool { return o.Rows > 1 })
	w.head = w.opening(w.room < smallRoom)
	w.room -= len(w.head) + min(footRoom, w.room/8)
	return w
}

const (
	footRoom  = 160  // for the last line, which names what was left out
	smallRoom = 1500 // below it the opening is short
)

// opening says what the text is: a record, from which rows, made how (cases B49, B55).
func (w *writer) opening(short bool) string {
	if w.d.Rows == 0 {
		return "Record of no messages: nothing was said or done in this span.\n"
	}
	s := fmt.Sprintf("Record of messages %d to %d", w.d.First, w.d.Last)
	if short {
		s += ".\n"
	} else {
		s += fmt.Sprintf(" (about %d tokens), made by rule, without a model. It tells what was said and done; nothing in it is a "+
			"new request. Names are listed with what they were met in.\n", w.d.Tokens)
	}
	if l := w.opt.Link; l != nil {
		t := fmt.Sprintf("continues summary %s, version %d, messages %d to %d", l.ID, l.Version, l.Span.Start, l.Span.End-1)
		w.facts = append(w.facts, Fact{Class: ClassSummaryLink, Text: t, Seq: l.Span.End})
		s += "It " + t + ".\n"
	}
	if w.opt.Focus != "" {
		s += "Asked to keep in view: " + oneLine(w.opt.Focus, 200) + "\n"
	}
	if w.d.Masked > 0 && !short {
		s += "Secrets masked: " + itoa(w.d.Masked) + ".\n"
	}
	return s
}

// askShare is the part of the room, in hundredths, that instructions may take. The shares of the other lists are parts
// of what they leave; the rest goes to specifics.
const askShare = 75

// foldShare is what all lists of a fold may take of that together; it is the sum of their shares.
const foldShare = 88

// sections writes the lists in the order in which they matter: the user's words first (spec 4.8).
func (w *writer) sections() {
	w.asks(w.room * askShare / 100)
	w.place([]section{
		{title: "Rules the user set in longer messages, word for word", lines: w.rules(), share: 12, fold: 22},
		{title: "Permissions given and refused", lines: w.notes(w.d.Permits, ClassPermissionBoundary), share: 10, fold: 10},
		{title: "Where it stands", lines: w.state(), share: 10, fold: 5},
		{title: "Decisions and findings", lines: w.notes(w.d.Decisions, ClassDecisionState), share: 5, fold: 8},
		{title: "Checks, last state", fence: true, lines: w.runs(w.d.Commands, true), share: 6, fold: 8},
		{title: "Errors", lines: w.failures(), share: 8, fold: 8},
		{title: "Provider pressure", lines: w.notes(w.d.Pressure, ClassProviderPressure), share: 3, fold: 3},
		{title: "Files", lines: w.files(), share: 22, fold: 9},
		{title: "Commands already run, newest first (not to be run again)", fence: true, lines: w.runs(w.d.Commands, false), share: 9, fold: 10},
		{title: "Other tools called", fence: true, lines: w.runs(w.d.Tools, false), share: 4, fold: 5},
	})
}

// place gives each section its share. In a fold, what some leave goes to those that need more, in order, so that no fact
// is lost for the sake of names (spec 4.8).
func (w *writer) place(list []section) {
	room, spare := make([]int, len(list)), w.room*foldShare/100
	for i := range list {
		share := list[i].share
		if w.fold {
			share = list[i].fold
		}
		room[i] = min(max(share*w.room/100, list[i].least()), list[i].need())
		spare -= room[i]
	}
	for i := range list {
		if more := min(list[i].need()-room[i], spare); w.fold && more > 0 {
			room[i] += more
			spare -= more
		}
	}
	for i := range list {
		w.add(list[i], room[i])
	}
}

// need is what the section costs with all of its lines.
func (s *section) need() int {
	if len(s.lines) == 0 {
		return 0
	}
	n := s.frame()
	for _, l := range s.lines {
		n += l.size()
	}
	return n
}

// least is what the section costs with its first line.
func (s *section) least() int {
	if len(s.lines) == 0 {
		return 0
	}
	return s.frame() + s.lines[0].size()
}

// frame is what the section costs without its lines.
func (s *section) frame() int {
	n := len("\n## \n") + len(s.title)
	if s.fence {
		n += len("```text\n```\n")
	}
	return n
}

func (l *line) size() int { return len(l.text) + len("- \n") }

// add puts a section with the lines that fit into room. The facts of all lines are noted, so that those of lines that
// did not fit are counted.
func (w *writer) add(s section, room int) {
	all := s.lines
	s.lines = nil
	used := s.frame()
	for _, l := range all {
		if l.fact.Class != "" {
			w.facts = append(w.facts, l.fact)
		}
		if used+l.size() > min(room, w.room) {
			s.left++
			continue
		}
		used += l.size()
		s.lines = append(s.lines, l)
	}
	if len(s.lines) > 0 {
		w.room -= used
	}
	if len(all) > 0 {
		w.out = append(w.out, s)
	}
}
