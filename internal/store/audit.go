package store

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"gorm.io/gorm"
)

// AuditEntry says who did what to which session, key or setting (screens, "Roles"). Detail holds metadata, never
// transcript text and never a secret.
type AuditEntry struct {
	N      int64           `json:"n"` // given by the store
	At     time.Time       `json:"at"`
	Actor  string          `json:"actor"`  // owner
	Action string          `json:"action"` // such as session.undo, key.create
	Target string          `json:"target"` // the id it was done to
	Detail json.RawMessage `json:"detail,omitempty"`
}

// Audit appends an entry; entries are never changed or swept.
func (db *DB) Audit(ctx context.Context, e AuditEntry) error {
	if e.At.IsZero() {
		e.At = db.now()
	}
	return db.write(ctx, "audit "+e.Action, func(tx *gorm.DB) error {
		return tx.Create(&auditRow{
			TS: toStamp(e.At), Actor: e.Actor, Action: e.Action, Target: e.Target, Detail: jsonText(orNull(e.Detail)),
		}).Error
	})
}

// AuditLog reads entries, newest first; the cursor leads to older ones.
func (db *DB) AuditLog(ctx context.Context, cur string, limit int) (items []AuditEntry, next string, err error) {
	before, err := placeNumber("a", cur, 1<<62)
	if err != nil {
		return nil, "", err
	}
	limit = clamp(limit)
	var rows []auditRow
	err = db.reader.WithContext(ctx).Where("n < ?", before).Order("n DESC").Limit(limit + 1).Find(&rows).Error
	if err != nil {
		return nil, "", db.fail("audit log", err)
	}
	rows, next = page(rows, limit, func(r auditRow) string { return cursor("a", strconv.FormatInt(r.N, 10)) })
	items, err = mapRows(rows, auditRow.toEntry)
	return items, next, err
}

func (r auditRow) toEntry() (AuditEntry, error) {
	e := AuditEntry{N: r.N, At: r.TS.time(), Actor: r.Actor, Action: r.Action, Target: r.Target}
	if string(r.Detail) != "null" {
		e.Detail = json.RawMessage(r.Detail)
	}
	return e, nil
}
