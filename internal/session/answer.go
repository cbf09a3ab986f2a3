package session

import (
	"fmt"

	"tidemark/internal/message"
)

// unnamed is what a call without a name is stored under; no tool has it, so the model reads that.
const unnamed = "unnamed"

// answer is a model's answer as the transcript may hold it (spec 3.3): one row that breaks a rule would stand in every
// later request and end the session for good. A call without an id, or with one that was given before (some compatible
// servers count from zero in each answer), gets an id of ours.
func (a *actor) answer(blocks message.Blocks) message.Blocks {
	given := make(map[string]bool)
	var out message.Blocks
	for _, b := range cleanContent(blocks) {
		switch v := b.(type) {
		case nil, message.ToolResult:
			continue
		case message.ToolUse:
			if v.ID == "" || given[v.ID] || a.state.callIDs[v.ID] {
				v.ID = "call_" + a.deps.NewID()
			}
			if v.Name == "" {
				v.Name = unnamed
			}
			given[v.ID] = true
			b = v
		}
		out = append(out, b)
	}
	return out
}

// noteCalls remembers the ids of a row's calls.
func (s *state) noteCalls(m message.Message) {
	for _, u := range m.ToolUses() {
		s.callIDs[u.ID] = true
	}
}

// checkScript refuses a recorded answer that no model could have given.
func checkScript(steps []message.Blocks) error {
	for i, blocks := range steps {
		for _, b := range blocks {
			if b == nil || b.Type() == message.TypeToolResult {
				return &ParamError{Param: "tidemark/sim", Reason: fmt.Sprintf("steps[%d] holds a block that is no part of an answer", i)}
			}
		}
	}
	return nil
}
