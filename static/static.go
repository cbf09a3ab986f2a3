// Package static holds the files that browsers load, embedded so that the
// server is one binary.
//
// app is written here; vendor is copied from the npm packages pinned in
// package-lock.json by "make assets" and never edited by hand, each library
// beside its license. Both are committed, because a build must need neither
// Node nor a network.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"sync"
)

// FS is rooted at this directory: names start with "app/" or "vendor/".
// Files whose names begin with "." or "_" are left out.
//
//go:embed app vendor
var FS embed.FS

// Version names the set of files: another build with another file has another version.
var Version = sync.OnceValue(func() string {
	h := sha256.New()
	// The tree is embedded, so walking and reading it cannot fail.
	_ = fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(FS, name)
		_, _ = io.WriteString(h, name)
		_, _ = h.Write(body)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:12])
})
