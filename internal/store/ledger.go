package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"tidemark/internal/event"
	"tidemark/internal/session"
)

// AppendStream implements session.Store.
func (s *Sessions) AppendStream(ctx context.Context, id session.ID, out session.Out) (session.Commit, error) {
	return s.do(ctx, "append to the stream of session "+id, id, out, func(*unit) error { return nil })
}

// RecordCall implements session.Store. A call outside any session (bench) has no totals to keep.
func (s *Sessions) RecordCall(ctx context.Context, row session.LedgerRow, out session.Out) (session.Commit, error) {
	if row.SessionID == "" {
		return s.recordLoose(ctx, row, out)
	}
	return s.do(ctx, "record call "+row.ID, row.SessionID, out, func(u *unit) error {
		if err := u.charge(row); err != nil {
			return err
		}
		return u.settle(row.CompactionID)
	})
}

func (s *Sessions) recordLoose(ctx context.Context, row session.LedgerRow, out session.Out) (session.Commit, error) {
	var done session.Commit
	err := s.db.write(ctx, "record call "+row.ID, func(tx *gorm.DB) error {
		u := &unit{db: s.db, tx: tx, now: s.db.now()}
		if err := u.insertCall(&row); err != nil {
			return err
		}
		err := u.appendEvents(out.Events)
		done = u.done
		return err
	})
	return committed(done, err)
}

// charge stores ledger rows and adds them to the totals of turn and session, all in this transaction: the sums of the
// two always equal the sum of the rows (spec 7.7).
func (u *unit) charge(rows ...session.LedgerRow) error {
	for _, row := range rows {
		if err := u.attribute(&row); err != nil {
			return err
		}
		if err := u.insertCall(&row); err != nil {
			return err
		}
		if err := u.addToTurn(row); err != nil {
			return err
		}
		if err := u.addToSession(row); err != nil {
			return err
		}
	}
	return nil
}

// attribute fills owner and parent from the session, and the turn: a call outside turns belongs to the one that
// started last, so that the sum of turns misses nothing (spec 7.7).
func (u *unit) attribute(row *session.LedgerRow) error {
	row.SessionID, row.Owner = u.head.ID, u.head.Owner
	if row.ParentSessionID == "" {
		row.ParentSessionID = u.head.ParentID
	}
	if row.TurnID != "" {
		return nil
	}
	return u.tx.Raw("SELECT id FROM turns WHERE session_id = ? ORDER BY open_seq DESC LIMIT 1", u.head.ID).
		Scan(&row.TurnID).Error
}

func (u *unit) insertCall(row *session.LedgerRow) error {
	row.CreatedAt = u.or(row.CreatedAt)
	r, err := fromLedger(*row)
	if err != nil {
		return fmt.Errorf("cost of call %s: %w", row.ID, err)
	}
	return u.tx.Create(&r).Error
}

func (u *unit) addToTurn(row session.LedgerRow) error {
	if row.TurnID == "" {
		return nil
	}
	cost, compaction, unpriced, err := amounts(row)
	if err != nil {
		return err
	}
	g := row.Usage
	res := u.tx.Exec(`UPDATE turns SET calls = calls + 1, unpriced_calls = unpriced_calls + ?, cost_pico = cost_pico + ?,
		compaction_pico = compaction_pico + ?, input = input + ?, cache_read = cache_read + ?,
		cache_write_5m = cache_write_5m + ?, cache_write_1h = cache_write_1h + ?, output = output + ?,
		reasoning = reasoning + ?, estimated = estimated OR ? WHERE id = ? AND session_id = ?`,
		unpriced, cost, compaction, g.Input, g.CacheRead, g.CacheWrite5m, g.CacheWrite1h, g.Output, g.Reasoning,
		g.Estimated || row.Estimated, row.TurnID, u.head.ID)
	if res.Error == nil && res.RowsAffected == 0 {
		return fmt.Errorf("call %s names turn %q, which the session does not have", row.ID, row.TurnID)
	}
	return res.Error
}

func (u *unit) addToSession(row session.LedgerRow) error {
	cost, compaction, unpriced, err := amounts(row)
	if err != nil {
		return err
	}
	h := &u.head
	h.Calls++
	h.UnpricedCalls += unpriced
	h.CostPico += cost
	h.CompactionPico += compaction
	g := row.Usage
	g.Estimated = g.Estimated || row.Estimated
	h.Usage = fromUsage(h.Usage.usage().Add(g))
	if row.Purpose == session.PurposeTurn && !g.IsZero() {
		h.LastCall = toStamp(row.CreatedAt)
		if g.Prompt() > 0 && !g.Estimated {
			h.ContextTokens = g.Prompt() // measured, and of one call: never a sum, never the summarizer's (D5 46, 48)
		}
	}
	return nil
}

// amounts are what a row adds: its cost, the part of it that is compaction, and 1 when it has no price.
func amounts(row session.LedgerRow) (cost, compaction int64, unpriced int, err error) {
	if row.CostUSD == nil {
		return 0, 0, 1, nil
	}
	if cost, err = row.CostUSD.Pico(); err != nil {
		return 0, 0, 0, fmt.Errorf("cost of call %s: %w", row.ID, err)
	}
	if row.Purpose == session.PurposeCompaction {
		compaction = cost
	}
	return cost, compaction, 0, nil
}

// auditTypes are the catalog types that outlive sweeps and their session.
func auditTypes() []string {
	var out []string
	for _, s := range event.Catalog {
		if s.Audit {
			out = append(out, string(s.Kind))
		}
	}
	return out
}
