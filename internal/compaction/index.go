package compaction

import (
	"slices"
	"sort"

	"tidemark/internal/message"
)

// Index counts the transcript rows of a session from a base seq on, so that the planner sums any span and finds any
// boundary without reading rows: turn start costs O(log n) whatever the history (spec 4.1). Rows before the watermark
// may be forgotten ([Index.Forget]). It belongs to one goroutine.
type Index struct {
	base    message.Seq
	rows    []rowMark
	tokens  []int // tokens[i] = history tokens of the rows before base+i, counted from an arbitrary zero
	thought []int // the same for thinking, which only requests count (spec 4.2)
	turns   []message.Seq
	open    []openCall // calls without a result so far, oldest first
}

// rowMark is what a boundary needs to know of a row.
type rowMark struct {
	cut     bool // history may be cut before it
	results bool // it answers calls
}

type openCall struct {
	id  string
	row message.Seq
}

// NewIndex counts rows, which begin at seq base and follow without holes.
func NewIndex(base message.Seq, rows []message.Message) *Index {
	x := &Index{base: base, tokens: []int{0}, thought: []int{0}}
	for i := range rows {
		x.Append(rows[i])
	}
	return x
}

// Append counts the next row of the transcript. A cut is legal only where every call so far has its result, however far
// apart the two stand and however many calls a row makes (cases B03, B06, B07, B15).
func (x *Index) Append(m message.Message) {
	if m.OpensTurn() {
		x.turns = append(x.turns, x.End())
	}
	results := m.ToolResults()
	x.rows = append(x.rows, rowMark{cut: len(x.open) == 0 && len(results) == 0, results: len(results) > 0})
	x.answer(results)
	for _, u := range m.ToolUses() {
		x.open = append(x.open, openCall{u.ID, x.End() - 1})
	}
	x.tokens = append(x.tokens, x.tokens[len(x.tokens)-1]+m.Tokens)
	x.thought = append(x.thought, x.thought[len(x.thought)-1]+thinkingTokens(m))
}

func (x *Index) answer(results []message.ToolResult) {
	for _, r := range results {
		if i := slices.IndexFunc(x.open, func(c openCall) bool { return c.id == r.ToolUseID }); i >= 0 {
			x.open = slices.Delete(x.open, i, i+1)
		}
	}
}

func thinkingTokens(m message.Message) int {
	n := 0
	for _, b := range m.Blocks {
		if t, ok := b.(message.Thinking); ok {
			n += len(t.Thinking)
		}
	}
	return message.FallbackTokens(n)
}

// Base is the first row still counted.
func (x *Index) Base() message.Seq { return x.base }

// End is the seq after the last row.
func (x *Index) End() message.Seq { return x.base + message.Seq(len(x.rows)) }

// Tokens sums the history tokens of a span; a span that reaches outside is cut to what is counted.
func (x *Index) Tokens(s message.Span) int { return x.sum(x.tokens, s) }

// RequestTokens is what a span takes in a request: its history tokens and the thinking that goes with it (spec 4.2).
func (x *Index) RequestTokens(s message.Span) int { return x.Tokens(s) + x.sum(x.thought, s) }

func (x *Index) sum(sums []int, s message.Span) int {
	return max(sums[x.at(s.End)]-sums[x.at(s.Start)], 0)
}

func (x *Index) at(q message.Seq) int {
	return int(min(max(q-x.base, 0), message.Seq(len(x.rows))))
}

// Cut reports whether history may be cut before row q without breaking a tool cycle: q brings no results, and every
// call before it is answered (spec 4.3, requirements A4.6).
func (x *Index) Cut(q message.Seq) bool {
	if i := x.at(q); i < len(x.rows) {
		return x.rows[i].cut
	}
	return len(x.open) == 0
}

// CutBefore is the last boundary at or before q, not before low; ok is false when there is none.
func (x *Index) CutBefore(q, low message.Seq) (message.Seq, bool) {
	for ; q >= low; q-- {
		if x.Cut(q) {
			return q, true
		}
	}
	return low, false
}

// CutAfter is the first boundary at or after q, or high when none comes before it.
func (x *Index) CutAfter(q, high message.Seq) message.Seq {
	for q < high && !x.Cut(q) {
		q++
	}
	return min(q, high)
}

// starts reports whether a tail may begin with row q: it brings no results. Unanswered calls before it do not matter,
// they pin the pass and not the tail.
func (x *Index) starts(q message.Seq) bool {
	i := x.at(q)
	return i == len(x.rows) || !x.rows[i].results
}

// Bounded is the first seq from which at most limit tokens follow.
func (x *Index) Bounded(limit int) message.Seq {
	total := x.tokens[len(x.tokens)-1]
	i := sort.Search(len(x.tokens)-1, func(i int) bool { return total-x.tokens[i] <= limit })
	return x.base + message.Seq(i)
}

// TurnsBefore lists the starts of at most n newest turns that opened before q, oldest first.
func (x *Index) TurnsBefore(q message.Seq, n int) []message.Seq {
	k := x.turnAt(q)
	return x.turns[max(k-n, 0):k:k]
}

// nextTurn is the first turn that opens at or after q.
func (x *Index) nextTurn(q message.Seq) (message.Seq, bool) {
	if k := x.turnAt(q); k < len(x.turns) {
		return x.turns[k], true
	}
	return 0, false
}

// turnAt is the place in turns of the first one that opens at or after q.
func (x *Index) turnAt(q message.Seq) int {
	k, _ := slices.BinarySearch(x.turns, q)
	return k
}

// OpenCall is the row of the oldest unanswered call; it pins the watermark (spec 4.3, case B09).
func (x *Index) OpenCall() (message.Seq, bool) {
	if len(x.open) == 0 {
		return 0, false
	}
	return x.open[0].row, true
}

// Forget drops the rows before q, so that a long session's memory stays that of its view.
func (x *Index) Forget(q message.Seq) {
	i := x.at(q)
	x.rows, x.tokens, x.thought = slices.Clone(x.rows[i:]), slices.Clone(x.tokens[i:]), slices.Clone(x.thought[i:])
	x.base += message.Seq(i)
	x.turns = slices.Clone(x.turns[x.turnAt(x.base):])
}
