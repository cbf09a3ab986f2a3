package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"tidemark/internal/app"
	"tidemark/internal/config"
)

// serveCmd runs the server until a signal.
type serveCmd struct {
	Addr string `help:"Address to listen on (TIDEMARK_ADDR; default: 127.0.0.1:8080). Port 0 picks a free one." placeholder:"HOST:PORT"`
	folderFlags
}

// Run implements the command.
func (c *serveCmd) Run(e *env) error {
	cfg, err := c.load(e, map[string]string{"addr": c.Addr})
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: cfg.LogLevel}))
	a, err := app.Open(e.ctx, cfg, app.WithLogger(log), app.WithVersion(version()))
	if err != nil {
		return err
	}
	if err := welcome(e, a, cfg); err != nil {
		return errors.Join(err, closeApp(e.ctx, a))
	}
	select {
	case err = <-a.Died():
	case <-e.ctx.Done():
		fmt.Fprintln(e.stderr, "tidemark: draining; a second signal stops at once")
	}
	if closeErr := closeApp(e.ctx, a); errors.Is(closeErr, context.DeadlineExceeded) {
		return errors.Join(err, fmt.Errorf("not everything ended within %s; what was cut off is closed at the next start", closeLimit))
	} else if closeErr != nil {
		return errors.Join(err, closeErr)
	}
	return err
}

// welcome says where the server is and, to whoever is looking or has never been here, how to get in.
func welcome(e *env, a *app.App, cfg config.Config) error {
	for _, w := range a.Warnings() {
		fmt.Fprintln(e.stderr, "tidemark: warning: "+w)
	}
	data, err := filepath.Abs(cfg.Data)
	if err != nil {
		data = cfg.Data
	}
	fmt.Fprintf(e.stdout, "Tidemark is listening on %s\n", a.URL())
	fmt.Fprintf(e.stdout, "  chat       %s/\n  operators  %s/ops\n  sessions   %s/acp\n  data       %s\n  model      %s\n",
		a.URL(), a.URL(), "ws"+strings.TrimPrefix(a.URL(), "http"), data, modelLine(a.Model()))
	first, err := a.NobodySignedInYet(context.WithoutCancel(e.ctx)) // a signal right now is not a failure of this
	if err != nil {
		return err
	}
	if !first && !isTerminal(e.rawOut) {
		return nil
	}
	link, err := a.SignInURL()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "Sign in as admin (works once, within an hour): %s\n", link)
	return err
}

func modelLine(name string) string {
	if strings.HasPrefix(name, "sim:") {
		return name + " (simulated; set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY for a real one)"
	}
	return name
}
