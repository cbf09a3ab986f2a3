//go:build unix

package app

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of an open file for as long as the process lives, kill -9 included: the system lets go of it.
func tryLock(f *os.File) (ok bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
