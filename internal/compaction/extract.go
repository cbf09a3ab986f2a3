package compaction

import (
	"slices"
	"strings"

	"tidemark/internal/message"
)

// maxRowSpecifics bounds the specifics of one row: a digest is stored beside it.
const maxRowSpecifics = 600

// ExtractRow makes the digest of one row when it is stored, in one scanner pass. uses are the calls of the assistant
// row before, so that results know the tool and its target. A filler gives an empty digest: fillers are never facts
// (spec 3.4). Thinking is left out (case B37), as are images and opaque blocks.
func ExtractRow(m message.Message, uses []message.ToolUse) Digest {
	if m.Synthetic {
		return Digest{}
	}
	x := extractor{at: map[string]int{}, seen: map[string]source{}}
	x.d = Digest{Version: ExtractorVersion, First: m.Seq, Last: m.Seq, Rows: 1, Tokens: message.FallbackTokens(m.Blocks.Units())}
	calls := make(map[string]toolCall, len(uses))
	for _, u := range uses {
		calls[u.ID] = newToolCall(u)
	}
	for _, b := range m.Blocks {
		switch v := b.(type) {
		case message.Text:
			x.text(m, v.Text)
		case message.ToolUse:
			x.use(v)
		case message.ToolResult:
			x.result(v, calls[v.ToolUseID])
		}
	}
	x.bound()
	return x.d
}

// source is a set of places where a specific was met within one row; rows are counted, not mentions.
type source uint8

const (
	inCall source = 1 << iota
	inText
	inUser
	inResult
)

// extractor collects the digest of one row.
type extractor struct {
	d    Digest
	at   map[string]int // specific -> its place in d.Specifics
	seen map[string]source
}

// mask also makes the text valid UTF-8, as it will be after it was stored as JSON.
func (x *extractor) mask(s string) string {
	s, n := Mask(strings.ToValidUTF8(s, "\uFFFD"))
	x.d.Masked += n
	return s
}

// topic gives the place of a topic in the row's table, from 1.
func (x *extractor) topic(t Topic) int {
	if i := slices.Index(x.d.Topics, t); i >= 0 {
		return i + 1
	}
	x.d.Topics = append(x.d.Topics, t)
	return len(x.d.Topics)
}

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

// redactedWord is what a masked secret leaves to the scanner.
var redactedWord = strings.Trim(Redacted, "[]")

func (x *extractor) count(tok string, src source, topic int, marks Marks) {
	if tok == redactedWord {
		return
	}
	i, ok := x.at[tok]
	if !ok {
		tok = strings.Clone(tok) // a digest must not hold on to the row's text
		i = len(x.d.Specifics)
		x.at[tok] = i
		x.d.Specifics = append(x.d.Specifics, Specific{Text: tok, At: topic})
	}
	s := &x.d.Specifics[i]
	s.Marks |= marks
	if x.better(topic, s.At) {
		s.At = topic
	}
	if x.seen[tok]&src != 0 {
		if src == inResult {
			s.Hits++
		}
		return
	}
	x.seen[tok] |= src
	switch src {
	case inCall:
		s.Calls++
	case inText:
		s.Texts++
	case inUser:
		s.Users++
	case inResult:
		s.Seen++
	}
}

// better reports whether a specific says more with topic a than with b.
func (x *extractor) better(a, b int) bool {
	if a == 0 || a == b {
		return false
	}
	return b == 0 || x.d.Topics[a-1].Kind.weight() > x.d.Topics[b-1].Kind.weight()
}

// bound keeps the likeliest specifics of a row that has too many, in order of appearance.
func (x *extractor) bound() {
	list := x.d.Specifics
	if len(list) <= maxRowSpecifics {
		return
	}
	x.d.Left.Specifics += len(list) - maxRowSpecifics
	keep := rankSpecifics(list, x.d.Topics, "")[:maxRowSpecifics]
	slices.Sort(keep)
	out := make(Specifics, len(keep))
	for i, k := range keep {
		out[i] = list[k]
	}
	x.d.Specifics = out
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
