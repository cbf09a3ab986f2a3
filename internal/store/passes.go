package store

import (
	"context"
	"errors"
	"fmt"

	"tidemark/internal/compaction"
	"tidemark/internal/session"
)

// BeginPass implements session.Store: the row of an attempt without an outcome.
func (s *Sessions) BeginPass(ctx context.Context, p compaction.Pass, out session.Out) (session.Commit, error) {
	return s.do(ctx, "begin compaction "+p.ID, p.SessionID, out, func(u *unit) error {
		p.Outcome, p.Version = compaction.OutcomeOpen, 0
		return u.insertPass(p)
	})
}

// ApplyPass implements session.Store. The new view exists as a whole or not at all: summary row, watermark, version and
// ledger lines are one transaction (case B81).
func (s *Sessions) ApplyPass(ctx context.Context, a session.ApplyPass) (session.Commit, error) {
	p := &a.Pass
	return s.do(ctx, "apply compaction "+p.ID, p.SessionID, a.Out, func(u *unit) error {
		if err := u.advance(a); err != nil {
			return err
		}
		p.Version = u.head.Version
		if err := u.takeOver(p.ID, a.TakesOver); err != nil {
			return err
		}
		if err := u.endPass(p, a.Begin, a.Ledger); err != nil {
			return err
		}
		if err := u.replace(*p, a.Replaces); err != nil {
			return err
		}
		if err := u.insertSummary(p.ID, a.Summary); err != nil {
			return err
		}
		u.head.Passes++
		u.head.setPosture(a.Posture)
		return u.head.setMemory(a.Memory)
	})
}

// advance moves version and watermark by compare-and-set (spec 4.3).
func (u *unit) advance(a session.ApplyPass) error {
	h := &u.head
	if h.Version != a.Expect {
		return session.ErrStale
	}
	if (a.Summary == nil) == (len(a.Pass.ElidedSeqs) == 0) {
		return errors.New("an applied compaction brings either a summary or elided rows")
	}
	if mark := int64(a.Watermark); mark < h.Watermark || mark > h.NextSeq {
		return fmt.Errorf("watermark %d is outside %d to %d", mark, h.Watermark, h.NextSeq)
	}
	h.Watermark = int64(a.Watermark)
	return u.bump(a.Pass.Version)
}

// bump takes the version a caller gave, or the next one.
func (u *unit) bump(version int64) error {
	if version == 0 {
		version = u.head.Version + 1
	}
	if version <= u.head.Version {
		return fmt.Errorf("version %d is not after %d", version, u.head.Version)
	}
	u.head.Version = version
	return nil
}

// FailPass implements session.Store: an attempt that changed nothing.
func (s *Sessions) FailPass(ctx context.Context, f session.FailPass) (session.Commit, error) {
	p := &f.Pass
	return s.do(ctx, "fail compaction "+p.ID, p.SessionID, f.Out, func(u *unit) error {
		p.Version = 0
		if err := u.endPass(p, f.Begin, f.Ledger); err != nil {
			return err
		}
		u.head.setPosture(f.Posture)
		return u.head.setMemory(f.Memory)
	})
}

// endPass gives an attempt its outcome, once, with the ledger rows of its calls.
func (u *unit) endPass(p *compaction.Pass, begin bool, calls []session.LedgerRow) error {
	if p.Outcome == compaction.OutcomeOpen {
		return errors.New("a compaction cannot end without an outcome")
	}
	if err := u.charge(calls...); err != nil {
		return err
	}
	if err := u.costOf(p); err != nil {
		return err
	}
	if p.CacheHit {
		u.head.SummaryCacheHits++
	}
	if begin {
		return u.insertPass(*p)
	}
	return u.updatePass(*p, "outcome = ''")
}

// replace takes summaries out of the view; they stay stored (case B103). Parents of a fold are marked.
func (u *unit) replace(p compaction.Pass, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	err := u.tx.Model(&summaryRow{}).Where("session_id = ? AND id IN ?", u.head.ID, ids).Update("in_view", false).Error
	if err != nil || p.Trigger != compaction.TriggerFold {
		return err
	}
	return u.tx.Model(&passRow{}).Where("session_id = ? AND id IN ?", u.head.ID, ids).Update("folded_into", p.ID).Error
}

func (u *unit) insertSummary(passID string, s *compaction.Summary) error {
	if s == nil {
		return nil
	}
	if s.ID != passID {
		return fmt.Errorf("summary %q is not of compaction %q", s.ID, passID)
	}
	row, err := fromSummary(u.head.ID, *s)
	if err != nil {
		return err
	}
	row.Created = toStamp(u.now)
	return u.tx.Create(&row).Error
}
