package sim

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"tidemark/internal/model"
	"tidemark/internal/provider"
)

// Name is the provider part of the names of its models.
const Name = "sim"

// Defaults of [Config].
const (
	DefaultTTL        = 5 * time.Minute // of Anthropic's prompt cache
	DefaultDeltaBytes = 48
	DefaultSessions   = 4096 // sessions whose cache and cue counters are kept; an older one starts cold again
)

// Config tunes the provider; its zero value is usable. Functions are called from the goroutine of the call they belong
// to, so several may run at once.
type Config struct {
	Now        func() time.Time // nil = time.Now; ages the prompt cache
	Table      *model.Table     // nil = model.Default(); a changed window or price goes in here
	TTL        time.Duration    // of a prompt-cache entry, counted from its last use
	Pace       time.Duration    // pause before each delta; default none
	DeltaBytes int              // size of a delta, cut at a space where there is one
	Sessions   int
	Faults     func(Call) Fault // what to do wrong in this call; nil = nothing
	OnServed   func(Served)     // told about each call after it ended
}

// Provider gives the sim models. It is safe for concurrent use.
type Provider struct {
	cfg Config

	mu       sync.Mutex
	sessions *simplelru.LRU[string, *sessionState]
	totals   map[string]Totals
	started  map[string]int
}

// New builds a provider.
func New(cfg Config) *Provider {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Table == nil {
		cfg.Table = model.Default()
	}
	cfg.TTL = orDefault(cfg.TTL, DefaultTTL)
	cfg.DeltaBytes = orDefault(cfg.DeltaBytes, DefaultDeltaBytes)
	cfg.Sessions = orDefault(cfg.Sessions, DefaultSessions)
	sessions, err := simplelru.NewLRU[string, *sessionState](cfg.Sessions, nil)
	if err != nil {
		panic(err) // only a size below one is refused
	}
	return &Provider{cfg: cfg, sessions: sessions, totals: make(map[string]Totals), started: make(map[string]int)}
}

func orDefault[T int | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// Model returns a sim model by its full name. With it a Provider is a [provider.Registry] of sim models.
func (p *Provider) Model(name string) (provider.Model, error) {
	card, ok := p.cfg.Table.Lookup(name)
	if !ok || card.Provider != Name {
		return nil, fmt.Errorf("model %q: sim has %s", name, strings.Join(p.Names(), ", "))
	}
	return &simModel{p: p, card: card, speak: voice(name)}, nil
}

// Names lists the models in table order.
func (p *Provider) Names() []string {
	var out []string
	for _, c := range p.cfg.Table.Of(Name) {
		out = append(out, c.Name)
	}
	return out
}

// voice picks who answers under a name: sim:free and sim:unpriced are the assistant at other prices.
func voice(name string) speaker {
	switch name {
	case model.SimReplay:
		return replay
	case model.SimSummarizer:
		return summarize
	}
	return assist
}

// sessionState is what the provider remembers of one session.
type sessionState struct {
	cache promptCache
	cues  cueState
}

// withSession runs f on the state of a session, alone.
func (p *Provider) withSession(id string, f func(*sessionState)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.sessions.Get(id)
	if !ok {
		s = new(sessionState)
		p.sessions.Add(id, s)
	}
	f(s)
}
