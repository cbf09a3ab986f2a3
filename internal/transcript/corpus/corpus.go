// Package corpus finds the open transcripts for tests. They are not part of the repository: tests that need them are
// skipped, with the reason, where they are absent.
package corpus

import (
	"os"
	"path/filepath"
	"testing"
)

// EnvDir names the folder when it does not stand beside the module.
const EnvDir = "TIDEMARK_CORPUS"

// beside is where the folder stands, seen from the root of the module.
var beside = filepath.Join("..", "shared", "corpus", "open")

// Files lists the transcripts of the corpus, sorted by name, or skips the test.
func Files(tb testing.TB) []string {
	tb.Helper()
	dir := Dir(tb)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		tb.Fatalf("corpus: %v", err)
	}
	if len(files) == 0 {
		tb.Skipf("no transcripts in %s; set %s to the folder that holds them", dir, EnvDir)
	}
	return files
}

// Dir is the folder of the corpus, which need not exist.
func Dir(tb testing.TB) string {
	tb.Helper()
	if dir := os.Getenv(EnvDir); dir != "" {
		return dir
	}
	wd, err := os.Getwd()
	if err != nil {
		tb.Fatalf("corpus: %v", err)
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, beside)
		}
		if dir == filepath.Dir(dir) {
			tb.Fatalf("corpus: no go.mod above %s", wd)
		}
	}
}
