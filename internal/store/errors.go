package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	sqlite3 "github.com/mattn/go-sqlite3"

	"tidemark/internal/session"
)

// Reasons why a database cannot be used. Each error that wraps one names the file, in one line. All of them are
// session.ErrStorage too.
var (
	ErrNotOurs     = errors.New("the file is not a Tidemark database")
	ErrNewerSchema = errors.New("the database was written by a newer version of Tidemark; install that version")
	ErrReadOnly    = errors.New("the database or its folder is read-only; make it writable for this user")
	ErrLocked      = errors.New("the database is locked by another process; stop that process")
	ErrNoDatabase  = errors.New("there is no database; check the data folder")
	ErrGone        = errors.New("the database file was removed or replaced while in use; put it back and restart")
	ErrDiskFull    = errors.New("the disk is full; free some space")
	ErrDamaged     = errors.New("the database file is damaged; restore it from a backup")
	ErrNotCache    = errors.New("the file is not a summary cache")
	ErrMissing     = errors.New("the database file cannot be opened; check that the path exists and is a file")
)

// reasonOf finds the plain reason behind a driver or file error; nil when there is none worth naming.
func reasonOf(err error) error {
	var se sqlite3.Error
	if errors.As(err, &se) {
		return sqliteReason(se)
	}
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ErrReadOnly
	case errors.Is(err, syscall.ENOSPC):
		return ErrDiskFull
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR):
		return ErrMissing
	}
	return nil
}

func sqliteReason(e sqlite3.Error) error {
	switch e.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol:
		return ErrLocked
	case sqlite3.ErrFull:
		return ErrDiskFull
	case sqlite3.ErrReadonly, sqlite3.ErrPerm:
		return ErrReadOnly
	case sqlite3.ErrNotADB:
		return ErrNotOurs
	case sqlite3.ErrCorrupt:
		return ErrDamaged
	case sqlite3.ErrCantOpen:
		return ErrMissing
	case sqlite3.ErrIoErr:
		return ioReason(e)
	}
	return nil
}

// ioReason: a full disk shows up as an I/O error in the write-ahead log.
func ioReason(e sqlite3.Error) error {
	if errors.Is(e.SystemErrno, syscall.ENOSPC) || errors.Is(e.SystemErrno, syscall.EDQUOT) {
		return ErrDiskFull
	}
	return fmt.Errorf("the disk reported an error: %w", e)
}

// openError names the file and, where it can, the mend.
func openError(path string, err error) error {
	if reason := reasonOf(err); reason != nil {
		err = reason
	}
	return &storageError{path: path, err: err}
}

// fail translates an error of a statement, once. Answers to decide on and the end of a context pass unchanged.
func (db *DB) fail(what string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", what, err)
	}
	if reason := reasonOf(err); reason != nil {
		return fmt.Errorf("%s: %w", what, &storageError{path: db.path, err: reason})
	}
	return fmt.Errorf("%s: %w", what, err)
}

// storageError is a reason with the file it is about; it is session.ErrStorage as well.
type storageError struct {
	path string
	err  error
}

func (e *storageError) Error() string   { return e.path + ": " + e.err.Error() }
func (e *storageError) Unwrap() []error { return []error{e.err, session.ErrStorage} }
