package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"tidemark/internal/auth"
	"tidemark/internal/compaction"
	"tidemark/internal/config"
	"tidemark/internal/event"
	"tidemark/internal/model"
	"tidemark/internal/session"
	"tidemark/internal/store"
	"tidemark/web"
)

// App is a running server. Open it, use it, Close it.
type App struct {
	cfg      config.Config
	log      *slog.Logger
	warnings []string

	folder  *folder
	db      *store.DB
	cache   *store.SummaryCache
	auth    *auth.Service
	bus     *event.Bus
	manager *session.Manager
	web     *web.Server

	model    string
	listener net.Listener // nil at rest
	http     *http.Server
	url      string
	localKey string

	stop  context.CancelFunc // of the goroutines below
	wg    sync.WaitGroup
	died  chan error // the HTTP server ended by itself
	close sync.Once
	err   error // of Close
}

// Open builds and starts everything. Errors are one line that names the thing and the mend; nothing is left behind.
func Open(ctx context.Context, cfg config.Config, list ...Override) (*App, error) {
	o := newOverrides(list)
	a := &App{cfg: cfg, log: o.log, warnings: cfg.Warnings, died: make(chan error, 1), localKey: auth.NewSecret()}
	var lifetime context.Context
	lifetime, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := a.open(ctx, lifetime, o); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	return a, nil
}

func (a *App) open(ctx, lifetime context.Context, o overrides) (err error) {
	if o.listen { // first, so that a second server leaves the folder alone
		if a.listener, err = listen(ctx, a.cfg.Addr); err != nil {
			return err
		}
		a.url = baseURL(a.listener)
	}
	if a.folder, err = lockFolder(a.cfg.Data); err != nil {
		return err
	}
	if a.db, err = store.Open(ctx, storeConfig(a.cfg, o)); err != nil {
		return err
	}
	a.cache = store.OpenSummaryCache(ctx, filepath.Join(a.cfg.Data, store.CacheFileName), cacheConfig(a.cfg, o))
	a.auth = auth.NewService(a.db.Keys(), authConfig(a.cfg, o, a.localKey))
	if err := a.openSessions(ctx, o); err != nil {
		return err
	}
	a.web = web.New(web.Deps{
		Sessions: a.manager, Reader: a.db.Sessions(), Bus: a.bus, Auth: a.auth, Log: a.log, Version: o.version,
		Ready:  a.db.Writable,
		Sample: SamplePrompts(),
	}, webConfig(a.cfg, o))
	a.wg.Go(func() { sweeper{a.db, a.cfg.Retention, a.log}.run(lifetime) })
	return a.serve()
}

// openSessions starts the manager and closes what a crash left open, before anybody is served (spec section 9).
func (a *App) openSessions(ctx context.Context, o overrides) error {
	table := model.Default()
	if o.sim.Table != nil {
		table = o.sim.Table
	}
	reg := newRegistry(a.cfg, o, table)
	name, err := reg.defaultModel(a.cfg)
	if err != nil {
		return err
	}
	a.model = name
	if warning := reg.checkSummarizer(a.cfg, name); warning != "" {
		a.warnings = append(a.warnings, warning)
	}
	a.bus = new(event.Bus)
	deps := session.Deps{
		Store: a.db.Sessions(), Bus: a.bus, Models: reg, Cards: table, PriceVersion: table.Version,
		Summarizer: compaction.NewSummarizer(reg, a.cache, compaction.SummarizerConfig{Now: o.now, Retry: o.retry}),
		Config:     sessionConfig(a.cfg, name, reg.names()), Now: o.now, Log: a.log,
	}
	if o.retry != nil {
		deps.Retry = *o.retry
	}
	a.manager = session.NewManager(deps)
	if err := a.manager.Recover(ctx); err != nil {
		return fmt.Errorf("close what the last run left open: %w", err)
	}
	return nil
}

// serve opens the doors.
func (a *App) serve() error {
	handler := a.handler()
	a.http = newHTTPServer(handler)
	if a.listener == nil {
		return nil
	}
	if err := a.folder.publish(Running{URL: a.url, Key: a.localKey, PID: os.Getpid()}); err != nil {
		return folderError(a.cfg.Data, err)
	}
	a.wg.Go(func() {
		if err := a.http.Serve(a.listener); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			a.died <- fmt.Errorf("the server stopped listening: %w", err)
		}
	})
	return nil
}

// URL is where the server answers, "" at rest.
func (a *App) URL() string { return a.url }

// Model is the session model of clients that name none.
func (a *App) Model() string { return a.model }

// Warnings are odd but allowed settings, to be shown at start.
func (a *App) Warnings() []string { return a.warnings }

// Died gives the error when the server stops without Close.
func (a *App) Died() <-chan error { return a.died }

// Client calls this App's HTTP API as the admin without a network: at rest, too. Only for answers that end.
func (a *App) Client() (client *http.Client, key string) {
	return &http.Client{Transport: handlerTransport{a.http.Handler}}, a.localKey
}

// Sessions are the live conversations.
func (a *App) Sessions() session.Service { return a.manager }

// Reader reads committed rows.
func (a *App) Reader() session.Reader { return a.db.Sessions() }

// Auth answers who is asking.
func (a *App) Auth() *auth.Service { return a.auth }
