package store

import (
	"context"
	"fmt"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// UndoPass implements session.Store (spec 6.7).
func (s *Sessions) UndoPass(ctx context.Context, d session.UndoPass) (session.Commit, error) {
	p := d.Pass
	return s.do(ctx, "undo compaction "+p.ID, p.SessionID, d.Out, func(u *unit) error {
		if err := u.retreat(d); err != nil {
			return err
		}
		stored, err := u.pass(p.ID)
		if err != nil {
			return err
		}
		p.Outcome, p.Version, p.FoldedInto = compaction.OutcomeUndone, stored.Version, stored.FoldedInto
		if err := u.updatePass(p, "outcome <> 'undone'"); err != nil {
			return err
		}
		if err := u.restore(p); err != nil {
			return err
		}
		u.head.Passes--
		u.head.setPosture(d.Posture)
		return u.head.setMemory(d.Memory)
	})
}

// retreat checks that the pass is the newest applied one of a session at rest, and moves version and watermark.
func (u *unit) retreat(d session.UndoPass) error {
	h := &u.head
	if h.Version != d.Expect {
		return session.ErrStale
	}
	running, err := u.hasRunningTurn()
	if err != nil {
		return err
	}
	if running {
		return session.ErrBusy
	}
	newest, ok, err := lastApplied(u.tx, h.ID)
	switch {
	case err != nil:
		return err
	case !ok:
		return session.ErrNothingToUndo
	case newest.ID != d.Pass.ID:
		return fmt.Errorf("compaction %s is not the newest: %w", d.Pass.ID, session.ErrStale)
	}
	if mark := int64(d.Watermark); mark < 0 || mark > h.Watermark {
		return fmt.Errorf("watermark %d is outside 0 to %d", mark, h.Watermark)
	}
	h.Watermark = int64(d.Watermark)
	return u.bump(d.Version)
}

// restore takes what stands for the pass out of the view, repairs of it included, and puts its parents back.
func (u *unit) restore(p compaction.Pass) error {
	span := message.Span{Start: p.SpanStart, End: p.SpanEnd}
	err := u.tx.Exec(`UPDATE summaries SET in_view = 0 WHERE session_id = ? AND in_view = 1
		AND (id = ? OR (span_start >= ? AND span_end <= ?))`, u.head.ID, p.ID, span.Start, span.End).Error
	if err != nil || p.Trigger != compaction.TriggerFold {
		return err
	}
	err = u.tx.Exec(`UPDATE summaries SET in_view = 1 WHERE session_id = ? AND id IN
		(SELECT id FROM compactions WHERE session_id = ? AND folded_into = ?)`, u.head.ID, u.head.ID, p.ID).Error
	if err != nil {
		return err
	}
	return u.tx.Model(&passRow{}).Where("session_id = ? AND folded_into = ?", u.head.ID, p.ID).
		Update("folded_into", "").Error
}
