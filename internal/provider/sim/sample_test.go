package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

func TestSampleSession_PassesTheThresholdTwice(t *testing.T) {
	m := open(t, model.SimAssistant, sim.Config{})
	req := asked()
	first, last, pending := 0, 0, 0 // pending: the tokens of rows before the five newest turns, as spec 4.1 counts
	var sizes []int
	for i, turn := range sim.SampleSession(0) {
		u := user(turn.Prompt)
		req.Messages = append(req.Messages, u)
		done := collect(t, m, req).WantDone(t, provider.StopEndTurn)
		a := message.NewAssistant(done.Blocks...)
		req.Messages = append(req.Messages, a)
		sizes = append(sizes, u.Tokens+a.Tokens)
		if n := sizes[i]; n < 1000 || n > 2500 {
			t.Errorf("turn %d has %d tokens", i+1, n)
		}
		if i >= 5 {
			pending += sizes[i-5]
		}
		if pending >= 30_000 {
			pending = 0
			if first == 0 {
				first = i + 2 // it is the next turn's start that sees it
			}
			last = i + 2
		}
	}
	if len(sizes) != sim.SampleTurns || first < 18 || first > 30 || last == first || last > sim.SampleTurns {
		t.Errorf("%d turns, threshold passed before turn %d and turn %d", len(sizes), first, last)
	}
}

func TestSampleSession_IsDeterministicAndEndless(t *testing.T) {
	long := sim.SampleSession(3 * sim.SampleTurns)
	if diff := cmp.Diff(sim.SampleSession(5), long[:5]); diff != "" {
		t.Error(diff)
	}
	seen := make(map[string]bool)
	for _, turn := range long {
		if seen[turn.Prompt] {
			t.Fatal("a prompt comes twice")
		}
		seen[turn.Prompt] = true
	}
}
