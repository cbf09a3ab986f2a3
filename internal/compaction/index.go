package compaction

import (
	"sort"

	"tidemark/internal/message"
)

// Index counts the transcript rows of a session from a base seq on, so that the planner sums any span and finds any
// boundary without reading rows: turn start costs O(log n) whatever the history (spec 4.1). Rows before the watermark
// may be forgotten ([Index.Forget]). It belongs to one goroutine.
type Index struct {
	base  message.Seq
	rows  []rowMark
	sums  []int // sums[i] = tokens of the rows before base+i, counted from an arbitrary zero
	turns []message.Seq
}

// rowMark is what a boundary needs to know of a row.
type rowMark struct {
	uses    bool // makes calls
	results bool // answers calls
}

// NewIndex counts rows, which begin at seq base and follow without holes.
func NewIndex(base message.Seq, rows []message.Message) *Index {
	x := &Index{base: base, sums: []int{0}}
	for i := range rows {
		x.Append(rows[i])
	}
	return x
}

// Append counts the next row of the transcript.
func (x *Index) Append(m message.Message) {
	if m.OpensTurn() {
		x.turns = append(x.turns, x.End())
	}
	x.rows = append(x.rows, rowMark{uses: len(m.ToolUses()) > 0, results: len(m.ToolResults()) > 0})
	x.sums = append(x.sums, x.sums[len(x.sums)-1]+m.Tokens)
}

// Base is the first row still counted, End the seq after the last row.
func (x *Index) Base() message.Seq { return x.base }

// End is the seq after the last row.
func (x *Index) End() message.Seq { return x.base + message.Seq(len(x.rows)) }

// Tokens sums a span of counted rows; a span that reaches outside is cut to what is counted.
func (x *Index) Tokens(s message.Span) int {
	lo, hi := x.at(s.Start), x.at(s.End)
	if hi <= lo {
		return 0
	}
	return x.sums[hi] - x.sums[lo]
}

func (x *Index) at(q message.Seq) int {
	return int(min(max(q-x.base, 0), message.Seq(len(x.rows))))
}

// Cut reports whether history may be cut before row q without breaking a tool cycle: q brings no results, and no call
// before it is unanswered (spec 4.3, requirements A4.6).
func (x *Index) Cut(q message.Seq) bool {
	i := x.at(q)
	if i < len(x.rows) {
		return !x.rows[i].results
	}
	return i == 0 || !x.rows[i-1].uses
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

// CutAfter is the first boundary at or after q, at most high.
func (x *Index) CutAfter(q, high message.Seq) message.Seq {
	for q < high && !x.Cut(q) {
		q++
	}
	return min(q, high)
}

// Bounded is the first seq from which at most limit tokens follow.
func (x *Index) Bounded(limit int) message.Seq {
	total := x.sums[len(x.sums)-1]
	i := sort.Search(len(x.sums), func(i int) bool { return total-x.sums[i] <= limit })
	return x.base + message.Seq(i)
}

// TurnsBefore lists the starts of at most n newest turns that opened before q, oldest first.
func (x *Index) TurnsBefore(q message.Seq, n int) []message.Seq {
	k := sort.Search(len(x.turns), func(i int) bool { return x.turns[i] >= q })
	return x.turns[max(k-n, 0):k]
}

// nextTurn is the first turn that opens at or after q.
func (x *Index) nextTurn(q message.Seq) (message.Seq, bool) {
	k := sort.Search(len(x.turns), func(i int) bool { return x.turns[i] >= q })
	if k == len(x.turns) {
		return 0, false
	}
	return x.turns[k], true
}

// OpenCall is the row of an unanswered call at the end of the history; it pins the watermark (case B09).
func (x *Index) OpenCall() (message.Seq, bool) {
	if n := len(x.rows); n > 0 && x.rows[n-1].uses {
		return x.End() - 1, true
	}
	return 0, false
}

// Forget drops the rows before q, so that a long session's memory stays that of its view.
func (x *Index) Forget(q message.Seq) {
	i := x.at(q)
	if i == 0 {
		return
	}
	x.rows = append([]rowMark(nil), x.rows[i:]...)
	x.sums = append([]int(nil), x.sums[i:]...)
	x.base += message.Seq(i)
	k := sort.Search(len(x.turns), func(j int) bool { return x.turns[j] >= x.base })
	x.turns = append([]message.Seq(nil), x.turns[k:]...)
}
