package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// unit is one business fact in the making: a transaction on one session, the heads it counts on, what it wrote. The
// write lock is held from its first statement, so a number read here is still true when it is written back.
type unit struct {
	db   *DB
	tx   *gorm.DB
	now  time.Time
	head headRow
	done session.Commit
}

// begin reads the heads of a session; a missing or deleted one is session.ErrNotFound (case D5 42).
func (db *DB) begin(tx *gorm.DB, id session.ID) (*unit, error) {
	u := &unit{db: db, tx: tx, now: db.now()}
	return u, first(tx, &u.head, "id = ?", id)
}

// do runs one business fact: fn, then the rows and events that tell of it, then the heads.
func (s *Sessions) do(ctx context.Context, what string, id session.ID, out session.Out, fn func(*unit) error) (session.Commit, error) {
	var done session.Commit
	err := s.db.write(ctx, what, func(tx *gorm.DB) error {
		u, err := s.db.begin(tx, id)
		if err != nil {
			return err
		}
		if err := fn(u); err != nil {
			return err
		}
		done, err = u.end(out)
		return err
	})
	return committed(done, err)
}

// end writes what is told and the heads.
func (u *unit) end(out session.Out) (session.Commit, error) {
	if err := u.appendStream(out.Stream); err != nil {
		return u.done, err
	}
	if err := u.appendEvents(out.Events); err != nil {
		return u.done, err
	}
	u.head.setPosture(out.Posture)
	u.head.Updated = toStamp(u.now)
	return u.done, u.tx.Model(&u.head).Select("*").Updates(&u.head).Error
}

// appendMessages gives seqs to transcript rows and stores them with their digests.
func (u *unit) appendMessages(turnID string, ms []message.Message, ds []compaction.Digest) error {
	if len(ms) != len(ds) {
		return fmt.Errorf("%d rows with %d digests", len(ms), len(ds))
	}
	rows := make([]messageRow, 0, len(ms))
	for i, m := range ms {
		row, err := u.messageRow(turnID, m, ds[i])
		if err != nil {
			return err
		}
		stored, err := row.toMessage() // the bytes a restart will read, and a copy that nobody else holds
		if err != nil {
			return err
		}
		rows = append(rows, row)
		u.done.Messages = append(u.done.Messages, stored)
	}
	return insert(u.tx, rows)
}

// messageRow fills in what only the transaction knows.
func (u *unit) messageRow(turnID string, m message.Message, d compaction.Digest) (messageRow, error) {
	m.Seq = message.Seq(u.head.NextSeq)
	u.head.NextSeq++
	m.TurnID = turnID
	m.CreatedAt = u.or(m.CreatedAt)
	if m.Units == 0 {
		m.Count()
	}
	if !d.Empty() && (d.First != m.Seq || d.Last != m.Seq) {
		// Seqs stand all through a digest: one that was made for another row would point the gate at it.
		return messageRow{}, fmt.Errorf("the digest of row %d was made for row %d: %w", m.Seq, d.First, session.ErrStale)
	}
	return fromMessage(u.head.ID, m, d)
}

// or is t as it will be read back, or the time of the transaction.
func (u *unit) or(t time.Time) time.Time {
	if t.IsZero() {
		return u.now
	}
	return t.UTC().Round(0)
}

// number gives the next stream numbers.
func (u *unit) number(in []event.StreamRow) {
	for _, r := range in {
		u.head.Head++
		r.SessionID, r.Seq, r.Epoch, r.At = u.head.ID, event.StreamSeq(u.head.Head), u.db.epoch, u.or(r.At)
		r.Payload = orNull(r.Payload)
		u.done.Stream = append(u.done.Stream, r)
	}
}

func (u *unit) appendStream(in []event.StreamRow) error {
	from := len(u.done.Stream)
	u.number(in)
	rows := make([]streamRow, 0, len(in))
	for _, r := range u.done.Stream[from:] {
		rows = append(rows, fromStream(r))
	}
	return insert(u.tx, rows)
}

// appendEvents stores catalog events; the database gives their ids.
func (u *unit) appendEvents(in []event.Event) error {
	rows := make([]eventRow, 0, len(in))
	for _, e := range in {
		e.ID, e.Epoch, e.TS, e.Payload = 0, u.db.epoch, u.or(e.TS), orNull(e.Payload)
		if e.SessionID == "" {
			e.SessionID = u.head.ID
		}
		if e.Owner == "" {
			e.Owner = u.head.Owner
		}
		u.done.Events = append(u.done.Events, e)
		rows = append(rows, fromEvent(e))
	}
	if err := insert(u.tx, rows); err != nil {
		return err
	}
	for i, from := 0, len(u.done.Events)-len(rows); i < len(rows); i++ {
		u.done.Events[from+i].ID = event.ID(rows[i].ID)
	}
	return nil
}

func orNull(p json.RawMessage) json.RawMessage {
	if len(p) == 0 {
		return json.RawMessage("null")
	}
	return p
}

// insertBatch keeps one statement below SQLite's bound of parameters.
const insertBatch = 200

func insert[T any](tx *gorm.DB, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	return tx.CreateInBatches(rows, insertBatch).Error
}
