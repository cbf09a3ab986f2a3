package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"
	"gorm.io/gorm"

	"tidemark/internal/event"
)

// FileName is the database inside the data folder (spec 2.1).
const FileName = "tidemark.db"

// DefaultBusyTimeout is how long a statement waits for another process's lock.
const DefaultBusyTimeout = 5 * time.Second

// readers bounds the read pool.
const readers = 4

// Config of a database. Dir is required.
type Config struct {
	Dir         string           // the data folder; created when missing
	Existing    bool             // open only what is there: ErrNoDatabase when nothing is
	Now         func() time.Time // nil = time.Now
	NewID       func() string    // nil = ULIDs
	BusyTimeout time.Duration    // 0 = DefaultBusyTimeout
	Logger      *slog.Logger     // nil = discard
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = func() string { return ulid.Make().String() }
	}
	if c.BusyTimeout <= 0 {
		c.BusyTimeout = DefaultBusyTimeout
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// DB is an open database: one writer connection and a pool of readers.
type DB struct {
	cfg    Config
	path   string
	writer *gorm.DB
	reader *gorm.DB
	pools  []*sql.DB
	epoch  event.Epoch
	file   os.FileInfo // the database as it was opened
}

// Open opens or creates the database of a data folder and brings its schema up to date. Errors are one line that names
// the file; each is one of the reasons of this package and session.ErrStorage.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	cfg = cfg.withDefaults()
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, openError(cfg.Dir, err)
	}
	db := &DB{cfg: cfg, path: filepath.Join(dir, FileName)}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(openError(db.path, err), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) (err error) {
	if err := db.prepare(); err != nil {
		return err
	}
	if err := identify(ctx, db.path, db.cfg.BusyTimeout); err != nil {
		return err
	}
	if db.writer, err = db.pool(ctx, writerDSN(db.path, db.cfg.BusyTimeout), 1); err != nil {
		return err
	}
	if err := checkPragmas(ctx, db.writer, db.cfg.BusyTimeout, false); err != nil {
		return err
	}
	if err := db.migrate(ctx); err != nil {
		return err
	}
	if db.reader, err = db.pool(ctx, readerDSN(db.path, db.cfg.BusyTimeout), readers); err != nil {
		return err
	}
	return checkPragmas(ctx, db.reader, db.cfg.BusyTimeout, true)
}

func (db *DB) pool(ctx context.Context, dsn string, size int) (*gorm.DB, error) {
	g, pool, err := openPool(ctx, dsn, size)
	if pool != nil {
		db.pools = append(db.pools, pool)
	}
	return g, err
}

// Path is the database file.
func (db *DB) Path() string { return db.path }

// Epoch is the generation of both logs (spec 8).
func (db *DB) Epoch() event.Epoch { return db.epoch }

// now is the clock without its monotonic part, so that what is published equals what is read back.
func (db *DB) now() time.Time { return db.cfg.Now().UTC().Round(0) }

// Close ends both pools; SQLite folds the WAL into the file when the last connection goes.
func (db *DB) Close() error {
	var errs []error
	for i := len(db.pools) - 1; i >= 0; i-- { // readers first: the writer makes the last checkpoint
		errs = append(errs, db.pools[i].Close())
	}
	db.pools = nil
	return errors.Join(errs...)
}
