package store

import (
	"errors"
	"os"
	"path/filepath"
)

// prepare creates or finds the file and remembers which one it is.
func (db *DB) prepare() (err error) {
	if !db.cfg.Existing {
		if err := createFile(db.path); err != nil {
			return err
		}
	}
	if err := guardFile(db.path); err != nil {
		return err
	}
	db.file, err = os.Stat(db.path)
	return err
}

// present refuses to write into a file that its path no longer names: SQLite would go on in it, and what was
// acknowledged would be gone with the process.
func (db *DB) present() error {
	info, err := os.Stat(db.path)
	if err != nil || !os.SameFile(info, db.file) {
		return &storageError{path: db.path, err: ErrGone}
	}
	return nil
}

// createFile makes folder and file readable by their owner alone; SQLite gives its side files the same mode. A file that
// is there keeps its own.
func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// guardFile takes a database from the eyes of others, in case it came from a copy.
func guardFile(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return ErrNoDatabase
	}
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, 0o600)
}
