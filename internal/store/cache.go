package store

import (
	"context"
	"log/slog"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tidemark/internal/compaction"
)

// CacheFileName is the summary cache inside the data folder: a file of its own, to be shared or deleted (spec 2.1).
const CacheFileName = "compaction-cache.sqlite"

// Defaults of the summary cache.
const (
	DefaultCacheRows  = 1000
	DefaultCacheBusy  = time.Second
	DefaultCacheRetry = 5 * time.Second
)

// CacheConfig tunes a summary cache.
type CacheConfig struct {
	MaxRows     int              // LRU bound; 0 = DefaultCacheRows
	Now         func() time.Time // nil = time.Now
	BusyTimeout time.Duration    // how long a turn waits for another process's lock; 0 = DefaultCacheBusy
	RetryAfter  time.Duration    // how long a file that failed is left alone; 0 = DefaultCacheRetry
	Logger      *slog.Logger     // nil = discard
}

func (c CacheConfig) withDefaults() CacheConfig {
	if c.MaxRows <= 0 {
		c.MaxRows = DefaultCacheRows
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.BusyTimeout <= 0 {
		c.BusyTimeout = DefaultCacheBusy
	}
	if c.RetryAfter <= 0 {
		c.RetryAfter = DefaultCacheRetry
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// SummaryCache implements compaction.Cache on a file (spec section 5). It never fails: whatever is wrong with the file
// is a miss, told once.
type SummaryCache struct {
	cfg  CacheConfig
	file cacheFile
}

var _ compaction.Cache = (*SummaryCache)(nil)

// OpenSummaryCache opens or creates the file. A file that cannot be used is tried again later.
func OpenSummaryCache(ctx context.Context, path string, cfg CacheConfig) *SummaryCache {
	cfg = cfg.withDefaults()
	c := &SummaryCache{cfg, cacheFile{path: path, busy: cfg.BusyTimeout, retry: cfg.RetryAfter, log: cfg.Logger}}
	c.file.use(ctx, func(*gorm.DB) error { return nil })
	return c
}

// Close ends the connection.
func (c *SummaryCache) Close() error { return c.file.end() }

// Read implements compaction.Cache. Finding and counting are one statement, so no use is lost (spec 5.3).
func (c *SummaryCache) Read(ctx context.Context, key string) (compaction.CacheRow, bool) {
	var rows []cacheRow
	ok := c.file.use(ctx, func(db *gorm.DB) error {
		return db.Model(&rows).Clauses(clause.Returning{}).Where("cache_key = ?", key).Updates(map[string]any{
			"use_count": gorm.Expr("use_count + 1"), "last_read_at_ms": c.cfg.Now().UnixMilli(),
		}).Error
	})
	if !ok || len(rows) == 0 {
		return compaction.CacheRow{}, false
	}
	return rows[0].toCache(), true
}

// Write implements compaction.Cache. A known key keeps its created_at and counts one more use (requirements A8.6); then
// the rows read longest ago go, ties by key, until the bound holds.
func (c *SummaryCache) Write(ctx context.Context, row compaction.CacheRow) {
	r := fromCache(row, c.cfg.Now())
	set := clause.AssignmentColumns(cachePayload)
	set = append(set, clause.Assignment{Column: clause.Column{Name: "use_count"}, Value: gorm.Expr("use_count + 1")})
	known := clause.OnConflict{Columns: []clause.Column{{Name: "cache_key"}}, DoUpdates: set}
	c.file.use(ctx, func(db *gorm.DB) error {
		return db.Transaction(func(tx *gorm.DB) error {
			if err := tx.Clauses(known).Create(&r).Error; err != nil {
				return err
			}
			return evict(tx, c.cfg.MaxRows)
		})
	})
}

func evict(tx *gorm.DB, bound int) error {
	var n int64
	err := tx.Model(&cacheRow{}).Count(&n).Error
	if err != nil || n <= int64(bound) {
		return err
	}
	oldest := tx.Model(&cacheRow{}).Select("cache_key").Order("last_read_at_ms, cache_key").Limit(int(n) - bound)
	return tx.Where("cache_key IN (?)", oldest).Delete(&cacheRow{}).Error
}

// Len counts the rows; 0 when the file cannot be used.
func (c *SummaryCache) Len(ctx context.Context) int {
	var n int64
	c.file.use(ctx, func(db *gorm.DB) error { return db.Model(&cacheRow{}).Count(&n).Error })
	return int(n)
}
