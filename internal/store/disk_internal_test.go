package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	sqlite3 "github.com/mattn/go-sqlite3"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"tidemark/internal/event"
	"tidemark/internal/session"
)

func openDB(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), Config{Dir: t.TempDir(), BusyTimeout: 50 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func rows(n int) session.Out {
	var out session.Out
	for range n {
		out.Stream = append(out.Stream, event.StreamRow{Kind: event.StreamText, Payload: []byte(`"` + strings.Repeat("x", 1000) + `"`)})
	}
	return out
}

// A full disk: a clear error that names the file, nothing half-written, reads go on, and so do writes when there is
// room again.
func TestDisk_Full(t *testing.T) {
	db := openDB(t)
	s := db.Sessions()
	_, err := s.CreateSession(t.Context(), session.Record{ID: "S"}, session.Out{})
	require.NoError(t, err)
	limit := func(pages string) {
		require.NoError(t, db.writer.Exec("PRAGMA max_page_count = "+pages).Error)
	}
	require.NoError(t, db.Writable(t.Context()))
	limit("1") // SQLite takes the present size
	_, err = s.AppendStream(t.Context(), "S", rows(500))
	require.ErrorIs(t, err, ErrDiskFull)
	require.ErrorIs(t, err, session.ErrStorage)
	require.Contains(t, err.Error(), db.Path())
	require.NotContains(t, err.Error(), "\n")
	state, err := s.StreamState(t.Context(), "S")
	require.NoError(t, err)
	require.Zero(t, state.Head)

	size, err := db.Size(t.Context())
	require.NoError(t, err)
	require.Positive(t, size.Bytes)
	require.Positive(t, size.WALBytes)

	limit("100000")
	done, err := s.AppendStream(t.Context(), "S", rows(2))
	require.NoError(t, err)
	require.EqualValues(t, 2, done.Stream[1].Seq)
}

func TestDisk_LockedByAnotherWriter(t *testing.T) {
	db := openDB(t)
	s := db.Sessions()
	_, err := s.CreateSession(t.Context(), session.Record{ID: "S"}, session.Out{})
	require.NoError(t, err)
	other, pool, err := openPool(t.Context(), writerDSN(db.Path(), time.Second), 1)
	require.NoError(t, err)
	defer pool.Close()
	err = other.Transaction(func(*gorm.DB) error {
		_, err := s.AppendStream(t.Context(), "S", rows(1))
		require.ErrorIs(t, err, ErrLocked)
		require.ErrorIs(t, err, session.ErrStorage)
		require.ErrorIs(t, db.Writable(t.Context()), ErrLocked)
		_, err = s.Record(t.Context(), "S")
		return err // reads go on
	})
	require.NoError(t, err)
	_, err = s.AppendStream(t.Context(), "S", rows(1))
	require.NoError(t, err)
}

// The read pool cannot write, whatever is asked of it.
func TestPool_ReadersCannotWrite(t *testing.T) {
	db := openDB(t)
	err := db.fail("write", db.reader.Exec("DELETE FROM meta").Error)
	require.ErrorIs(t, err, ErrReadOnly)
}

// The pragmas are read back: a connection string that the driver did not understand is refused.
func TestPool_RefusesOtherPragmas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	for name, spoil := range map[string]string{
		"synchronous": "&_synchronous=NORMAL", "foreign_keys": "&_foreign_keys=off", "journal_mode": "&_journal_mode=DELETE",
		"busy_timeout": "&_busy_timeout=7", "query_only": "&_query_only=1",
	} {
		good := writerDSN(path, time.Second)
		key := "_" + name
		bad := good[:strings.Index(good, "?")+1]
		for _, param := range strings.Split(good[len(bad):], "&") {
			if !strings.HasPrefix(param, key+"=") {
				bad += param + "&"
			}
		}
		g, pool, err := openPool(t.Context(), bad+spoil[1:], 1)
		require.NoError(t, err)
		require.ErrorContains(t, checkPragmas(t.Context(), g, time.Second, false), name)
		require.NoError(t, pool.Close())
	}
}

func TestErrors_NameTheReason(t *testing.T) {
	for want, err := range map[error]error{
		ErrReadOnly: &os.PathError{Op: "open", Path: "p", Err: syscall.EROFS},
		ErrLocked:   sqlite3.Error{Code: sqlite3.ErrBusy},
		ErrDiskFull: sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.ENOSPC},
		ErrDamaged:  sqlite3.Error{Code: sqlite3.ErrCorrupt},
		ErrMissing:  sqlite3.Error{Code: sqlite3.ErrCantOpen},
	} {
		got := openError("/data/tidemark.db", err)
		require.ErrorIs(t, got, want)
		require.ErrorIs(t, got, session.ErrStorage)
		require.True(t, strings.HasPrefix(got.Error(), "/data/tidemark.db: "))
	}
	db := &DB{path: "p"}
	require.NoError(t, db.fail("x", nil))
	require.NotErrorIs(t, db.fail("x", context.Canceled), session.ErrStorage)
	require.NotErrorIs(t, db.fail("x", session.ErrBusy), session.ErrStorage)
	require.ErrorIs(t, db.fail("x", sqlite3.Error{Code: sqlite3.ErrIoErr}), session.ErrStorage)
	require.False(t, errors.Is(db.fail("x", errors.New("bug")), session.ErrStorage))
}
