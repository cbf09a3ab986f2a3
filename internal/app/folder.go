package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// RunFileName is the file by which a command finds the server that uses its data folder. It is locked while the server
// lives and holds a key that speaks for the admin, made anew at each start, so it is readable by its owner alone.
const RunFileName = "server.json"

// Running says where the server of a data folder answers.
type Running struct {
	URL string `json:"url"`
	Key string `json:"key"`
	PID int    `json:"pid"`
}

// InUseError means that a server uses the data folder.
type InUseError struct {
	Dir     string
	Running Running // URL is empty when that server does not listen
}

func (e *InUseError) Error() string {
	at := "another command"
	if e.Running.URL != "" {
		at = "the server at " + e.Running.URL
	}
	return fmt.Sprintf("data folder %s is in use by %s (process %d): stop it, or name another folder with --data", e.Dir, at, e.Running.PID)
}

// folder is a locked data folder.
type folder struct {
	file *os.File
}

// lockFolder creates the folder where it is missing and takes its lock; *InUseError when somebody has it.
func lockFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, folderError(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, RunFileName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, folderError(dir, err)
	}
	switch ok, err := tryLock(f); {
	case err != nil:
		return nil, errors.Join(folderError(dir, err), f.Close())
	case !ok:
		defer f.Close() //nolint:errcheck // only read
		var r Running
		_ = json.NewDecoder(f).Decode(&r) // empty while that server starts
		return nil, &InUseError{dir, r}
	}
	l := &folder{f}
	if err := l.publish(Running{PID: os.Getpid()}); err != nil {
		return nil, errors.Join(folderError(dir, err), f.Close())
	}
	return l, nil
}

func folderError(dir string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	mend := "name another folder with --data"
	if errors.Is(err, fs.ErrPermission) {
		mend = "make it writable for this user, or " + mend
	}
	return fmt.Errorf("data folder %s cannot be used (%w): %s", dir, err, mend)
}

// publish writes where the server answers.
func (l *folder) publish(r Running) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = l.file.WriteAt(append(b, '\n'), 0)
	return err
}

// close empties the file and lets go of the lock. The file stays: removing it would let two servers lock two files of
// one name.
func (l *folder) close() error {
	return errors.Join(l.file.Truncate(0), l.file.Close())
}
