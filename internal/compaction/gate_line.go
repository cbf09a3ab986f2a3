package compaction

import (
	"strings"
	"unicode"
)

// cutLine is a line cut into pieces, for the rule of the fail-closed facts: all their identifiers, paths, numbers and
// the outcome word in one line (spec 6.3).
type cutLine struct {
	folded string
	pieces []piece
}

// piece is a run without blanks, brackets and quotes. A hard one must be kept letter for letter.
type piece struct {
	text   string
	hard   bool // an identifier, a path or a number
	number bool
}

func newCutLine(s string) cutLine {
	return cutLine{folded: foldLine(s), pieces: cutPieces(s)}
}

const pieceBreaks = " \t\r\n\u00a0()[]{}<>\"`,;|=*“”„«»"

// cutPieces splits at blanks, brackets, quotes and the like and trims the punctuation of sentences.
func cutPieces(s string) []piece {
	var out []piece
	for _, t := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(pieceBreaks, r) }) {
		if !strings.HasSuffix(t, "/...") {
			t = strings.TrimRight(t, ".:!?…")
		}
		if t = strings.Trim(strings.TrimLeft(t, ":!?…"), "'‘’"); strings.Trim(t, "-–—") == "" {
			continue
		}
		p := piece{text: t}
		p.number = t[0] >= '0' && t[0] <= '9'
		p.hard = p.number || isHard(t)
		if !p.hard {
			p.text = strings.ToLower(strings.ReplaceAll(t, "’", "'"))
		}
		out = append(out, p)
	}
	return out
}

// isHard tells identifiers, paths and what holds a digit from plain words.
func isHard(t string) bool {
	if len(t) > 1 && t[0] == '-' { // a flag
		return true
	}
	lower := false
	for i, r := range t {
		inner := i > 0 && i < len(t)-1
		switch {
		case unicode.IsDigit(r) || r == '/' || r == '_' || r == '@' || r == '#' || r == '\\':
			return true
		case inner && (r == '.' || r == ':'):
			return true
		case unicode.IsUpper(r) && lower:
			return true
		}
		lower = unicode.IsLower(r)
	}
	return false
}

// inOneLine looks for a line that says the same as the fact.
func (m *matcher) inOneLine(f Fact) bool {
	want := newCutLine(f.Text)
	for i := range m.lines {
		if m.lines[i].tells(&want, f.Class) {
			return true
		}
	}
	// A fact of several lines, or one that the text wraps, stands verbatim or not at all.
	return strings.Contains(strings.TrimSpace(f.Text), "\n") && m.verbatim(want.folded)
}

// tells compares a line with a fact. Where the fact has nothing hard in it and no outcome, only its own words will do.
func (l *cutLine) tells(want *cutLine, class FactClass) bool {
	hard, outcome := want.hard(), want.outcomes()
	if !l.contains(want.folded) {
		if len(hard) == 0 && len(outcome) == 0 {
			return false
		}
		if !containsAll(l.hard(), hard) || !containsAll(l.plain(), outcome) || !containsAll(l.figures(), want.figures()) {
			return false
		}
		if class == ClassDecisionState && !inOrder(l.hard(), hard) || !newWordSet(l.folded).covers(want.folded) {
			return false
		}
	}
	return !l.contradicts(want)
}

// contains looks for the fact's folded text at word borders.
func (l *cutLine) contains(folded string) bool {
	i := strings.Index(l.folded, folded)
	return i >= 0 && wordBorder(l.folded, i) && wordBorder(l.folded, i+len(folded))
}

// contradicts reports whether the line says besides, or instead, what turns the fact round: an outcome of the other
// kind, a negation more or less, or that it no longer holds.
func (l *cutLine) contradicts(want *cutLine) bool {
	mine, theirs := l.signs(), want.signs()
	if theirs.good != theirs.bad && (mine.good && !theirs.good || mine.bad && !theirs.bad) {
		return true
	}
	return mine.negations != theirs.negations || takenBack(l.folded) && !takenBack(want.folded)
}

type signs struct {
	good, bad bool
	negations int
}

func (l *cutLine) signs() (s signs) {
	for _, p := range l.pieces {
		switch outcomeWords[p.text] {
		case goodOutcome:
			s.good = true
		case badOutcome:
			s.bad = true
		}
		if negationWords[p.text] || strings.HasSuffix(p.text, "n't") {
			s.negations++
		}
	}
	return s
}

func (l *cutLine) hard() (out []string) {
	for _, p := range l.pieces {
		if p.hard {
			out = append(out, p.text)
		}
	}
	return out
}

func (l *cutLine) plain() (out []string) {
	for _, p := range l.pieces {
		if !p.hard {
			out = append(out, p.text)
		}
	}
	return out
}

func (l *cutLine) outcomes() (out []string) {
	for _, p := range l.pieces {
		if outcomeWords[p.text] != noOutcome {
			out = append(out, p.text)
		}
	}
	return out
}

// figures are numbers with the word they count, so that "12 passed, 3 failed" is not "3 passed, 12 failed".
func (l *cutLine) figures() (out []string) {
	for i, p := range l.pieces {
		switch {
		case !p.number:
		case i+1 < len(l.pieces) && !l.pieces[i+1].hard:
			out = append(out, p.text+" "+l.pieces[i+1].text)
		case i > 0 && !l.pieces[i-1].hard:
			out = append(out, l.pieces[i-1].text+" "+p.text)
		}
	}
	return out
}

// containsAll reports whether have holds each of want, as often as want does.
func containsAll(have, want []string) bool {
	n := make(map[string]int, len(have))
	for _, h := range have {
		n[h]++
	}
	for _, w := range want {
		if n[w]--; n[w] < 0 {
			return false
		}
	}
	return true
}

// inOrder reports whether want is a subsequence of have: a choice is not the same the other way round.
func inOrder(have, want []string) bool {
	for _, h := range have {
		if len(want) > 0 && h == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}
