// Package static holds the files that browsers load, embedded so that the
// server is one binary.
//
// app is written here; vendor is copied from the npm packages pinned in
// package-lock.json by "make assets" and never edited by hand, each library
// beside its license. Both are committed, because a build must need neither
// Node nor a network.
package static

import "embed"

// FS is rooted at this directory: names start with "app/" or "vendor/".
// Files whose names begin with "." or "_" are left out.
//
//go:embed app vendor
var FS embed.FS
