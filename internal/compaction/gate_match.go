package compaction

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// matcher looks for facts in one text; the text is folded and cut up once.
type matcher struct {
	raw    string
	folded string // as fold, in one line
	broken string // the same bytes, with \n where the text had a line break
	lines  []cutLine
	words  wordSet // content words of the whole text
}

func newMatcher(text string) *matcher {
	m := &matcher{raw: text, broken: fold(text)}
	m.folded = strings.ReplaceAll(m.broken, "\n", " ")
	m.words = newWordSet(m.folded)
	for line := range strings.SplitSeq(text, "\n") {
		m.addLine(line)
	}
	return m
}

// addLine adds a line, and its clauses too, so that facts told in one line do not contradict one another.
func (m *matcher) addLine(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	m.lines = append(m.lines, newCutLine(line))
	if parts := strings.Split(line, "; "); len(parts) > 1 {
		for _, p := range parts {
			m.lines = append(m.lines, newCutLine(p))
		}
	}
}

// kept applies the rule of the fact's class (spec 6.3); ok is false for a fact that no rule can judge.
func (m *matcher) kept(f Fact) (kept, ok bool) {
	text := foldLine(f.Text)
	if text == "" {
		return false, false
	}
	switch f.Class {
	case ClassUserConstraint, ClassPermissionBoundary:
		return m.hasSentence(text), true
	case ClassActiveGoal:
		return m.verbatim(text) || m.words.covers(text), true
	case ClassActivePath:
		return m.verbatim(text) || m.hasBase(f.Text), true
	case ClassToolOutcome, ClassProviderPressure, ClassDecisionState, ClassValidationResult, ClassSummaryLink:
		return m.inOneLine(f), true
	}
	return false, false
}

// verbatim looks for folded words at word borders.
func (m *matcher) verbatim(text string) bool {
	return m.find(text, func(int, int) bool { return true })
}

// find calls good with the bounds of each occurrence at word borders until it accepts one.
func (m *matcher) find(text string, good func(from, to int) bool) bool {
	for i := 0; ; {
		k := strings.Index(m.folded[i:], text)
		if k < 0 {
			return false
		}
		from, to := i+k, i+k+len(text)
		if wordBorder(m.folded, from) && wordBorder(m.folded, to) && good(from, to) {
			return true
		}
		i = from + 1
	}
}

// wordBorder reports whether no word goes across i. Bytes of other scripts count for no words: many write without blanks.
func wordBorder(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return true
	}
	return !isWord(s[i-1]) || !isWord(s[i])
}

// hasSentence looks for a whole sentence of the user that nothing goes on with, softens or takes back (case B45). Its own
// full stop does not matter.
func (m *matcher) hasSentence(text string) bool {
	text = strings.TrimRight(text, sentenceEnds)
	return text != "" && m.find(text, func(from, to int) bool {
		rest, _, _ := strings.Cut(m.broken[to:], "\n")
		return !goesOn(rest) && !undone(rest) && !takenBack(clauseBefore(m.broken[:from]))
	})
}

const sentenceEnds = ".!?。！？"

// clauseBefore is what stands before a sentence in its own line and clause.
func clauseBefore(s string) string { return s[strings.LastIndexAny(s, "\n;"+sentenceEnds)+1:] }

// goesOn reports whether the sentence goes on in the same line with more words, which may say anything.
func goesOn(rest string) bool {
	rest = strings.TrimPrefix(rest, " ")
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// undone reports whether the rest of the line makes an exception from the sentence or takes it back: in the same
// sentence, in a bracket or behind a dash, or by opening the next one with "unless".
func undone(rest string) bool {
	next := strings.TrimLeft(rest, sentenceEnds+" ")
	switch {
	case next == "":
		return false
	case strings.ContainsRune("([-", rune(next[0])):
		return startsWith(next, softeners) || takenBack(next)
	case strings.ContainsAny(rest[:len(rest)-len(next)], sentenceEnds):
		return startsWith(next, strongSofteners)
	}
	if i := strings.IndexAny(rest, sentenceEnds); i > 0 {
		rest = rest[:i]
	}
	return startsWith(rest, softeners) || takenBack(rest)
}

// startsWith reports whether s opens with one of the words.
func startsWith(s string, words []string) bool {
	s = strings.TrimLeft(s, " .,;:!?()[]-")
	for _, w := range words {
		if strings.HasPrefix(s, w) && wordBorder(s, len(w)) {
			return true
		}
	}
	return false
}

// takenBack reports whether a phrase beside the sentence says that it does not hold.
func takenBack(s string) bool {
	for _, w := range revokers {
		if i := strings.Index(s, w); i >= 0 && wordBorder(s, i) && wordBorder(s, i+len(w)) {
			return true
		}
	}
	return false
}

var strongSofteners = []string{"unless", "except", "es sei denn", "außer", "sauf", "salvo", "除非", "кроме"}

var softeners = []string{
	"unless", "except", "but", "if", "only if", "when needed", "where possible", "if possible", "whenever possible", "as a rule",
	"usually", "mostly", "ideally", "außer", "es sei denn", "wenn möglich", "aber", "sauf", "excepté", "si possible", "mais",
	"salvo", "excepto", "a menos que", "si es posible", "pero", "除非", "但", "кроме", "если",
}

var revokers = []string{
	"no longer", "not any more", "not anymore", "lifted", "revoked", "withdrawn", "obsolete", "outdated", "ignore", "ignored",
	"does not apply", "doesnt apply", "not binding", "is wrong", "was wrong", "is false", "not true", "untrue", "dropped", "waived",
	"overruled", "was optional", "is optional", "gilt nicht", "aufgehoben", "nicht mehr", "hinfällig", "ne sapplique", "levée",
	"ya no", "anulado", "不再", "已取消", "больше не",
}
