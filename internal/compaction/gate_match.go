package compaction

import "strings"

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
		return m.verbatim(text) || m.words.covers(text, majorityShare), true
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
	text = trimSentence(text)
	return text != "" && m.find(text, func(from, to int) bool {
		rest, _, _ := strings.Cut(m.broken[to:], "\n")
		return !goesOn(rest) && !undone(rest) && !takenBack(clauseBefore(m.broken[:from]))
	})
}

// trimSentence drops the punctuation at a sentence's end.
func trimSentence(s string) string { return strings.TrimRight(s, sentenceEnds+";:, ") }

const sentenceEnds = ".!?。！？"
