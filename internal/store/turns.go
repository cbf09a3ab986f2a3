package store

import (
	"context"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// BeginTurn implements session.Store: the accepted prompt is durable from here on.
func (s *Sessions) BeginTurn(ctx context.Context, b session.BeginTurn) (session.Commit, error) {
	id := b.Turn.SessionID
	return s.do(ctx, "begin turn in session "+id, id, b.Out, func(u *unit) error {
		if err := u.admit(b.Turn); err != nil {
			return err
		}
		b.Turn.OpenSeq = message.Seq(u.head.NextSeq)
		b.Turn.StartedAt = u.or(b.Turn.StartedAt)
		if err := u.openTurn(b.Turn); err != nil {
			return err
		}
		if b.Title != "" {
			u.head.Title = b.Title
		}
		if b.Factor > 0 {
			u.head.Factor = b.Factor
		}
		return u.appendMessages(b.Turn.ID, []message.Message{b.Message}, []compaction.Digest{b.Digest})
	})
}

// FinishStep implements session.Store: a model's answer and its ledger row are one fact.
func (s *Sessions) FinishStep(ctx context.Context, f session.FinishStep) (session.Commit, error) {
	return s.do(ctx, "finish step of turn "+f.TurnID, f.SessionID, f.Out, func(u *unit) error {
		if err := u.addStep(f.TurnID, 1); err != nil {
			return err
		}
		f.Ledger.TurnID = f.TurnID
		if err := u.charge(f.Ledger); err != nil {
			return err
		}
		if err := u.measured(f.Measured); err != nil {
			return err
		}
		if f.Message == nil {
			return nil
		}
		return u.appendMessages(f.TurnID, []message.Message{*f.Message}, []compaction.Digest{f.Digest})
	})
}

// AnswerTools implements session.Store.
func (s *Sessions) AnswerTools(ctx context.Context, a session.AnswerTools) (session.Commit, error) {
	return s.do(ctx, "answer tools of turn "+a.TurnID, a.SessionID, a.Out, func(u *unit) error {
		if err := u.addStep(a.TurnID, 0); err != nil {
			return err
		}
		return u.appendMessages(a.TurnID, []message.Message{a.Message}, []compaction.Digest{a.Digest})
	})
}

// FinishTurn implements session.Store. Totals stay as the ledger rows made them; only the end is taken from the caller.
func (s *Sessions) FinishTurn(ctx context.Context, f session.FinishTurn) (session.Commit, error) {
	id := f.Turn.SessionID
	return s.do(ctx, "finish turn "+f.Turn.ID, id, f.Out, func(u *unit) error {
		if err := u.appendMessages(f.Turn.ID, f.Closing, f.Digests); err != nil {
			return err
		}
		if err := u.closeTurn(f.Turn); err != nil {
			return err
		}
		if u.head.State == string(session.StateRunning) {
			u.head.State = string(session.StateIdle)
		}
		return nil
	})
}
