package app

import (
	"context"
	"log/slog"
	"time"

	"tidemark/internal/config"
	"tidemark/internal/store"
)

// sweepEvery is how often old rows are looked for. Stream rows live ten minutes, so a minute keeps the overhang small.
const sweepEvery = time.Minute

// sweeper drops rows whose time is over (spec 2.2, 8).
type sweeper struct {
	db        *store.DB
	retention config.Retention
	log       *slog.Logger
}

// run sweeps until ctx ends.
func (s sweeper) run(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		s.sweep(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// sweep drops everything that is over now. A failure is told and tried again at the next tick.
func (s sweeper) sweep(ctx context.Context) {
	for what, drop := range map[string]func(context.Context) (int64, error){
		"stream": s.db.SweepStream,
		"events": func(ctx context.Context) (int64, error) { return s.db.SweepEvents(ctx, s.retention.EventsDays) },
		"idempotency": func(ctx context.Context) (int64, error) {
			return s.db.SweepIdempotency(ctx, s.retention.IdempotencyHours)
		},
	} {
		for ctx.Err() == nil {
			n, err := drop(ctx)
			if err != nil && ctx.Err() == nil {
				s.log.Warn("sweep failed", "what", what, "error", err)
			}
			if err != nil || n < store.SweepBatch {
				break
			}
		}
	}
}
