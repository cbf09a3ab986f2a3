package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"tidemark/internal/app"
)

// atRest stands where a server's URL would: requests to it never leave the process.
const atRest = "http://127.0.0.1"

// open finds the server that is meant. A folder at rest is opened, and only made when create says so.
func (f serverFlags) open(e *env, create bool) (*api, error) {
	if server := firstOf(f.Server, e.lookup("TIDEMARK_SERVER")); server != "" {
		return remote(server, firstOf(f.Key, e.lookup("TIDEMARK_KEY")))
	}
	cfg, err := f.load(e, nil)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, app.DatabaseName)); err != nil && !create {
		return nil, fmt.Errorf("data folder %s holds no sessions yet: name another with --data, or a running server with --server", cfg.Data)
	}
	a, err := app.Open(e.ctx, cfg, app.WithoutListening(), app.WithVersion(version()))
	var busy *app.InUseError
	if errors.As(err, &busy) && busy.Running.URL != "" {
		return &api{client: newHTTPClient(), url: busy.Running.URL, key: busy.Running.Key, close: func() error { return nil }}, nil
	}
	if err != nil {
		return nil, err
	}
	client, key := a.Client()
	return &api{client: client, url: atRest, key: key, close: func() error { return closeApp(e.ctx, a) }}, nil
}

func remote(server, key string) (*api, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, usageError{fmt.Errorf("--server %s: write it as http://HOST:PORT", server)}
	}
	if key == "" {
		return nil, usageError{errors.New("--server needs an API key: give --key or set TIDEMARK_KEY")}
	}
	return &api{client: newHTTPClient(), url: strings.TrimSuffix(server, "/"), key: key, close: func() error { return nil }}, nil
}

// running reports whether a server answers, and not a folder opened for this command.
func (a *api) running() bool { return a.url != atRest }

// done closes what was opened for the command and keeps the first error.
func (a *api) done(err error) error {
	if closeErr := a.close(); err == nil {
		return closeErr
	}
	return err
}
