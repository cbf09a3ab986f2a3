//go:build !unix

package store

import "os"

// lockFile relies on the operator where the system has no such lock.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}
