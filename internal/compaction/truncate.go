package compaction

import (
	"fmt"

	"tidemark/internal/message"
)

// Truncate says which rows are dropped so that pending falls below the hard cap (spec 4.5): whole turns first, then
// whole tool cycles, from the old end, never the tail. ok is false when nothing can be dropped.
func (p Planner) Truncate(s State, w Plan) (span message.Span, ok bool) {
	need := w.Pending - w.HardCap + 1
	if need <= 0 {
		return span, false
	}
	span = message.Span{Start: s.Watermark, End: s.Watermark}
	for s.scale(s.Index.Tokens(span)) < need {
		next, more := p.nextDrop(s, span.End, w.TailStart)
		if !more {
			break
		}
		span.End = next
	}
	return span, span.Len() > 0
}

// nextDrop is the end of the next unit that may be dropped from q on: the rest of a turn that ends before the tail,
// else one tool cycle.
func (p Planner) nextDrop(s State, q, tail message.Seq) (message.Seq, bool) {
	if turn, ok := s.Index.nextTurn(q + 1); ok && turn <= tail && s.Index.Cut(turn) {
		return turn, true
	}
	next := s.Index.CutAfter(q+1, tail)
	return next, next > q && next <= tail && s.Index.Cut(next)
}

// TruncationNote is the user note that stands for dropped rows (spec 4.5).
func TruncationNote(s message.Span) string {
	return fmt.Sprintf("[%d earlier messages (%d to %d) were left out here without a summary, because the history was too long]",
		s.Len(), s.Start, s.End-1)
}
