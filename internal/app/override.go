package app

import (
	"log/slog"
	"time"

	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

// Override changes what configuration does not reach: tests set the clock, the faults, the providers.
type Override func(*overrides)

type overrides struct {
	now       func() time.Time
	log       *slog.Logger
	version   string
	listen    bool
	sim       sim.Config
	providers map[string]provider.Registry
	retry     *provider.RetryPolicy
}

// WithClock sets the clock of everything.
func WithClock(now func() time.Time) Override { return func(o *overrides) { o.now = now } }

// WithLogger sets where logs go; silent without.
func WithLogger(log *slog.Logger) Override { return func(o *overrides) { o.log = log } }

// WithVersion sets the version that clients are told.
func WithVersion(v string) Override { return func(o *overrides) { o.version = v } }

// WithSim sets the simulated provider's faults, pace and table. Its clock is the server's.
func WithSim(cfg sim.Config) Override { return func(o *overrides) { o.sim = cfg } }

// WithProvider adds or replaces a provider by the part of its model names before the colon.
func WithProvider(name string, r provider.Registry) Override {
	return func(o *overrides) { o.providers[name] = r }
}

// WithRetry sets how failed model calls are tried again.
func WithRetry(p provider.RetryPolicy) Override { return func(o *overrides) { o.retry = &p } }

// WithoutListening opens a data folder at rest: everything works through Client, nothing is bound.
func WithoutListening() Override { return func(o *overrides) { o.listen = false } }

func newOverrides(list []Override) overrides {
	o := overrides{
		now: time.Now, log: slog.New(slog.DiscardHandler), version: "dev", listen: true,
		providers: make(map[string]provider.Registry),
	}
	for _, set := range list {
		set(&o)
	}
	return o
}
