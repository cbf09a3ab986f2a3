package store_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/store"
)

// cacheAt opens a cache on a path with a clock that the test turns; the log is what it warned.
func cacheAt(t testing.TB, path string, cfg store.CacheConfig) (*store.SummaryCache, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	cfg.Logger = slog.New(slog.NewTextHandler(log, nil))
	if cfg.RetryAfter == 0 {
		cfg.RetryAfter = time.Nanosecond
	}
	c := store.OpenSummaryCache(t.Context(), path, cfg)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c, log
}

func cachePath(t testing.TB) string { return filepath.Join(t.TempDir(), store.CacheFileName) }

func summaryFor(key string) compaction.CacheRow {
	return compaction.CacheRow{
		Key: key, Text: "text of " + key, Model: "sim:summarizer", PromptVersion: "1.0.0+two.1", SpanMessageCount: 12,
		SpanTokenCountIn: 30_000, SpanTokenCountOut: 900,
	}
}

func TestSummaryCache_SchemaToTheLetter(t *testing.T) {
	path := cachePath(t)
	c, _ := cacheAt(t, path, store.CacheConfig{})
	c.Write(t.Context(), summaryFor("k"))
	raw := rawDB(t, path)

	rows, err := raw.Query("SELECT name, type, \"notnull\", pk, COALESCE(dflt_value, '') FROM pragma_table_info('compaction_cache')")
	require.NoError(t, err)
	defer rows.Close()
	var got []string
	for rows.Next() {
		var name, typ, dflt string
		var notNull, pk int
		require.NoError(t, rows.Scan(&name, &typ, &notNull, &pk, &dflt))
		got = append(got, fmt.Sprintf("%s %s notnull=%d pk=%d default=%s", name, typ, notNull, pk, dflt))
	}
	require.NoError(t, rows.Err())
	require.Equal(t, []string{
		"cache_key TEXT notnull=0 pk=1 default=",
		"summary_text TEXT notnull=1 pk=0 default=",
		"summarization_model TEXT notnull=1 pk=0 default=",
		"summarization_prompt_version TEXT notnull=1 pk=0 default=",
		"span_message_count INTEGER notnull=1 pk=0 default=",
		"span_token_count_in INTEGER notnull=1 pk=0 default=",
		"span_token_count_out INTEGER notnull=1 pk=0 default=",
		"created_at_ms INTEGER notnull=1 pk=0 default=",
		"last_read_at_ms INTEGER notnull=1 pk=0 default=",
		"use_count INTEGER notnull=1 pk=0 default=1",
	}, got)
	require.Equal(t, "last_read_at_ms", scalar[string](t, raw, "SELECT name FROM pragma_index_info('idx_compaction_cache_last_read')"))
	require.Equal(t, "wal", scalar[string](t, raw, "PRAGMA journal_mode"))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// A hit counts and moves the read time, a write on a known key replaces the payload and keeps created_at (A8.5, A8.6).
func TestSummaryCache_HitAndRewrite(t *testing.T) {
	now := time.UnixMilli(1_000).UTC()
	c, log := cacheAt(t, cachePath(t), store.CacheConfig{Now: func() time.Time { return now }})
	ctx := t.Context()
	_, ok := c.Read(ctx, "k")
	require.False(t, ok)

	c.Write(ctx, summaryFor("k"))
	now = time.UnixMilli(2_000).UTC()
	row, ok := c.Read(ctx, "k")
	require.True(t, ok)
	want := summaryFor("k")
	want.CreatedAt, want.ReadAt, want.UseCount = time.UnixMilli(1_000).UTC(), now, 2
	require.Equal(t, want, row)

	now = time.UnixMilli(3_000).UTC()
	other := summaryFor("k")
	other.Text, other.SpanTokenCountOut = "another", 7
	c.Write(ctx, other)
	now = time.UnixMilli(4_000).UTC()
	row, ok = c.Read(ctx, "k")
	require.True(t, ok)
	other.CreatedAt, other.ReadAt, other.UseCount = time.UnixMilli(1_000).UTC(), now, 4
	require.Equal(t, other, row)
	require.Empty(t, log.String())
}

func TestSummaryCache_HitSurvivesRestart(t *testing.T) {
	path := cachePath(t)
	first, _ := cacheAt(t, path, store.CacheConfig{})
	first.Write(t.Context(), summaryFor("k"))
	require.NoError(t, first.Close())
	_, ok := first.Read(t.Context(), "k")
	require.False(t, ok, "a closed cache is a miss")

	second, _ := cacheAt(t, path, store.CacheConfig{})
	row, ok := second.Read(t.Context(), "k")
	require.True(t, ok)
	require.Equal(t, "text of k", row.Text)
	require.Equal(t, 2, row.UseCount)
}

// Those read longest ago go first, ties by key (A8.7).
func TestSummaryCache_EvictsByReadTimeThenKey(t *testing.T) {
	now := time.UnixMilli(1_000)
	c, _ := cacheAt(t, cachePath(t), store.CacheConfig{MaxRows: 3, Now: func() time.Time { return now }})
	ctx := t.Context()
	for _, k := range []string{"d", "b", "c"} {
		c.Write(ctx, summaryFor(k))
	}
	now = time.UnixMilli(2_000)
	_, ok := c.Read(ctx, "b")
	require.True(t, ok)
	c.Write(ctx, summaryFor("a"))
	require.Equal(t, []string{"a", "b", "d"}, held(c, "a", "b", "c", "d"))
}

func held(c *store.SummaryCache, keys ...string) (out []string) {
	for _, k := range keys {
		if _, ok := c.Read(context.Background(), k); ok {
			out = append(out, k)
		}
	}
	return out
}

func TestSummaryCache_DefaultBoundHolds(t *testing.T) {
	now := time.UnixMilli(0)
	c, _ := cacheAt(t, cachePath(t), store.CacheConfig{Now: func() time.Time { now = now.Add(time.Millisecond); return now }})
	for i := range store.DefaultCacheRows + 5 {
		c.Write(t.Context(), summaryFor(fmt.Sprintf("%05d", i)))
	}
	require.Equal(t, store.DefaultCacheRows, c.Len(t.Context()))
	require.Equal(t, []string{"00005"}, held(c, "00000", "00004", "00005"))
}

// 100 goroutines, ten writes and reads each, in two processes' worth of connections: no error, counts exact (5.3, A8.8).
func TestSummaryCache_ConcurrentCountsAreExact(t *testing.T) {
	const workers, rounds = 100, 10
	path := cachePath(t)
	a, logA := cacheAt(t, path, store.CacheConfig{BusyTimeout: 30 * time.Second})
	b, logB := cacheAt(t, path, store.CacheConfig{BusyTimeout: 30 * time.Second})
	var wg sync.WaitGroup
	for w := range workers {
		c := []*store.SummaryCache{a, b}[w%2]
		wg.Go(func() {
			for range rounds {
				c.Write(context.Background(), summaryFor("shared"))
				if _, ok := c.Read(context.Background(), "shared"); !ok {
					t.Error("a written key was not read")
				}
			}
		})
	}
	wg.Wait()
	row, ok := a.Read(t.Context(), "shared")
	require.True(t, ok)
	require.Equal(t, 2*workers*rounds+1, row.UseCount)
	require.Empty(t, logA.String()+logB.String())
}
