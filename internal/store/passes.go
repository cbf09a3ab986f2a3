package store

import (
	"context"
	"errors"
	"fmt"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
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

func (u *unit) insertPass(p compaction.Pass) error {
	p.CreatedAt = u.or(p.CreatedAt)
	row, err := fromPass(p)
	if err != nil {
		return err
	}
	return u.tx.Create(&row).Error
}

// passCols are what a later step of an attempt may change.
var passCols = []string{
	"turn_id", "kind", "outcome", "version", "span_start", "span_end", "watermark_before", "watermark_after", "tokens_in",
	"tokens_out", "cache_hit", "candidate", "folded_into", "record",
}

// updatePass rewrites a record while the condition holds.
func (u *unit) updatePass(p compaction.Pass, while string) error {
	row, err := fromPass(p)
	if err != nil {
		return err
	}
	res := u.tx.Model(&passRow{}).Where("id = ? AND session_id = ?", p.ID, u.head.ID).Where(while).
		Select(passCols).Updates(&row)
	if res.Error == nil && res.RowsAffected == 0 {
		return fmt.Errorf("compaction %s is not in that state: %w", p.ID, session.ErrStale)
	}
	return res.Error
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

// costOf makes the record's cost and usage the sum of its ledger rows, when it has any: money is written by one hand
// (spec 6.4, 7.7). A hit or a mechanical pass has none and keeps what the record says.
func (u *unit) costOf(p *compaction.Pass) error {
	var sum struct {
		Calls    int
		Unpriced int
		Pico     int64
		Usage    usageCols `gorm:"embedded"`
	}
	err := u.tx.Raw(`SELECT COUNT(*) AS calls, COUNT(*) - COUNT(cost_pico) AS unpriced, COALESCE(SUM(cost_pico), 0) AS pico,
		SUM(input) AS input, SUM(cache_read) AS cache_read, SUM(cache_write_5m) AS cache_write_5m,
		SUM(cache_write_1h) AS cache_write_1h, SUM(output) AS output, SUM(reasoning) AS reasoning
		FROM ledger WHERE compaction_id = ? AND compaction_id <> '' HAVING COUNT(*) > 0`, p.ID).Scan(&sum).Error
	if err != nil || sum.Calls == 0 {
		return err
	}
	cost := pricing.FromPico(sum.Pico)
	p.CostUSD, p.Usage = &cost, sum.Usage.usage()
	if sum.Unpriced > 0 {
		p.CostUSD = nil
	}
	return nil
}

// settle brings a stored record's cost up to date after a late ledger row.
func (u *unit) settle(passID string) error {
	if passID == "" {
		return nil
	}
	p, err := u.pass(passID)
	if errors.Is(err, session.ErrNotFound) {
		return nil // the attempt takes the row over when it begins (spec 6.5)
	}
	if err != nil {
		return err
	}
	if err := u.costOf(&p); err != nil {
		return err
	}
	return u.updatePass(p, "1 = 1")
}

func (u *unit) pass(id string) (compaction.Pass, error) {
	var row passRow
	if err := first(u.tx, &row, "id = ? AND session_id = ?", id, u.head.ID); err != nil {
		return compaction.Pass{}, err
	}
	return row.toPass()
}

// measured notes what a call told about earlier passes; the rest of their records stays.
func (u *unit) measured(ps []compaction.Pass) error {
	for _, p := range ps {
		stored, err := u.pass(p.ID)
		if err != nil {
			return fmt.Errorf("measured compaction %s: %w", p.ID, err)
		}
		stored.TokensAfterMeasured, stored.BreakEvenTurns = p.TokensAfterMeasured, p.BreakEvenTurns
		if err := u.updatePass(stored, "1 = 1"); err != nil {
			return err
		}
	}
	return nil
}

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
