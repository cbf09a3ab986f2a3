package session

import (
	"errors"

	"tidemark/internal/compaction"
)

// judge is the gate's verdict on a text for this pass (spec 6.3).
func (w *passWork) judge(t compaction.Text) *compaction.GateVerdict { return nil }

// gated is what a candidate must pass before it is cached in two_phase: a valid view, and the gate.
func (w *passWork) gated(text string) error {
	if err := w.verify(text); err != nil {
		return err
	}
	if v := w.judge(compaction.Text{Text: text}); v != nil && !v.Accepted {
		return errors.New(v.Reason)
	}
	return nil
}
