package store

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"tidemark/internal/session"
)

// Sessions implements session.Store and session.Reader.
type Sessions struct{ db *DB }

var (
	_ session.Store  = (*Sessions)(nil)
	_ session.Reader = (*Sessions)(nil)
)

// Sessions is the database as the session package sees it.
func (db *DB) Sessions() *Sessions { return &Sessions{db} }

// write runs one immediate transaction on the writer connection. Inside, only tx may be used: the pool has no second
// connection to give.
func (db *DB) write(ctx context.Context, what string, fn func(tx *gorm.DB) error) error {
	return db.fail(what, db.writer.WithContext(ctx).Transaction(fn))
}

// read runs fn on one snapshot of the database.
func (db *DB) read(ctx context.Context, what string, fn func(tx *gorm.DB) error) error {
	return db.fail(what, db.reader.WithContext(ctx).Transaction(fn))
}

// first reads one row into dst; none is session.ErrNotFound.
func first(tx *gorm.DB, dst any, where string, args ...any) error {
	err := tx.Where(where, args...).Take(dst).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return session.ErrNotFound
	}
	return err
}

// CreateSession implements session.Store.
func (s *Sessions) CreateSession(ctx context.Context, r session.Record, out session.Out) (session.Commit, error) {
	var done session.Commit
	err := s.db.write(ctx, "create session "+r.ID, func(tx *gorm.DB) error {
		if err := s.db.insertSession(tx, r); err != nil {
			return err
		}
		u, err := s.db.begin(tx, r.ID)
		if err != nil {
			return err
		}
		done, err = u.end(out)
		return err
	})
	return committed(done, err)
}

// errTaken refuses an id that a session has or had.
var errTaken = errors.New("the session id was used before")

func (db *DB) insertSession(tx *gorm.DB, r session.Record) error {
	var dead int64
	if err := tx.Table("tombstones").Where("session_id = ?", r.ID).Count(&dead).Error; err != nil {
		return err
	}
	if dead > 0 {
		return errTaken
	}
	if r.CreatedAt.IsZero() {
		r.CreatedAt = db.now()
	}
	if r.UpdatedAt.IsZero() {
		r.UpdatedAt = r.CreatedAt
	}
	row, err := fromRecord(r)
	if err != nil {
		return err
	}
	err = tx.Create(&row).Error
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return errTaken
	}
	return err
}

// Configure implements session.Store. Empty fields leave what is there; model and compaction change between turns only.
func (s *Sessions) Configure(ctx context.Context, c session.Configure) (session.Commit, error) {
	return s.do(ctx, "configure session "+c.SessionID, c.SessionID, c.Out, func(u *unit) error {
		if err := u.configure(c); err != nil {
			return err
		}
		u.head.setPosture(c.Posture)
		return nil
	})
}

func (u *unit) configure(c session.Configure) error {
	h := &u.head
	if c.Title != "" {
		h.Title = c.Title
	}
	changes := c.Model != "" && c.Model != h.Model
	if changes {
		h.Model = c.Model
	}
	if c.Model != "" || c.Window > 0 {
		h.WindowTokens = c.Window
	}
	reconfigured, err := u.setCompaction(c)
	if (changes || reconfigured) && h.State == string(session.StateRunning) {
		return session.ErrBusy
	}
	return err
}

// setCompaction stores the knobs when they are given and differ. A configuration without a mode is not one.
func (u *unit) setCompaction(c session.Configure) (bool, error) {
	if c.Compaction.Mode == "" {
		return false, nil
	}
	knobs, err := toJSON(c.Compaction)
	if err != nil {
		return false, err
	}
	res := u.tx.Exec("UPDATE sessions SET compaction = ? WHERE id = ? AND compaction <> ?", knobs, u.head.ID, knobs)
	return res.RowsAffected > 0, res.Error
}

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

// committed drops what a failed transaction had gathered.
func committed(c session.Commit, err error) (session.Commit, error) {
	if err != nil {
		return session.Commit{}, err
	}
	return c, nil
}
