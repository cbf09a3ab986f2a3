package session

import (
	"context"
	"errors"
	"log/slog"
	"sort"
	"sync"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/tool"
)

// Deps are what sessions need; all are required but Log, Retry and the clock.
type Deps struct {
	Store        Store
	Bus          *event.Bus
	Models       provider.Registry
	Cards        *model.Table
	Summarizer   *compaction.Summarizer
	PriceVersion string
	Config       Config

	Retry provider.RetryPolicy // zero = provider.DefaultRetryPolicy
	Now   func() time.Time     // nil = time.Now
	NewID func() string        // nil = monotonic ULIDs
	Log   *slog.Logger         // nil = silent
}

// Config tunes sessions; zero values take the defaults.
type Config struct {
	DefaultModel    string
	System          string                    // stable system text of a session that brings none
	Compaction      compaction.Config         // of a session without overrides
	Limits          compaction.OverrideLimits // what sessions may override
	MaxOutputTokens int                       // of a request; 0 = DefaultMaxOutput
	MaxSteps        int                       // model calls of a turn; 0 = DefaultMaxSteps
	Grace           time.Duration             // a turn nobody is attached to goes on this long; 0 = DefaultGrace
	IdleAfter       time.Duration             // a session without work or clients leaves memory; 0 = DefaultIdle
	ModelNames      []string                  // what a client may choose
}

// Defaults of Config.
const (
	DefaultMaxOutput = 8192
	DefaultMaxSteps  = 1000
	DefaultGrace     = 10 * time.Minute
	DefaultIdle      = 10 * time.Minute
	DefaultSystem    = "You are a careful assistant. Answer briefly and say when you are not sure."
)

// Manager is the registry of live sessions: it loads an actor when somebody needs it and lets it go when nobody does.
// It implements Service.
type Manager struct {
	deps   Deps
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	actors map[ID]*entry
	// clients are those attached to a session. They outlive an actor that a failing store ended: its successor asks them.
	clients map[ID]*tool.Clients
	closed  bool
}

// entry is an actor, or one being loaded: ready closes when actor or err is set.
type entry struct {
	ready chan struct{}
	actor *actor
	err   error
}

var _ Service = (*Manager)(nil)

// NewManager starts an empty registry. Shutdown stops all sessions.
func NewManager(d Deps) *Manager {
	d = withDefaults(d)
	ctx, cancel := context.WithCancel(context.Background())
	m := &Manager{deps: d, ctx: ctx, cancel: cancel, actors: make(map[ID]*entry), clients: make(map[ID]*tool.Clients)}
	m.wg.Go(m.sweep)
	return m
}

func withDefaults(d Deps) Deps {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.NewID == nil {
		d.NewID = newULID
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Retry.Initial == 0 {
		d.Retry = provider.DefaultRetryPolicy()
	}
	c := &d.Config
	c.MaxOutputTokens = orDefault(c.MaxOutputTokens, DefaultMaxOutput)
	c.MaxSteps = orDefault(c.MaxSteps, DefaultMaxSteps)
	c.Grace = orDefault(c.Grace, DefaultGrace)
	c.IdleAfter = orDefault(c.IdleAfter, DefaultIdle)
	c.System = orDefault(c.System, DefaultSystem)
	if c.Compaction.ThresholdTokens == 0 {
		c.Compaction = compaction.DefaultConfig()
	}
	return d
}

func orDefault[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

// Recover closes what a crash left open in any session: passes, calls, turns (spec section 9). Call it before clients
// are served.
func (m *Manager) Recover(ctx context.Context) error {
	ids, err := m.deps.Store.Unfinished(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := m.get(ctx, id); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// get returns the live actor of a session, loading it once whoever asks.
func (m *Manager) get(ctx context.Context, id ID) (*actor, error) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, ErrShuttingDown
	}
	e, ok := m.actors[id]
	if !ok {
		e = &entry{ready: make(chan struct{})}
		m.actors[id] = e
		m.wg.Go(func() { m.load(id, e) })
	}
	m.mu.Unlock()
	select {
	case <-e.ready:
		return e.actor, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// load brings a session into memory, closes what a crash left open, and runs its actor until it ends.
func (m *Manager) load(id ID, e *entry) {
	defer m.forget(id, e)
	snap, err := m.deps.Store.Load(m.ctx, id)
	if err != nil {
		e.err = err
		close(e.ready)
		return
	}
	a := newActor(m.ctx, id, newState(snap, m.card(snap.Record.Model), m.deps.Config.MaxOutputTokens), m.clientsOf(id), m.deps)
	if err := a.recover(snap); err != nil {
		e.err = err
		close(e.ready)
		return
	}
	e.actor = a
	close(e.ready)
	a.run()
}

func (m *Manager) card(name string) model.Card {
	if c, ok := m.deps.Cards.Lookup(name); ok {
		return c
	}
	return model.Unknown(name)
}

func (m *Manager) forget(id ID, e *entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.actors[id] == e {
		delete(m.actors, id)
		m.dropClients(id)
	}
}

// clientsOf are the clients attached to a session, whichever actor it has.
func (m *Manager) clientsOf(id ID) *tool.Clients {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.clients[id]
	if c == nil {
		c = new(tool.Clients)
		m.clients[id] = c
	}
	return c
}

// dropClients forgets a session without actor that nobody is attached to. Call it with the lock held.
func (m *Manager) dropClients(id ID) {
	if c := m.clients[id]; c != nil && c.Len() == 0 {
		delete(m.clients, id)
	}
}

// detached starts the clock of a turn that nobody is attached to any more.
func (m *Manager) detached(id ID) {
	m.mu.Lock()
	e := m.actors[id]
	if e == nil {
		m.dropClients(id)
	}
	m.mu.Unlock()
	if e == nil {
		return
	}
	select {
	case <-e.ready:
	default:
		return // it is being loaded: no turn runs
	}
	if e.actor != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = e.actor.send(ctx, e.actor.watchGrace) // an actor that ended has no turn to watch
	}
}

// call runs f on a session's actor; an actor that left memory in between is loaded again.
func (m *Manager) call(ctx context.Context, id ID, f func(a *actor)) error {
	for {
		a, err := m.get(ctx, id)
		if err != nil {
			return err
		}
		err = a.send(ctx, func() { f(a) })
		if !errors.Is(err, errActorGone) {
			return err
		}
		if m.isClosed() {
			return ErrShuttingDown
		}
		<-a.done // its entry is forgotten right after
		m.forgetActor(id, a)
	}
}

func (m *Manager) forgetActor(id ID, a *actor) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.actors[id]; e != nil && e.actor == a {
		delete(m.actors, id)
		m.dropClients(id)
	}
}

func (m *Manager) isClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// sweep lets idle actors go.
func (m *Manager) sweep() {
	tick := time.NewTicker(max(m.deps.Config.IdleAfter/4, time.Second))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for _, a := range m.live() {
				m.unloadIdle(a)
			}
		case <-m.ctx.Done():
			return
		}
	}
}

func (m *Manager) live() []*actor {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*actor
	for _, e := range m.actors {
		select {
		case <-e.ready:
			if e.actor != nil {
				out = append(out, e.actor)
			}
		default:
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].id < out[j].id })
	return out
}

// unloadIdle ends an actor that has had nothing to do for a while. The decision is the actor's own, so that no command
// is lost: it ends itself between two of them.
func (m *Manager) unloadIdle(a *actor) {
	select {
	case a.mailbox <- func() { a.leaveIfIdle(m.deps.Config.IdleAfter) }:
	default: // it is busy
	}
}

// Shutdown refuses new work, ends all turns as interrupted and waits until the actors have stored that, at most until ctx
// ends.
func (m *Manager) Shutdown(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.cancel()
	done := make(chan struct{})
	go func() { m.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
