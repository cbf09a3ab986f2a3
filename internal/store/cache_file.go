package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gorm.io/gorm"
)

// cacheFile is one connection to the cache's file, opened when it is needed. A file that went away or was replaced is
// opened anew; one that failed is left alone for a while, so that no turn waits for its lock again and again.
type cacheFile struct {
	path  string
	busy  time.Duration
	retry time.Duration
	log   *slog.Logger

	mu       sync.Mutex // one connection: a second caller would wait for it anyway
	db       *gorm.DB
	pool     *sql.DB
	opened   os.FileInfo
	failed   bool // warned about the outage that goes on
	failedAt time.Time
	closed   bool
}

// use runs fn on the file; false when that did not work.
func (f *cacheFile) use(ctx context.Context, fn func(*gorm.DB) error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || ctx.Err() != nil || (f.failed && time.Since(f.failedAt) < f.retry) {
		return false
	}
	err := f.ready(ctx)
	if err == nil {
		err = fn(f.db.WithContext(ctx))
	}
	if err != nil && ctx.Err() != nil {
		return false // the caller went away; the file is not to blame
	}
	f.note(err)
	return err == nil
}

// note warns once an outage. The connection is given up: the next try starts from the file.
func (f *cacheFile) note(err error) {
	if err == nil {
		f.failed = false
		return
	}
	if !f.failed {
		f.log.Warn("summary cache not usable; summaries are bought anew", "error", openError(f.path, err).Error())
	}
	f.failed, f.failedAt = true, time.Now()
	f.drop()
}

// ready opens the file unless the open one still is what its path names.
func (f *cacheFile) ready(ctx context.Context) error {
	info, err := os.Stat(f.path)
	if f.db != nil && err == nil && os.SameFile(info, f.opened) {
		return nil
	}
	f.drop()
	if err := createFile(f.path); err != nil {
		return err
	}
	if f.opened, err = os.Stat(f.path); err != nil {
		return err
	}
	return f.open(ctx)
}

func (f *cacheFile) open(ctx context.Context) (err error) {
	path, err := filepath.Abs(f.path)
	if err != nil {
		return err
	}
	params := baseParams(f.busy)
	params.Del("_journal_mode") // nothing is changed in a file before it is known to be a cache
	params.Set("_txlock", "immediate")
	params.Set("_synchronous", "NORMAL") // a summary lost with the power is bought again
	if f.db, f.pool, err = openPool(ctx, dsn(path, params), 1); err != nil {
		return err
	}
	return cacheSchema(f.db.WithContext(ctx))
}

// cacheSchema creates the table in an empty file and refuses a file that holds something else.
func cacheSchema(db *gorm.DB) error {
	var tables []string
	if err := db.Raw("SELECT name FROM sqlite_master WHERE type = 'table'").Scan(&tables).Error; err != nil {
		return err
	}
	if len(tables) > 0 {
		if err := db.Limit(1).Find(&[]cacheRow{}).Error; err != nil {
			return fmt.Errorf("%w (%w)", ErrNotCache, err)
		}
	}
	var mode string
	if err := db.Raw("PRAGMA journal_mode = WAL").Scan(&mode).Error; err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("pragma journal_mode is %q, not %q", mode, "wal")
	}
	return db.Transaction(func(tx *gorm.DB) error {
		if tx.Migrator().HasTable(&cacheRow{}) {
			return nil
		}
		return tx.Migrator().CreateTable(&cacheRow{})
	})
}

func (f *cacheFile) drop() {
	if f.pool != nil {
		_ = f.pool.Close() // nothing was buffered: what was written is in the file
	}
	f.db, f.pool = nil, nil
}

func (f *cacheFile) end() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.drop()
	return nil
}
