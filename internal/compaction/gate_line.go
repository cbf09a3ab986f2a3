package compaction

import "strings"

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

// tells compares a line with a fact.
func (l *cutLine) tells(want *cutLine, class FactClass) bool {
	return (l.quotes(want.folded) || l.says(want, class)) && !l.contradicts(want)
}

// quotes looks for the fact's folded text at word borders; as the end of a longer command it is another one.
func (l *cutLine) quotes(folded string) bool {
	i := strings.Index(l.folded, folded)
	if i < 0 || !wordBorder(l.folded, i) || !wordBorder(l.folded, i+len(folded)) {
		return false
	}
	before := strings.TrimRight(l.folded[:i], " ")
	return before == "" || !strings.ContainsRune("&|", rune(before[len(before)-1]))
}

// says is the rule for a fact in other words. Where the fact has nothing hard in it and no outcome, only its own words
// will do.
func (l *cutLine) says(want *cutLine, class FactClass) bool {
	hard, outcome, mine := want.hard(), want.outcomes(), l.hard()
	switch {
	case len(hard) == 0 && len(outcome) == 0:
		return false
	case !containsAll(mine, hard) || !containsAll(l.plain(), outcome) || !containsAll(l.figures(), want.figures()):
		return false
	case class == ClassDecisionState && !inOrder(mine, hard):
		return false
	case isRun(class) && (len(mine)-len(hard) > len(hard)/2 || !containsAll(l.plain(), want.subject())):
		return false // another command that shares some words with this one
	}
	return newWordSet(l.folded).covers(want.folded, failClosedShare)
}

// isRun reports whether facts of the class are about a command or a call: `subject -> outcome`.
func isRun(c FactClass) bool { return c == ClassToolOutcome || c == ClassValidationResult }

// subject are the plain words of what was run.
func (l *cutLine) subject() (out []string) {
	for _, p := range l.pieces {
		if outcomeWords[p.text] != noOutcome {
			break
		}
		if !p.hard {
			out = append(out, p.text)
		}
	}
	return out
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
