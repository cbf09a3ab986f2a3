package store

import (
	"context"
	"fmt"

	"tidemark/internal/session"
)

// SaveCandidate implements session.Store (spec 6.4).
func (s *Sessions) SaveCandidate(ctx context.Context, c session.SaveCandidate) (session.Commit, error) {
	p := c.Pass
	return s.do(ctx, "save candidate of compaction "+p.ID, p.SessionID, c.Out, func(u *unit) error {
		if err := u.charge(c.Ledger...); err != nil {
			return err
		}
		u.head.setPosture(c.Posture)
		return u.amend(p)
	})
}

// Swap implements session.Store: one transaction, so that a crash on either side of it leaves one valid summary.
func (s *Sessions) Swap(ctx context.Context, w session.Swap) (session.Commit, error) {
	p := w.Pass
	return s.do(ctx, "swap summary of compaction "+p.ID, p.SessionID, w.Out, func(u *unit) error {
		if u.head.Version != w.Expect {
			return session.ErrStale
		}
		if err := u.bump(w.Version); err != nil {
			return err
		}
		if err := u.rewriteSummary(w); err != nil {
			return err
		}
		u.head.setPosture(w.Posture)
		return u.amend(p)
	})
}

// rewriteSummary puts a text in the place of another one for the same span. A summary that is gone is not made here:
// the link check covers its span first (spec 6.8).
func (u *unit) rewriteSummary(w session.Swap) error {
	row, err := fromSummary(u.head.ID, w.Summary)
	if err != nil {
		return err
	}
	res := u.tx.Model(&summaryRow{}).Where("id = ? AND session_id = ? AND in_view = 1 AND span_start = ? AND span_end = ?",
		w.Pass.ID, u.head.ID, row.SpanStart, row.SpanEnd).
		Select("kind", "model", "text", "hash", "cache_key", "request", "request_seq", "digest").Updates(&row)
	if res.Error == nil && res.RowsAffected == 0 {
		return fmt.Errorf("the summary of compaction %s is not in the view: %w", w.Pass.ID, session.ErrStale)
	}
	return res.Error
}
