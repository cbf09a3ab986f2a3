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
