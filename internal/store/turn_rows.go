package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"tidemark/internal/session"
)

// admit refuses what may not begin a turn: a closed session, a key that is taken, a session with a running turn.
func (u *unit) admit(t session.Turn) error {
	if u.head.State == string(session.StateClosed) {
		return session.ErrClosed
	}
	if t.Key != "" {
		if err := u.checkKey(t); err != nil {
			return err
		}
	}
	running, err := u.hasRunningTurn()
	if err == nil && running {
		err = session.ErrBusy
	}
	return err
}

// checkKey: the same key with another prompt is a conflict. With the same prompt its turn exists already, and the
// caller has to attach to it.
func (u *unit) checkKey(t session.Turn) error {
	var row idempotencyRow
	err := first(u.tx, &row, "session_id = ? AND key = ?", t.SessionID, t.Key)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return nil
	case err != nil:
		return err
	case row.BodyHash != t.BodyHash:
		return session.ErrConflict
	default:
		return fmt.Errorf("turn %s has the key: %w", row.TurnID, session.ErrBusy)
	}
}

func (u *unit) hasRunningTurn() (bool, error) {
	var n int64
	err := u.tx.Model(&turnRow{}).Where("session_id = ? AND state = 'running'", u.head.ID).Count(&n).Error
	return n > 0, err
}

func (u *unit) openTurn(t session.Turn) error {
	row := fromTurn(t)
	if err := u.tx.Create(&row).Error; err != nil {
		return err
	}
	u.head.State = string(session.StateRunning)
	u.head.Turns++
	if t.Key == "" {
		return nil
	}
	return u.tx.Create(&idempotencyRow{t.SessionID, t.Key, t.ID, t.BodyHash, toStamp(u.now)}).Error
}

// addStep counts steps of a running turn. One that has ended takes no more rows: a late answer must not land behind the
// rows that closed it.
func (u *unit) addStep(turnID session.TurnID, n int) error {
	res := u.tx.Exec("UPDATE turns SET steps = steps + ? WHERE id = ? AND session_id = ? AND state = 'running'",
		n, turnID, u.head.ID)
	if res.Error == nil && res.RowsAffected == 0 {
		return notRunning(turnID)
	}
	return res.Error
}

func notRunning(id session.TurnID) error {
	return fmt.Errorf("turn %s does not run: %w", id, session.ErrStale)
}

func (u *unit) closeTurn(t session.Turn) error {
	if t.State == "" || t.State == session.TurnRunning {
		return fmt.Errorf("a turn cannot end as %q", t.State)
	}
	ended := u.now
	if t.EndedAt != nil {
		ended = u.or(*t.EndedAt)
	}
	res := u.tx.Model(&turnRow{}).Where("id = ? AND session_id = ? AND state = 'running'", t.ID, u.head.ID).
		Updates(map[string]any{
			"state": string(t.State), "stop_reason": t.StopReason, "steps": gorm.Expr("MAX(steps, ?)", t.Steps),
			"ended_at": toStamp(ended), "error_code": t.ErrorCode, "error_class": t.ErrorClass,
			"error_message": t.ErrorMessage,
		})
	if res.Error == nil && res.RowsAffected == 0 {
		return notRunning(t.ID)
	}
	return res.Error
}

// TurnByKey implements session.Store.
func (s *Sessions) TurnByKey(ctx context.Context, id session.ID, key string) (session.Turn, bool, error) {
	var rows []turnRow
	tx := s.db.reader.WithContext(ctx)
	err := tx.Joins("JOIN idempotency i ON i.turn_id = turns.id").
		Where("i.session_id = ? AND i.key = ?", id, key).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return session.Turn{}, false, s.db.fail("find turn by key", err)
	}
	return rows[0].toTurn(), true, nil
}
