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
