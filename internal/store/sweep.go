package store

import (
	"context"
	"strconv"
	"time"

	"gorm.io/gorm"
)

// StreamKept is how long stream rows outlive their turn, or their writing when they belong to none (spec 8).
const StreamKept = 10 * time.Minute

// SweepBatch is the most that one call of a sweep deletes, so that the writer is not held for long; call again when it
// was reached.
const SweepBatch = 5000

// SweepStream drops stream rows whose time is over. Only the old end of a stream is cut: a row that must be kept keeps
// those behind it, so that what is left has no hole.
func (db *DB) SweepStream(ctx context.Context) (int64, error) {
	cutoff := toStamp(db.now().Add(-StreamKept))
	var ends []streamEnd
	err := db.reader.WithContext(ctx).Raw(`SELECT s.session_id, MIN(s.seq) AS oldest,
		MIN(CASE WHEN s.ts < @cutoff AND (t.id IS NULL OR (t.state <> 'running' AND t.ended_at < @cutoff))
			THEN NULL ELSE s.seq END) AS keep, MAX(s.seq) AS head
		FROM stream s LEFT JOIN turns t ON t.id = s.turn_id GROUP BY s.session_id`,
		map[string]any{"cutoff": cutoff}).Scan(&ends).Error
	if err != nil {
		return 0, db.fail("sweep stream", err)
	}
	var total int64
	err = db.write(ctx, "sweep stream", func(tx *gorm.DB) error {
		for _, e := range ends {
			n, err := e.cut(tx, SweepBatch-total)
			if total += n; err != nil || total >= SweepBatch {
				return err
			}
		}
		return nil
	})
	return total, err
}

// streamEnd is the old end of one session's stream. What has expired stays expired, so a look from the read pool is
// enough to delete by.
type streamEnd struct {
	SessionID    string
	Oldest, Head int64
	Keep         *int64 // first row that must stay, nil when none must
}

func (e streamEnd) cut(tx *gorm.DB, limit int64) (int64, error) {
	before := e.Head + 1
	if e.Keep != nil {
		before = *e.Keep
	}
	before = min(before, e.Oldest+limit)
	if before <= e.Oldest {
		return 0, nil
	}
	res := tx.Exec("DELETE FROM stream WHERE session_id = ? AND seq < ?", e.SessionID, before)
	return res.RowsAffected, res.Error
}

// SweepEvents drops catalog events older than the days they are kept; audit events stay. It notes how far it came, so
// that a reader from before is told of its gap.
func (db *DB) SweepEvents(ctx context.Context, days int) (int64, error) {
	cutoff := toStamp(db.now().AddDate(0, 0, -days))
	var ids []int64
	err := db.write(ctx, "sweep events", func(tx *gorm.DB) error {
		err := tx.Raw("SELECT event_id FROM events WHERE ts < ? AND type NOT IN ? ORDER BY event_id LIMIT ?",
			cutoff, auditTypes(), SweepBatch).Scan(&ids).Error
		if err != nil || len(ids) == 0 {
			return err
		}
		last := ids[len(ids)-1]
		err = tx.Exec("DELETE FROM events WHERE event_id <= ? AND ts < ? AND type NOT IN ?", last, cutoff, auditTypes()).Error
		if err != nil {
			return err
		}
		swept, err := sweptTo(tx)
		if err != nil || swept >= last {
			return err
		}
		return writeMeta(tx, metaSwept, strconv.FormatInt(last, 10))
	})
	return int64(len(ids)), err
}

// SweepIdempotency frees keys older than the hours they are kept; the turns stay. The key of a running turn is kept: a
// retry must find it.
func (db *DB) SweepIdempotency(ctx context.Context, hours int) (int64, error) {
	cutoff := toStamp(db.now().Add(-time.Duration(hours) * time.Hour))
	var n int64
	err := db.write(ctx, "sweep idempotency keys", func(tx *gorm.DB) error {
		res := tx.Exec(`DELETE FROM idempotency WHERE (session_id, key) IN (SELECT i.session_id, i.key FROM idempotency i
			JOIN turns t ON t.id = i.turn_id WHERE i.created_at < ? AND t.state <> 'running' LIMIT ?)`, cutoff, SweepBatch)
		n = res.RowsAffected
		return res.Error
	})
	return n, err
}
