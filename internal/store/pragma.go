package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// driverName is the database/sql driver; the only place that names it.
const driverName = "sqlite3"

// stmtCache is the number of prepared statements a connection keeps. The driver's own cache serves transactions too;
// GORM's PrepareStmt prepares again in each of them and leaves a goroutine behind that nothing ends.
const stmtCache = "200"

// dsn writes the connection string in the driver's own dialect: what it does not know, it ignores without a word, so
// checkPragmas reads everything back.
func dsn(path string, params url.Values) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + params.Encode()
}

func baseParams(busy time.Duration) url.Values {
	return url.Values{
		"_journal_mode":    {"WAL"},
		"_synchronous":     {"FULL"},
		"_busy_timeout":    {strconv.FormatInt(busy.Milliseconds(), 10)},
		"_foreign_keys":    {"on"},
		"_stmt_cache_size": {stmtCache},
	}
}

// writerDSN takes the write lock when a transaction begins: a transaction that reads first and writes later would fail
// at once when another wrote in between, busy timeout or not (case D6 62).
func writerDSN(path string, busy time.Duration) string {
	p := baseParams(busy)
	p.Set("_txlock", "immediate")
	return dsn(path, p)
}

func readerDSN(path string, busy time.Duration) string {
	p := baseParams(busy)
	p.Set("_query_only", "1")
	return dsn(path, p)
}

// openPool opens size connections at most. The pool is returned even when GORM refuses it, to be closed.
func openPool(ctx context.Context, dsn string, size int) (*gorm.DB, *sql.DB, error) {
	pool, err := sql.Open(driverName, dsn)
	if err != nil {
		return nil, nil, err
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	if err := pool.PingContext(ctx); err != nil {
		return nil, pool, err
	}
	g, err := gorm.Open(sqlite.New(sqlite.Config{DriverName: driverName, Conn: pool}), &gorm.Config{
		SkipDefaultTransaction: true,
		TranslateError:         true,
		QueryFields:            true,
		DisableAutomaticPing:   true,
		Logger:                 logger.Discard,
	})
	return g, pool, err
}

// checkPragmas refuses a connection that is not what the connection string asked for.
func checkPragmas(ctx context.Context, g *gorm.DB, busy time.Duration, readOnly bool) error {
	want := map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "query_only": "0",
		"busy_timeout": strconv.FormatInt(busy.Milliseconds(), 10),
	}
	if readOnly {
		want["query_only"] = "1"
	}
	var errs []error
	for name, value := range want {
		var got string
		if err := g.WithContext(ctx).Raw("PRAGMA " + name).Scan(&got).Error; err != nil {
			return err
		}
		if got != value {
			errs = append(errs, fmt.Errorf("pragma %s is %q, not %q", name, got, value))
		}
	}
	return errors.Join(errs...)
}
