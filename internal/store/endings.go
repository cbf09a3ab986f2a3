package store

import (
	"context"

	"gorm.io/gorm"

	"tidemark/internal/session"
)

// CloseSession implements session.Store; closing twice changes nothing and tells nothing.
func (s *Sessions) CloseSession(ctx context.Context, id session.ID, out session.Out) (session.Commit, error) {
	var done session.Commit
	err := s.db.write(ctx, "close session "+id, func(tx *gorm.DB) error {
		u, err := s.db.begin(tx, id)
		if err != nil || u.head.State == string(session.StateClosed) {
			return err
		}
		u.head.State = string(session.StateClosed)
		done, err = u.end(out)
		return err
	})
	return committed(done, err)
}

// ReopenSession implements session.Store.
func (s *Sessions) ReopenSession(ctx context.Context, id session.ID) error {
	_, err := s.do(ctx, "reopen session "+id, id, session.Out{}, func(u *unit) error {
		if u.head.State != string(session.StateClosed) {
			return nil
		}
		running, err := u.hasRunningTurn()
		u.head.State = string(session.StateIdle)
		if running {
			u.head.State = string(session.StateRunning)
		}
		return err
	})
	return err
}

// DeleteSession implements session.Store. The cascade removes whatever hangs on the session; spend and audit events
// stay. Stream rows of out are numbered for the clients that still listen, and not stored.
func (s *Sessions) DeleteSession(ctx context.Context, id session.ID, out session.Out) (session.Commit, error) {
	var done session.Commit
	err := s.db.write(ctx, "delete session "+id, func(tx *gorm.DB) error {
		u, err := s.db.begin(tx, id)
		if err != nil {
			return err
		}
		if err := u.delete(); err != nil {
			return err
		}
		u.number(out.Stream)
		err = u.appendEvents(out.Events)
		done = u.done
		return err
	})
	return committed(done, err)
}

func (u *unit) delete() error {
	h := u.head
	if err := u.tx.Exec("INSERT INTO tombstones (session_id, owner, deleted_at) VALUES (?, ?, ?)",
		h.ID, h.Owner, toStamp(u.now)).Error; err != nil {
		return err
	}
	if err := u.tx.Exec("DELETE FROM events WHERE session_id = ? AND type NOT IN ?", h.ID, auditTypes()).Error; err != nil {
		return err
	}
	return u.tx.Exec("DELETE FROM sessions WHERE id = ?", h.ID).Error
}
