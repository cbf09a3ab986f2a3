// Package providertest is the contract suite that every adapter passes (spec 7.1), sim included.
package providertest

import (
	"encoding/json"
	"testing"

	"tidemark/internal/provider"
)

// Run holds an adapter to the contract of [provider.Model]. newModel makes a fresh model whose service behaves as the
// scenario says; it registers its own cleanup, and returns nil for a scenario its service cannot show, which is then
// skipped.
func Run(t *testing.T, newModel func(testing.TB, Scenario) provider.Model) {
	s := suite{newModel}
	for _, part := range []struct {
		name string
		test func(*testing.T)
	}{
		{"Text", s.text}, {"Tool", s.tool}, {"Parallel", s.parallel}, {"Thinking", s.thinking}, {"Empty", s.empty},
		{"Refusal", s.refusal}, {"MaxTokens", s.maxTokens}, {"NoUsage", s.noUsage}, {"Cache", s.cache},
		{"Errors", s.errors}, {"Cut", s.cut}, {"Cancelled", s.cancelled}, {"CancelMidStream", s.cancelMidStream},
		{"CancelWhileWaiting", s.cancelWhileWaiting}, {"Break", s.breakOut}, {"Concurrent", s.concurrent},
	} {
		t.Run(part.name, part.test)
	}
}

type suite struct {
	newModel func(testing.TB, Scenario) provider.Model
}

func (s suite) open(t *testing.T, sc Scenario) provider.Model {
	t.Helper()
	m := s.newModel(t, sc)
	if m == nil {
		t.Skipf("the adapter's service cannot show %q", sc)
	}
	return m
}

func (s suite) ask(t *testing.T, sc Scenario) Result {
	t.Helper()
	return Collect(t.Context(), t, s.open(t, sc), Request(sc))
}

func (s suite) text(t *testing.T) {
	r := s.ask(t, Text)
	done := r.WantDone(t, provider.StopEndTurn)
	if r.Text == "" || r.Deltas == 0 {
		t.Error("no text was streamed")
	}
	if done.Usage.Estimated || done.Usage.Prompt() == 0 || done.Usage.Output == 0 {
		t.Errorf("usage %+v", done.Usage)
	}
	if done.RequestID == "" {
		t.Error("no request id")
	}
}

// tool goes once round: call, result, answer.
func (s suite) tool(t *testing.T) {
	m, req := s.open(t, Tool), Request(Tool)
	first := Collect(t.Context(), t, m, req)
	done := first.WantDone(t, provider.StopToolUse)
	if len(first.Starts) != 1 || first.Starts[0].Name != "get_weather" || first.Starts[0].ID == "" {
		t.Fatalf("announced %+v", first.Starts)
	}
	next := answered(req, done, "")
	wantObjects(t, next)
	if r := Collect(t.Context(), t, m, next); r.WantDone(t, provider.StopEndTurn) != nil && r.Text == "" {
		t.Error("no text after the tool's result")
	}
}

// wantObjects checks that call inputs are JSON objects.
func wantObjects(t *testing.T, req provider.Request) {
	t.Helper()
	for _, u := range req.Messages[len(req.Messages)-2].ToolUses() {
		var object map[string]any
		if err := json.Unmarshal(u.Input, &object); err != nil {
			t.Errorf("input of %s is no JSON object: %s", u.Name, u.Input)
		}
	}
}

func (s suite) parallel(t *testing.T) {
	m, req := s.open(t, Parallel), Request(Parallel)
	r := Collect(t.Context(), t, m, req)
	done := r.WantDone(t, provider.StopToolUse)
	if len(r.Starts) != 2 || r.Starts[0].ID == r.Starts[1].ID {
		t.Fatalf("announced %+v", r.Starts)
	}
	next := answered(req, done, "")
	wantObjects(t, next)
	Collect(t.Context(), t, m, next).WantDone(t, provider.StopEndTurn)
}

func (s suite) thinking(t *testing.T) {
	r := s.ask(t, Thinking)
	done := r.WantDone(t, provider.StopEndTurn)
	if r.Thinking == "" || r.Text == "" {
		t.Errorf("thinking %q, text %q", r.Thinking, r.Text)
	}
	if done.Usage.Output == 0 {
		t.Errorf("usage %+v", done.Usage)
	}
}

// empty is an answer, not an error: what to do with it is the caller's business (case B33).
func (s suite) empty(t *testing.T) {
	r := s.ask(t, Empty)
	r.WantDone(t, provider.StopEndTurn)
	if r.Text != "" {
		t.Errorf("text %q", r.Text)
	}
}

func (s suite) refusal(t *testing.T) { s.ask(t, Refusal).WantDone(t, provider.StopRefusal) }

func (s suite) maxTokens(t *testing.T) {
	if r := s.ask(t, MaxTokens); r.WantDone(t, provider.StopMaxTokens) != nil && r.Text == "" {
		t.Error("no text")
	}
}

// noUsage must be estimated and flagged, never zero (case B73).
func (s suite) noUsage(t *testing.T) {
	u := s.ask(t, NoUsage).WantDone(t, provider.StopEndTurn).Usage
	if !u.Estimated || u.Prompt() == 0 || u.Output == 0 {
		t.Errorf("usage %+v", u)
	}
}

func (s suite) cache(t *testing.T) {
	m, req := s.open(t, Cache), Request(Cache)
	done := Collect(t.Context(), t, m, req).WantDone(t, provider.StopEndTurn)
	u := Collect(t.Context(), t, m, answered(req, done, "And again. [[say 20]]")).WantDone(t, provider.StopEndTurn).Usage
	if u.CacheRead == 0 {
		t.Errorf("the second call read nothing from the cache: %+v", u)
	}
}
