package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"gorm.io/gorm"
)

// Writable writes one small row, durably: readiness means that a prompt could be accepted now (protocol section 5).
func (db *DB) Writable(ctx context.Context) error {
	return db.write(ctx, "probe", func(tx *gorm.DB) error {
		return writeMeta(tx, metaProbe, strconv.FormatInt(int64(toStamp(db.now())), 10))
	})
}

// Size is what the database takes on disk, and what of it is free for new rows.
type Size struct {
	Bytes    int64 `json:"bytes"`
	WALBytes int64 `json:"wal_bytes"`
	Free     int64 `json:"free_bytes"`
}

// Size measures the database (case D6 61).
func (db *DB) Size(ctx context.Context) (Size, error) {
	var s Size
	err := db.reader.WithContext(ctx).Raw(`SELECT page_count * page_size AS bytes, freelist_count * page_size AS free
		FROM pragma_page_count, pragma_page_size, pragma_freelist_count`).Scan(&s).Error
	if err != nil {
		return s, db.fail("size of the database", err)
	}
	info, err := os.Stat(db.path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		s.WALBytes = info.Size()
	}
	return s, db.fail("size of the database", err)
}
