package compaction_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/message/messagetest"
)

// slow counts by reading every row, as Index must not.
type slow struct {
	base message.Seq
	rows []message.Message
}

func (x slow) end() message.Seq { return x.base + message.Seq(len(x.rows)) }

func (x slow) tokens(s message.Span) (history, request int) {
	for i, m := range x.rows {
		if !s.Contains(x.base + message.Seq(i)) {
			continue
		}
		thought := 0
		for _, b := range m.Blocks {
			if th, ok := b.(message.Thinking); ok {
				thought += len(th.Thinking)
			}
		}
		history += m.Tokens
		request += m.Tokens + message.FallbackTokens(thought)
	}
	return history, request
}

// cut is requirements A4.6 word for word: no call before q has its result at or after q, or none at all.
func (x slow) cut(q message.Seq) bool {
	open := map[string]int{}
	for i, m := range x.rows {
		if x.base+message.Seq(i) == q {
			return len(open) == 0 && len(m.ToolResults()) == 0
		}
		for _, r := range m.ToolResults() {
			if open[r.ToolUseID]--; open[r.ToolUseID] <= 0 {
				delete(open, r.ToolUseID)
			}
		}
		for _, u := range m.ToolUses() {
			open[u.ID]++
		}
	}
	return len(open) == 0
}

func (x slow) turnsBefore(q message.Seq, n int) []message.Seq {
	out := []message.Seq{}
	for i, m := range x.rows {
		if at := x.base + message.Seq(i); m.OpensTurn() && at < q {
			out = append(out, at)
		}
	}
	return out[max(len(out)-n, 0):]
}

func (x slow) bounded(limit int) message.Seq {
	for q := x.base; ; q++ {
		if n, _ := x.tokens(message.Span{Start: q, End: x.end()}); n <= limit {
			return q
		}
	}
}

// The index answers like a reader of all rows, whatever they are, and after rows were forgotten (spec 4.1).
func TestIndex_AgreesWithReadingAllRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		for i := range rows {
			rows[i].Count()
		}
		x, ref := compaction.NewIndex(0, rows), slow{0, rows}
		checkIndex(t, x, ref)
		cuts := []message.Seq{}
		for q := message.Seq(0); q <= ref.end(); q++ {
			if ref.cut(q) {
				cuts = append(cuts, q)
			}
		}
		if len(cuts) == 0 {
			return
		}
		base := rapid.SampledFrom(cuts).Draw(t, "forget")
		x.Forget(base)
		checkIndex(t, x, slow{base, rows[base:]})
	})
}

func drawRows(t *rapid.T) []message.Message {
	if rapid.Bool().Draw(t, "valid") {
		return messagetest.ValidHistory(t)
	}
	return messagetest.History(t)
}

func checkIndex(t *rapid.T, x *compaction.Index, ref slow) {
	require.Equal(t, ref.base, x.Base())
	require.Equal(t, ref.end(), x.End())
	for q := ref.base; q <= ref.end(); q++ {
		require.Equal(t, ref.cut(q), x.Cut(q), "cut before %d", q)
		for n := 1; n <= 6; n++ {
			require.ElementsMatch(t, ref.turnsBefore(q, n), x.TurnsBefore(q, n))
		}
		s := message.Span{Start: q, End: ref.end() - (q-ref.base)/3}
		history, request := ref.tokens(s)
		require.Equal(t, history, x.Tokens(s))
		require.Equal(t, request, x.RequestTokens(s))
	}
	total, _ := ref.tokens(message.Span{Start: ref.base, End: ref.end()})
	for _, limit := range []int{0, 1, total / 3, total / 2, total - 1, total, total + 1} {
		if limit >= 0 {
			require.Equal(t, ref.bounded(limit), x.Bounded(limit))
		}
	}
}

// A span that reaches outside is cut to what is counted.
func TestIndex_SpansOutside(t *testing.T) {
	x := compaction.NewIndex(0, history(t, "U A U A U"))
	x.Forget(2)
	require.Equal(t, 60, x.Tokens(span(0, 99)))
	require.Equal(t, 20, x.Tokens(span(-5, 3)))
	require.Zero(t, x.Tokens(span(0, 2)))
	require.Zero(t, x.Tokens(span(4, 3)))
	x.Forget(1) // gone already
	require.Equal(t, message.Seq(2), x.Base())
	x.Forget(99)
	require.Equal(t, x.End(), x.Base())
	require.Zero(t, x.Tokens(span(0, 99)))
	require.True(t, x.Cut(x.End()))
}
