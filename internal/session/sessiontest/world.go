// Package sessiontest opens a real session manager for tests: a store in a temporary folder with the real migrations,
// the real bus, the sim provider.
package sessiontest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/store"
	"tidemark/internal/tool"
)

// Options vary a world.
type Options struct {
	Dir      string // "" = a temporary folder
	Config   session.Config
	Faults   func(sim.Call) sim.Fault
	OnServed func(sim.Served)
	Now      func() time.Time
	Store    func(session.Store) session.Store // wraps the store, to fail or to stop on cue
	Registry func(provider.Registry) provider.Registry
	NoCache  bool
	// SummaryCache takes the place of the one in the folder.
	SummaryCache compaction.Cache
}

// World is a running manager with its parts.
type World struct {
	*session.Manager
	TB    testing.TB
	Dir   string
	DB    *store.DB
	Store *store.Sessions
	Bus   *event.Bus
	Sim   *sim.Provider
	Cache *store.SummaryCache
	ended bool
}

// Open starts a world and closes it with the test.
func Open(tb testing.TB, o Options) *World {
	tb.Helper()
	if o.Dir == "" {
		o.Dir = tb.TempDir()
	}
	ctx := context.Background()
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("TIDEMARK_TEST_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	db, err := store.Open(ctx, store.Config{Dir: o.Dir, Now: o.Now, Logger: log})
	if err != nil {
		tb.Fatal(err)
	}
	w := &World{TB: tb, Dir: o.Dir, DB: db, Store: db.Sessions(), Bus: new(event.Bus)}
	w.Sim = sim.New(sim.Config{Now: o.Now, Faults: o.Faults, OnServed: o.OnServed})
	var reg provider.Registry = w.Sim
	if o.Registry != nil {
		reg = o.Registry(reg)
	}
	cache := o.SummaryCache
	if !o.NoCache && cache == nil {
		w.Cache = store.OpenSummaryCache(ctx, filepath.Join(o.Dir, "compaction-cache.sqlite"), store.CacheConfig{Now: o.Now, Logger: log})
		cache = w.Cache
	}
	var st session.Store = w.Store
	if o.Store != nil {
		st = o.Store(st)
	}
	if o.Config.DefaultModel == "" {
		o.Config.DefaultModel = "sim:assistant"
	}
	o.Config.ModelNames = w.Sim.Names()
	retry := provider.RetryPolicy{Extra: 2, Initial: time.Millisecond, Max: time.Millisecond, MaxRetryAfter: time.Millisecond}
	w.Manager = session.NewManager(session.Deps{
		Store: st, Bus: w.Bus, Models: reg, Cards: model.Default(), PriceVersion: model.Default().Version,
		Summarizer: compaction.NewSummarizer(reg, cache, compaction.SummarizerConfig{Now: o.Now, Retry: &retry}),
		Config:     o.Config, Now: o.Now, Log: log, Retry: retry,
	})
	if err := w.Recover(ctx); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(w.End)
	return w
}

// End shuts the world down; a second call does nothing.
func (w *World) End() {
	if w.ended {
		return
	}
	w.ended = true
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := w.Shutdown(ctx); err != nil {
		w.TB.Errorf("shutdown: %v", err)
	}
	w.Bus.Close()
	if w.Cache != nil {
		_ = w.Cache.Close()
	}
	if err := w.DB.Close(); err != nil {
		w.TB.Errorf("close: %v", err)
	}
}

// NewSession creates a session of owner "alice".
func (w *World) NewSession(n session.NewSession) session.ID {
	w.TB.Helper()
	if n.Owner == "" {
		n.Owner = "alice"
	}
	if n.CWD == "" {
		n.CWD = "/"
	}
	r, err := w.Create(context.Background(), n)
	if err != nil {
		w.TB.Fatal(err)
	}
	return r.ID
}

// Say sends a prompt and waits for the turn's end.
func (w *World) Say(id session.ID, text string) session.TurnResult {
	w.TB.Helper()
	return w.Do(id, session.Prompt{Blocks: message.Blocks{message.Text{Text: text}}})
}

// Do sends a prompt and waits for the turn's end.
func (w *World) Do(id session.ID, p session.Prompt) session.TurnResult {
	w.TB.Helper()
	acc, err := w.Prompt(context.Background(), id, p)
	if err != nil {
		w.TB.Fatalf("prompt: %v", err)
	}
	return w.Wait(acc)
}

// Wait waits for an accepted turn, at most a minute.
func (w *World) Wait(acc *session.Accepted) session.TurnResult {
	w.TB.Helper()
	select {
	case <-acc.Done():
		return acc.Result()
	case <-time.After(time.Minute):
		w.TB.Fatal("the turn did not end within a minute")
		return session.TurnResult{}
	}
}

// Settle waits until no text is being bought for a session beside its turns, at most a while: two reads of the books agree
// only at rest.
func (w *World) Settle(id session.ID) {
	w.TB.Helper()
	sub := w.Bus.SubscribeSession(id, 0)
	defer sub.Close()
	late := time.After(10 * time.Second)
	for w.buying(id) {
		select {
		case <-sub.C:
		case <-late:
			return
		}
	}
}

// buying reports whether a candidate runs, or work is being prepared ahead. A session that cannot be reached buys nothing.
func (w *World) buying(id session.ID) bool {
	st, err := w.Status(context.Background(), id)
	if err != nil {
		return false
	}
	for _, p := range st.Posture.Recent {
		if p.Candidate != nil && p.Candidate.State == compaction.CandidateRunning {
			return true
		}
	}
	return st.Posture.Reason == compaction.ReasonBurnRate
}

// Client answers tool calls and permissions by functions.
type Client struct {
	Tool   func(ctx context.Context, r tool.Request) (tool.Answer, error)
	Permit bool
}

// Serves implements tool.Client.
func (c Client) Serves(r tool.Request) bool { return c.Tool != nil || r.Kind == tool.RequestPermission }

// Ask implements tool.Client.
func (c Client) Ask(ctx context.Context, r tool.Request) (tool.Answer, error) {
	if r.Kind == tool.RequestPermission {
		return tool.Answer{Allowed: c.Permit}, nil
	}
	return c.Tool(ctx, r)
}
