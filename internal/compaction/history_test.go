package compaction_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// historyWord is one row: who speaks, the calls it makes or answers, and its size in tokens: U, A, A{t1,t2}, R(t1,t2),
// each with :n for n tokens (20 when not said).
var historyWord = regexp.MustCompile(`^([UAR])(?:[{(]([\w,]+)[)}])?(?::(\d+))?$`)

// history reads rows in the notation of the cases: "U:100 A{t1} R(t1):5000 A". Words may be repeated, "5*U:10".
func history(t testing.TB, notation string) []message.Message {
	t.Helper()
	var out []message.Message
	for _, w := range strings.Fields(notation) {
		times := 1
		if n, rest, ok := strings.Cut(w, "*"); ok {
			times, w = number(t, n), rest
		}
		for range times {
			m := historyRow(t, w)
			m.Seq = message.Seq(len(out))
			out = append(out, m)
		}
	}
	return out
}

func number(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}

func historyRow(t testing.TB, word string) message.Message {
	t.Helper()
	parts := historyWord.FindStringSubmatch(word)
	require.NotNil(t, parts, "no row: %q", word)
	size := 20
	if parts[3] != "" {
		size = number(t, parts[3])
	}
	var ids []string
	if parts[2] != "" {
		ids = strings.Split(parts[2], ",")
	}
	switch parts[1] {
	case "U":
		return message.NewUser(filled(3 * size))
	case "R":
		return resultRow(ids, 3*size)
	}
	return callRow(ids, 3*size)
}

// filled is a text of so many bytes, at least one.
func filled(bytes int) message.Text { return message.Text{Text: strings.Repeat("x", max(bytes, 1))} }

func resultRow(ids []string, bytes int) message.Message {
	var blocks []message.Block
	for i, id := range ids {
		share := bytes / len(ids)
		if i == 0 {
			share += bytes % len(ids)
		}
		blocks = append(blocks, message.TextResult(id, filled(share).Text, false))
	}
	return message.NewUser(blocks...)
}

func callRow(ids []string, bytes int) message.Message {
	var calls message.Blocks
	for _, id := range ids {
		calls = append(calls, message.ToolUse{ID: id, Name: "bash", Input: []byte(`{}`)})
	}
	return message.NewAssistant(append(message.Blocks{filled(bytes - calls.Units())}, calls...)...)
}

// turns is a history of n closed turns with a tool cycle each, all rows of the same size.
func turns(n, size int) string {
	var sb strings.Builder
	for i := range n {
		fmt.Fprintf(&sb, "U:%d A{c%d}:%d R(c%d):%d A:%d ", size, i, size, i, size, size)
	}
	return sb.String()
}

// planState is the state of a session that sends these rows next, nothing compacted yet: at turn start when the newest
// row opens a turn, at a step when it brings results, else at rest.
func planState(rows []message.Message) compaction.State {
	s := compaction.State{Index: compaction.NewIndex(0, rows), Place: compaction.AtIdle, TurnOpen: message.Seq(len(rows))}
	if n := len(rows); n > 0 && rows[n-1].Role == message.RoleUser {
		s.Place = compaction.AtStep
		if rows[n-1].OpensTurn() {
			s.Place = compaction.AtTurnStart
		}
		for i := n - 1; i >= 0; i-- {
			if rows[i].OpensTurn() {
				s.TurnOpen = message.Seq(i)
				break
			}
		}
	}
	for i := range rows {
		if rows[i].OpensTurn() {
			s.Turns++
		}
	}
	return s
}

// config is the default configuration with changes.
func config(change func(*compaction.Config)) compaction.Config {
	c := compaction.DefaultConfig()
	if change != nil {
		change(&c)
	}
	return c
}

// source is the source profile with changes.
func source(change func(*compaction.Config)) compaction.Config {
	c := compaction.SourceDefaults(compaction.DefaultConfig())
	if change != nil {
		change(&c)
	}
	return c
}

func planner(c compaction.Config) compaction.Planner { return compaction.Planner{Config: c} }

func span(start, end int) message.Span {
	return message.Span{Start: message.Seq(start), End: message.Seq(end)}
}

// summary is a sound summary of a span with a text of so many bytes.
func summary(id string, s message.Span, bytes int) compaction.Summary {
	text := strings.Repeat("s", bytes)
	return compaction.Summary{
		ID: id, Span: s, Kind: compaction.KindMechanical, Model: "mechanical", Text: text, Hash: compaction.TextHash(text),
	}
}

// cutsOf lists the boundaries of rows.
func cutsOf(rows []message.Message) []message.Seq {
	x := compaction.NewIndex(0, rows)
	out := []message.Seq{}
	for q := message.Seq(0); q <= x.End(); q++ {
		if x.Cut(q) {
			out = append(out, q)
		}
	}
	return out
}
