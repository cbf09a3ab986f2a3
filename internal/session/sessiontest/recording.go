package sessiontest

import (
	"context"
	"fmt"

	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/internal/tool"
)

// Recorded is a repaired transcript cut for sim:replay: one entry a turn.
type Recorded struct {
	Turns   []RecordedTurn
	Results map[string]message.ToolResult
	Tools   []message.ToolSpec
}

// RecordedTurn is a user message and the assistant messages that answered it.
type RecordedTurn struct {
	User  message.Blocks
	Steps []message.Blocks
}

// Cut cuts repaired rows into turns.
func Cut(rows []message.Message) Recorded {
	r := Recorded{Results: make(map[string]message.ToolResult)}
	names := make(map[string]bool)
	for _, m := range rows {
		for _, u := range m.ToolUses() {
			if !names[u.Name] {
				names[u.Name] = true
				r.Tools = append(r.Tools, message.ToolSpec{Name: u.Name})
			}
		}
		for _, t := range m.ToolResults() {
			r.Results[t.ToolUseID] = t
		}
		switch {
		case m.Role == message.RoleUser && len(m.ToolResults()) == 0:
			r.Turns = append(r.Turns, RecordedTurn{User: m.Blocks})
		case m.Role == message.RoleAssistant && len(r.Turns) > 0:
			t := &r.Turns[len(r.Turns)-1]
			t.Steps = append(t.Steps, m.Blocks)
		}
	}
	return r
}

// Answer gives the recorded result of a call.
func (r Recorded) Answer(_ context.Context, q tool.Request) (tool.Answer, error) {
	res, ok := r.Results[q.Call.CallID]
	if !ok {
		return tool.Answer{}, fmt.Errorf("no result is recorded for call %q", q.Call.CallID)
	}
	return tool.Answer{Content: res.Content, IsError: res.IsError}, nil
}

// Replay plays a recording through a new session and returns its id. A turn that does not end by itself is an error.
func (w *World) Replay(r Recorded, n session.NewSession) (session.ID, error) {
	w.TB.Helper()
	n.Model, n.Tools = "sim:replay", r.Tools
	id := w.NewSession(n)
	detach, err := w.Attach(context.Background(), id, Client{Tool: r.Answer})
	if err != nil {
		return id, err
	}
	defer detach()
	for i, t := range r.Turns {
		res := w.Do(id, session.Prompt{Blocks: t.User, Script: t.script()})
		if res.Err != nil {
			return id, fmt.Errorf("turn %d of %d: %w", i+1, len(r.Turns), res.Err)
		}
	}
	return id, nil
}

// script is the turn's answers; a recording that breaks off before the last one gets a filler.
func (t RecordedTurn) script() []message.Blocks {
	steps := append([]message.Blocks(nil), t.Steps...)
	if n := len(steps); n == 0 || len(message.NewAssistant(steps[n-1]...).ToolUses()) > 0 {
		steps = append(steps, message.Blocks{message.Text{Text: message.FillerNoAnswer}})
	}
	return steps
}
