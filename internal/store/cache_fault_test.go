package store_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/store"
)

func TestSummaryCache_BadFileIsAMissWithOneWarning(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"not a database": func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("no database "), 400), 0o600))
		},
		"another database": func(t *testing.T, path string) {
			_, err := rawDB(t, path).Exec("CREATE TABLE other (a); INSERT INTO other VALUES (1)")
			require.NoError(t, err)
		},
		"a folder": func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) },
		"below a file": func(t *testing.T, path string) {
			require.NoError(t, os.Remove(filepath.Dir(path)))
			require.NoError(t, os.WriteFile(filepath.Dir(path), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sub", store.CacheFileName)
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			spoil(t, path)
			before := fileBytes(path)
			c, log := cacheAt(t, path, store.CacheConfig{})
			for range 3 {
				c.Write(t.Context(), summaryFor("k"))
				_, ok := c.Read(t.Context(), "k")
				require.False(t, ok)
			}
			require.Equal(t, 1, strings.Count(log.String(), "level=WARN"), log.String())
			require.Contains(t, log.String(), path)
			require.Equal(t, before, fileBytes(path), "a file that is not ours stays as it is")
		})
	}
}

func fileBytes(path string) []byte {
	b, _ := os.ReadFile(path)
	return b
}

func TestSummaryCache_LockedFileIsAMissUntilItIsFree(t *testing.T) {
	path := cachePath(t)
	c, log := cacheAt(t, path, store.CacheConfig{BusyTimeout: time.Millisecond})
	c.Write(t.Context(), summaryFor("k"))
	raw := rawDB(t, path)
	_, err := raw.Exec("BEGIN EXCLUSIVE")
	require.NoError(t, err)
	for range 3 {
		_, ok := c.Read(t.Context(), "k")
		require.False(t, ok)
	}
	_, err = raw.Exec("ROLLBACK")
	require.NoError(t, err)
	_, ok := c.Read(t.Context(), "k")
	require.True(t, ok)
	require.Equal(t, 1, strings.Count(log.String(), "level=WARN"), log.String())
	require.Contains(t, log.String(), "locked")
}

// A file that failed is left alone for a while: no turn waits for the same lock again.
func TestSummaryCache_LeavesAFailedFileAlone(t *testing.T) {
	path := cachePath(t)
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("x"), 5000), 0o600))
	c, _ := cacheAt(t, path, store.CacheConfig{RetryAfter: time.Hour})
	require.NoError(t, os.Remove(path))
	c.Write(t.Context(), summaryFor("k"))
	require.NoFileExists(t, path)
}

// The file may be deleted on its own while the server runs (spec 2.1): a miss, then a new file.
func TestSummaryCache_FileDeletedUnderneath(t *testing.T) {
	path := cachePath(t)
	c, log := cacheAt(t, path, store.CacheConfig{})
	c.Write(t.Context(), summaryFor("old"))
	require.NoError(t, os.Remove(path))
	_, ok := c.Read(t.Context(), "old")
	require.False(t, ok)
	c.Write(t.Context(), summaryFor("new"))
	require.FileExists(t, path)
	second, _ := cacheAt(t, path, store.CacheConfig{})
	require.Equal(t, []string{"new"}, held(second, "old", "new"))
	require.Empty(t, log.String())
}

func TestSummaryCache_CancelledCallerIsNotAnOutage(t *testing.T) {
	c, log := cacheAt(t, cachePath(t), store.CacheConfig{RetryAfter: time.Hour})
	c.Write(t.Context(), summaryFor("k"))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, ok := c.Read(gone, "k")
	require.False(t, ok)
	_, ok = c.Read(t.Context(), "k")
	require.True(t, ok)
	require.Empty(t, log.String())
}
