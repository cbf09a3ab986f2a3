package store

import (
	"context"
	"errors"
	"time"

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
	if err := db.present(); err != nil {
		return db.fail(what, err)
	}
	begun := time.Now()
	err := db.writer.WithContext(ctx).Transaction(fn)
	if took := time.Since(begun); took > slowWrite {
		db.cfg.Logger.Warn("slow write to the database", "what", what, "latency_ms", took.Milliseconds())
	}
	return db.fail(what, err)
}

// slowWrite is how long a write may take, its wait for others included, before the log says so: everyone behind it
// waited too.
const slowWrite = time.Second

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

// committed drops what a failed transaction had gathered.
func committed(c session.Commit, err error) (session.Commit, error) {
	if err != nil {
		return session.Commit{}, err
	}
	return c, nil
}
