package store

import (
	"context"
	"database/sql"
	_ "embed" // the schema
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/go-gormigrate/gormigrate/v2"
	"gorm.io/gorm"

	"tidemark/internal/event"
)

// applicationID marks the file as ours in its header ("TDMK"); user_version holds the schema version.
const applicationID = 0x54444d4b

// Keys of the meta table.
const (
	metaEpoch  = "epoch"
	metaSwept  = "events_swept_to" // newest event id the retention sweep removed
	metaSignIn = "ever_signed_in"
	metaProbe  = "written_at"
)

//go:embed schema/0001.sql
var schema0001 string

// schemaVersion is the newest version this program knows: the number of migrations.
const schemaVersion = 1

// migrations is the one path from an empty file to the newest schema, for server and tests alike.
func (db *DB) migrations() []*gormigrate.Migration {
	return []*gormigrate.Migration{{ID: "0001", Migrate: func(tx *gorm.DB) error {
		return execAll(tx,
			schema0001,
			"INSERT INTO meta (key, value) VALUES ('"+metaEpoch+"', '"+db.cfg.NewID()+"')",
			"PRAGMA application_id = "+strconv.Itoa(applicationID),
			"PRAGMA user_version = 1",
		)
	}}}
}

func execAll(tx *gorm.DB, statements ...string) error {
	for _, s := range statements {
		if err := tx.Exec(s).Error; err != nil {
			return err
		}
	}
	return nil
}

// migrate runs what is missing in one transaction, ours: gormigrate's own goes on when it cannot begin.
func (db *DB) migrate(ctx context.Context) error {
	o := *gormigrate.DefaultOptions
	o.UseTransaction, o.ValidateUnknownMigrations = false, true
	return db.writer.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		err := gormigrate.New(tx, &o, db.migrations()).Migrate()
		if errors.Is(err, gormigrate.ErrUnknownPastMigration) {
			return ErrNewerSchema
		}
		if err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		epoch, err := readMeta(tx, metaEpoch)
		db.epoch = event.Epoch(epoch)
		return err
	})
}

// identify looks at a file before anything is changed in it: it must be empty, or ours and not newer than we are.
func identify(ctx context.Context, path string, busy time.Duration) error {
	params := url.Values{"_busy_timeout": {strconv.FormatInt(busy.Milliseconds(), 10)}}
	pool, err := sql.Open(driverName, dsn(path, params))
	if err != nil {
		return err
	}
	defer pool.Close()
	var app, version, tables int64
	row := pool.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)`)
	if err := row.Scan(&app, &version, &tables); err != nil {
		return err
	}
	switch {
	case app == 0 && version == 0 && tables == 0:
		return nil
	case app != applicationID:
		return ErrNotOurs
	case version > schemaVersion:
		return fmt.Errorf("%w (schema %d, this one knows %d)", ErrNewerSchema, version, schemaVersion)
	}
	return nil
}

func readMeta(tx *gorm.DB, key string) (string, error) {
	var value string
	err := tx.Raw("SELECT value FROM meta WHERE key = ?", key).Scan(&value).Error
	return value, err
}

func writeMeta(tx *gorm.DB, key, value string) error {
	return tx.Exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
		key, value).Error
}
