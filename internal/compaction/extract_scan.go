package compaction

import "strings"

// scan counts the specifics of a text. The text must be masked.
func (x *extractor) scan(s string, src source, topic int, marks Marks) {
	var run lineRun
	ScanSpecifics(s, func(from, to int, kind SpecificKind) {
		tok := s[from:to]
		m := marks | marksAt(s, from, to, kind)
		if m&MarkLine != 0 {
			if tok = run.next(tok); tok != "" {
				x.count(tok, src, topic, m)
			}
			return
		}
		switch {
		case kind == KindPath:
			tok = trimPath(tok)
		case src == inResult && kind == KindNumber && from > 1 && s[from-1] == '.' && isDigit(s[from-2]):
			return // the fraction of a number: times that tools took
		}
		if len(tok) <= maxPath && len(tok) >= 3 {
			x.count(tok, src, topic, m)
		}
	})
	if run.last != "" {
		x.count(run.last, src, topic, marks|MarkLine)
	}
}

// codes counts the codes of a text.
func (x *extractor) codes(s string, src source, topic int, marks Marks) {
	ScanCodes(s, func(from, to int) { x.count(s[from:to], src, topic, marks) })
}

// trimPath drops the full stop that ends a sentence, but not the `/...` of a pattern. What is no path then is dropped.
func trimPath(tok string) string {
	if strings.HasSuffix(tok, "/...") {
		return tok
	}
	tok = strings.TrimRight(tok, ".-")
	if !strings.Contains(tok, "/") {
		return ""
	}
	return tok
}

// lineRun thins the numbers of lines: a listing numbers each line, of which only its ends tell what was shown, while a
// search shows single lines that are worth keeping.
type lineRun struct {
	n    int
	last string // end of the running listing
}

// next takes a line number and returns the one to count: itself when it does not go on a listing.
func (r *lineRun) next(tok string) string {
	n := number(tok)
	goesOn := n == r.n+1
	r.n = n
	if goesOn {
		r.last = tok
		return ""
	}
	return tok
}

// marksAt looks at what stands around a specific.
func marksAt(s string, from, to int, kind SpecificKind) Marks {
	var m Marks
	if to < len(s) && s[to] == '(' {
		m |= MarkCalled
	}
	if kind == KindNumber && isLineNumber(s, from, to) {
		m |= MarkLine
	}
	if from > 0 && s[from-1] == '/' && (from < 2 || s[from-2] != '/') {
		m |= MarkAbsolute
	}
	return m
}

// isLineNumber recognizes `  12→`, `12:`, `12-`, `file.go:12:` and `L12:` of listings and searches.
func isLineNumber(s string, from, to int) bool {
	if to >= len(s) {
		return false
	}
	if c := s[to]; c != ':' && c != '\t' && c != '-' && c != '|' && !strings.HasPrefix(s[to:], "→") {
		return false
	}
	for from > 0 && (s[from-1] == ' ' || s[from-1] == 'L') {
		from--
	}
	return from == 0 || s[from-1] == '\n' || s[from-1] == ':'
}

// number reads digits; what is too long for a line number is none.
func number(tok string) int {
	n := 0
	for i := 0; i < len(tok) && i < 9; i++ {
		n = n*10 + int(tok[i]-'0')
	}
	return n
}
