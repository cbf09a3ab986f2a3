package store

import (
	"context"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"tidemark/internal/event"
	"tidemark/internal/session"
)

// Events implements session.Reader, in increasing order.
func (s *Sessions) Events(ctx context.Context, f session.EventFilter) ([]event.Event, error) {
	q := filterEvents(s.db.reader.WithContext(ctx), f)
	order := "event_id"
	if f.Newest {
		order = "event_id DESC"
	}
	var rows []eventRow
	if err := q.Order(order).Limit(clamp(f.Limit)).Find(&rows).Error; err != nil {
		return nil, s.db.fail("read events", err)
	}
	if f.Newest {
		slices.Reverse(rows)
	}
	return mapRows(rows, func(r eventRow) (event.Event, error) { return r.toEvent(s.db.epoch), nil })
}

func filterEvents(q *gorm.DB, f session.EventFilter) *gorm.DB {
	q = q.Where("event_id > ?", f.After)
	if f.SessionID != "" {
		q = q.Where("session_id = ?", f.SessionID)
	}
	if f.Owner != "" {
		q = q.Where("owner = ?", f.Owner)
	}
	if len(f.Types) > 0 {
		q = q.Where("type IN ?", f.Types)
	}
	return q
}

// EventHead implements session.Reader. Oldest is the first id from which nothing was swept: below it only audit events
// are left, and a reader from there has a gap. Newest is the newest id ever given, also when its row is gone.
func (s *Sessions) EventHead(ctx context.Context) (event.Epoch, event.ID, event.ID, error) {
	var oldest, newest event.ID
	err := s.db.read(ctx, "event head", func(tx *gorm.DB) (err error) {
		oldest, newest, err = eventHead(tx)
		return err
	})
	return s.db.epoch, oldest, newest, err
}

func eventHead(tx *gorm.DB) (oldest, newest event.ID, err error) {
	swept, err := sweptTo(tx)
	if err != nil {
		return 0, 0, err
	}
	err = tx.Raw("SELECT seq FROM sqlite_sequence WHERE name = 'events'").Scan(&newest).Error
	return event.ID(swept + 1), newest, err
}

// sweptTo is the newest event id that the retention sweep removed.
func sweptTo(tx *gorm.DB) (id int64, err error) {
	value, err := readMeta(tx, metaSwept)
	if err != nil || value == "" {
		return 0, err
	}
	return strconv.ParseInt(value, 10, 64)
}

// Overview implements session.Reader: every sum is made of integers by the database.
func (s *Sessions) Overview(ctx context.Context, from, to time.Time) (session.Overview, error) {
	o := session.Overview{From: from, To: to, Epoch: s.db.epoch}
	err := s.db.read(ctx, "overview", func(tx *gorm.DB) (err error) {
		if err := spendOverview(tx, &o); err != nil {
			return err
		}
		if err := passOverview(tx, &o); err != nil {
			return err
		}
		err = tx.Raw("SELECT COUNT(*) FROM turns WHERE state = 'running'").Scan(&o.Running).Error
		if err != nil {
			return err
		}
		_, o.HeadID, err = eventHead(tx)
		return err
	})
	return o, err
}

func spendOverview(tx *gorm.DB, o *session.Overview) error {
	var sum struct {
		Sessions, Calls, Unpriced int
		Cost, Compaction          int64
		Usage                     usageCols `gorm:"embedded"`
	}
	err := tx.Raw(`SELECT COUNT(DISTINCT NULLIF(session_id, '')) AS sessions, COUNT(*) AS calls,
		COUNT(*) - COUNT(cost_pico) AS unpriced, COALESCE(SUM(cost_pico), 0) AS cost,
		COALESCE(SUM(cost_pico) FILTER (WHERE purpose = 'compaction'), 0) AS compaction,
		COALESCE(SUM(input), 0) AS input, COALESCE(SUM(cache_read), 0) AS cache_read,
		COALESCE(SUM(cache_write_5m), 0) AS cache_write_5m, COALESCE(SUM(cache_write_1h), 0) AS cache_write_1h,
		COALESCE(SUM(output), 0) AS output, COALESCE(SUM(reasoning), 0) AS reasoning,
		COALESCE(MAX(estimated), 0) AS estimated
		FROM ledger WHERE created_at >= ? AND created_at < ?`, toStamp(o.From), toStamp(o.To)).Scan(&sum).Error
	o.Sessions, o.Calls, o.UnpricedCalls = sum.Sessions, sum.Calls, sum.Unpriced
	o.CostPico, o.CompactionPico, o.Usage = sum.Cost, sum.Compaction, sum.Usage.usage()
	return err
}

func passOverview(tx *gorm.DB, o *session.Overview) error {
	var sum struct {
		Applied, Failed, Hits int
		TokensIn, TokensOut   int64
	}
	err := tx.Raw(`SELECT COUNT(*) FILTER (WHERE version > 0 AND outcome <> 'undone') AS applied,
		COUNT(*) FILTER (WHERE outcome = 'failed') AS failed,
		COUNT(*) FILTER (WHERE cache_hit = 1 AND outcome <> '') AS hits,
		COALESCE(SUM(tokens_in) FILTER (WHERE version > 0 AND outcome <> 'undone'), 0) AS tokens_in,
		COALESCE(SUM(tokens_out) FILTER (WHERE version > 0 AND outcome <> 'undone'), 0) AS tokens_out
		FROM compactions WHERE created_at >= ? AND created_at < ?`, toStamp(o.From), toStamp(o.To)).Scan(&sum).Error
	o.Passes, o.PassesFailed, o.SummaryCacheHits = sum.Applied, sum.Failed, sum.Hits
	o.TokensCompacted, o.TokensSummaries = sum.TokensIn, sum.TokensOut
	return err
}
