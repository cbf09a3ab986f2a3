package messagetest

import (
	"fmt"

	"pgregory.net/rapid"

	"tidemark/internal/message"
)

// ValidHistory draws a clean history of one or more turns: speech with and without images, tool cycles with parallel
// calls and results in any order, thinking with its signature. It passes [message.ValidatePrefix], is numbered from 0,
// counted, and carries turn ids; the last turn may still be running, then it ends with a user message.
func ValidHistory(t *rapid.T) []message.Message {
	s := &source{t: t}
	var out []message.Message
	turns := rapid.IntRange(1, 8).Draw(t, "turns")
	for i := range turns {
		rows := s.turn()
		if i == turns-1 {
			rows = s.maybeRunning(rows)
		}
		for _, m := range rows {
			m.TurnID = fmt.Sprintf("turn-%02d", i)
			out = append(out, m)
		}
	}
	for i := range out {
		out[i].Seq = message.Seq(i)
	}
	return out
}

// turn is one user message, tool cycles and the answer.
func (s *source) turn() []message.Message {
	ask := message.Blocks{s.text()}
	if s.chance("image", 15) {
		ask = append(ask, s.image())
	}
	out := []message.Message{message.NewUser(ask...)}
	for range rapid.IntRange(0, 3).Draw(s.t, "cycles") {
		out = append(out, s.cycle()...)
	}
	return append(out, message.NewAssistant(append(s.opening(), s.text())...))
}

// opening is what an assistant message may start with.
func (s *source) opening() message.Blocks {
	var out message.Blocks
	if s.chance("thinks", 30) {
		out = append(out, s.thinking())
	}
	if s.chance("opaque", 5) {
		out = append(out, s.opaque())
	}
	return out
}

// cycle is one assistant message with calls and the user message with all their results.
func (s *source) cycle() []message.Message {
	calls := s.opening()
	if s.chance("says", 50) {
		calls = append(calls, s.text())
	}
	var results message.Blocks
	for range rapid.IntRange(1, 4).Draw(s.t, "parallel") {
		id := fmt.Sprintf("call_%d", s.next())
		calls = append(calls, s.use(id))
		results = append(results, s.result(id))
	}
	results = rapid.Permutation(results).Draw(s.t, "order")
	if s.chance("reminder", 10) {
		results = append(results, s.text())
	}
	return []message.Message{message.NewAssistant(calls...), message.NewUser(results...)}
}

// maybeRunning cuts the answer off, sometimes, so that the turn waits for a model.
func (s *source) maybeRunning(rows []message.Message) []message.Message {
	if s.chance("running", 30) {
		return rows[:len(rows)-1]
	}
	return rows
}
