package compaction

import (
	"fmt"
	"strings"
	"testing"

	"tidemark/internal/message"
)

// benchRows are closed turns with a tool cycle each, 100 tokens a row.
func benchRows(n int) []message.Message {
	text := strings.Repeat("so it goes ", 27)
	rows := make([]message.Message, 0, n+3)
	for len(rows) < n {
		id := fmt.Sprintf("call_%d", len(rows))
		rows = append(rows,
			message.NewUser(message.Text{Text: text}),
			message.NewAssistant(message.Text{Text: text}, message.ToolUse{ID: id, Name: "bash", Input: []byte(`{}`)}),
			message.NewUser(message.TextResult(id, text, false)),
			message.NewAssistant(message.Text{Text: text}),
		)
	}
	rows = rows[:n:n]
	for i := range rows {
		rows[i].Seq = message.Seq(i)
	}
	return rows
}

// rewind takes the newest rows out of an index again, so that each round of a benchmark begins at the same length.
func (x *Index) rewind(n, turns int) {
	x.rows, x.tokens, x.thought, x.turns = x.rows[:n], x.tokens[:n+1], x.thought[:n+1], x.turns[:turns]
}

// BenchmarkPlan is the work of a turn start: the rows of a new turn are counted and the planner is asked, with all rows
// counted (worst) or those before the watermark forgotten (as a session does). It must not grow with the history
// (spec 4.1): flat within half as much again, and far under a millisecond.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		for _, kept := range []bool{true, false} {
			name := fmt.Sprintf("%d/forgotten", n)
			if kept {
				name = fmt.Sprintf("%d/kept", n)
			}
			b.Run(name, func(b *testing.B) { benchPlan(b, n, kept) })
		}
	}
}

func benchPlan(b *testing.B, n int, kept bool) {
	x := NewIndex(0, benchRows(n))
	p := Planner{Config: DefaultConfig()}
	s := State{
		Index: x, Watermark: message.Seq(max(n-400, 0)), Place: AtTurnStart, Turns: n / 4, Window: 200_000,
		PrefixTokens: 3_000, SummaryTokens: 8_000, MaxOutput: 8_000, Factor: 1.1,
	}
	if !kept {
		x.Forget(s.Watermark)
	}
	rows, turns := len(x.rows), len(x.turns)
	next := benchRows(4)
	b.ReportAllocs()
	for b.Loop() {
		for i := range next {
			x.Append(next[i])
		}
		s.TurnOpen = x.End() - 4
		if p.Plan(s).Verb == Unreachable {
			b.Fatal("the benchmark plans nothing")
		}
		x.rewind(rows, turns)
	}
}

// BenchmarkBuildView builds a view of 100 000 tokens: two summaries, a thousand rows, a few of them elided.
func BenchmarkBuildView(b *testing.B) {
	rows := benchRows(1_000)
	text := strings.Repeat("so it went ", 1_000)
	list := []Summary{
		{ID: "a", Span: message.Span{End: 500}, Model: "mechanical", Text: text},
		{ID: "b", Span: message.Span{Start: 500, End: 900}, Model: "mechanical", Text: text},
	}
	elided := map[message.Seq]bool{2: true, 6: true, 10: true}
	tokens := BuildView(list, rows, elided).Tokens()
	if tokens < 100_000 {
		b.Fatalf("%d tokens", tokens)
	}
	b.ReportAllocs()
	for b.Loop() {
		BuildView(list, rows, elided)
	}
}

// BenchmarkLinkCheck checks the summaries of a long session's view at turn start (spec 6.8).
func BenchmarkLinkCheck(b *testing.B) {
	var list []Summary
	for i := range 8 {
		s := Summary{Span: message.Span{Start: message.Seq(i), End: message.Seq(i + 1)}, Text: strings.Repeat("so it went ", 1_000)}
		s.Hash = TextHash(s.Text)
		list = append(list, s)
	}
	for b.Loop() {
		if len(LinkCheck(list, 8)) > 0 {
			b.Fatal("broken")
		}
	}
}
