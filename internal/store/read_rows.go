package store

import (
	"context"

	"gorm.io/gorm"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// rowsAndDigests reads a span with both halves of each row.
func rowsAndDigests(tx *gorm.DB, id session.ID, span message.Span) ([]message.Message, []compaction.Digest, error) {
	rows, err := spanRows(tx, id, span)
	if err != nil {
		return nil, nil, err
	}
	ms, err := mapRows(rows, messageRow.toMessage)
	if err != nil {
		return nil, nil, err
	}
	ds, err := digestsOf(tx, rows)
	return ms, ds, err
}

func spanRows(tx *gorm.DB, id session.ID, span message.Span) ([]messageRow, error) {
	var rows []messageRow
	err := tx.Where("session_id = ? AND seq >= ? AND seq < ?", id, span.Start, span.End).Order("seq").Find(&rows).Error
	return rows, err
}

// Rows implements session.Store.
func (s *Sessions) Rows(ctx context.Context, id session.ID, span message.Span) ([]message.Message, error) {
	out, err := rowsIn(s.db.reader.WithContext(ctx), id, span)
	return out, s.db.fail("rows of session "+id, err)
}

// Digests implements session.Store.
func (s *Sessions) Digests(ctx context.Context, id session.ID, span message.Span) ([]compaction.Digest, error) {
	tx := s.db.reader.WithContext(ctx)
	rows, err := spanRows(tx.Select(digestCols), id, span)
	if err != nil {
		return nil, s.db.fail("facts of session "+id, err)
	}
	out, err := digestsOf(tx, rows)
	return out, s.db.fail("facts of session "+id, err)
}

// Messages implements session.Reader.
func (s *Sessions) Messages(ctx context.Context, id session.ID, after message.Seq, limit int) ([]message.Message, error) {
	var rows []messageRow
	err := s.db.reader.WithContext(ctx).Select(messageCols).Where("session_id = ? AND seq > ?", id, after).
		Order("seq").Limit(clamp(limit)).Find(&rows).Error
	if err == nil && len(rows) == 0 {
		err = s.exists(ctx, id)
	}
	if err != nil {
		return nil, s.db.fail("messages of session "+id, err)
	}
	out, err := mapRows(rows, messageRow.toMessage)
	return out, s.db.fail("messages of session "+id, err)
}

// Stream implements session.Reader.
func (s *Sessions) Stream(ctx context.Context, id session.ID, after event.StreamSeq, limit int) ([]event.StreamRow, error) {
	var rows []streamRow
	err := s.db.reader.WithContext(ctx).Where("session_id = ? AND seq > ?", id, after).
		Order("seq").Limit(clamp(limit)).Find(&rows).Error
	if err == nil && len(rows) == 0 {
		err = s.exists(ctx, id)
	}
	if err != nil {
		return nil, s.db.fail("stream of session "+id, err)
	}
	return mapRows(rows, func(r streamRow) (event.StreamRow, error) { return r.toStream(s.db.epoch), nil })
}

// StreamState implements session.Reader.
func (s *Sessions) StreamState(ctx context.Context, id session.ID) (session.StreamState, error) {
	var row struct {
		Head   int64
		Oldest *int64
	}
	res := s.db.reader.WithContext(ctx).Raw(`SELECT s.stream_head AS head,
		(SELECT MIN(seq) FROM stream WHERE session_id = s.id) AS oldest FROM sessions s WHERE s.id = ?`, id).Scan(&row)
	err := res.Error
	if err == nil && res.RowsAffected == 0 {
		err = session.ErrNotFound
	}
	if err != nil {
		return session.StreamState{}, s.db.fail("stream state of session "+id, err)
	}
	state := session.StreamState{Epoch: s.db.epoch, Head: event.StreamSeq(row.Head), Oldest: event.StreamSeq(row.Head + 1)}
	if row.Oldest != nil {
		state.Oldest = event.StreamSeq(*row.Oldest)
	}
	return state, nil
}

// exists tells an empty list from a missing session.
func (s *Sessions) exists(ctx context.Context, id session.ID) error {
	var n int64
	err := s.db.reader.WithContext(ctx).Table("sessions").Where("id = ?", id).Count(&n).Error
	if err == nil && n == 0 {
		err = session.ErrNotFound
	}
	return err
}
