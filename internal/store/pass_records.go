package store

import (
	"errors"
	"fmt"

	"tidemark/internal/compaction"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
)

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

// takeOver gives the ledger rows of staged work to the pass that uses it (spec 6.5).
func (u *unit) takeOver(passID string, calls []string) error {
	if len(calls) == 0 {
		return nil
	}
	res := u.tx.Exec("UPDATE ledger SET compaction_id = ? WHERE session_id = ? AND id IN ? AND compaction_id = ''",
		passID, u.head.ID, calls)
	if res.Error == nil && int(res.RowsAffected) != len(calls) {
		return fmt.Errorf("compaction %s takes over %d calls, %d are there: %w", passID, len(calls), res.RowsAffected, session.ErrStale)
	}
	return res.Error
}

// amend rewrites the record of an attempt that has ended. What only its end may set stays: outcome, version, parent.
func (u *unit) amend(p compaction.Pass) error {
	stored, err := u.pass(p.ID)
	if err != nil {
		return err
	}
	p.Outcome, p.Version, p.FoldedInto = stored.Outcome, stored.Version, stored.FoldedInto
	if err := u.costOf(&p); err != nil {
		return err
	}
	return u.updatePass(p, "outcome <> ''")
}
