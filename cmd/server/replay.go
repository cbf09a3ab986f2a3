package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"tidemark/internal/app"
	"tidemark/internal/replay"
)

// replayCmd drives a server with recordings (spec section 10).
type replayCmd struct {
	Files    []string `arg:"" optional:"" help:"Transcripts: the corpus form, Claude Code logs, Codex rollouts, Anthropic or OpenAI message arrays." type:"existingfile"`
	Sample   bool     `help:"Play the built-in sample session, which sim:assistant answers, instead of files."`
	Model    string   `help:"Model that answers (default: sim:replay, which speaks the recorded answers)." placeholder:"PROVIDER:MODEL"`
	Window   int      `help:"A smaller context window for sim:replay, in tokens." placeholder:"N"`
	Speed    float64  `help:"1 plays at a person's pace, 10 ten times faster, 0 without pauses." placeholder:"N"`
	Parallel int      `help:"Files at a time." default:"1" placeholder:"N"`
	Settings []string `help:"A compaction setting of the sessions, such as threshold_tokens=20000; may be repeated." placeholder:"KEY=VALUE" sep:"none"`
	JSON     bool     `name:"json" help:"Print the report as JSON."`
	serverFlags
}

// Run implements the command.
func (c *replayCmd) Run(e *env) error {
	settings, err := settingsJSON(c.Settings)
	if err != nil {
		return err
	}
	clean, err := c.sample()
	if err != nil {
		return err
	}
	defer clean()
	server, key, stop, err := c.find(e)
	if err != nil {
		return err
	}
	bar := newProgress(e.rawErr)
	report, err := replay.Run(e.ctx, replay.Config{
		URL: server, Key: key, Model: c.Model, Window: c.Window, Speed: c.Speed, Parallel: c.Parallel, Settings: settings,
		Progress: bar.show,
	}, c.Files)
	bar.end()
	if err = errors.Join(err, stop()); err != nil {
		return err
	}
	if err := c.print(e, report); err != nil {
		return err
	}
	if !report.OK() {
		return fmt.Errorf("replay: %d violations and %d files not played to their end", report.Total.Violations, report.Total.Errors)
	}
	return nil
}

func (c *replayCmd) print(e *env, r replay.Report) error {
	if c.JSON {
		return printJSON(e.stdout, r)
	}
	return r.WriteTable(e.stdout)
}

// find is the named server, the one that uses the data folder, or one of this command's own for as long as it runs.
func (c *replayCmd) find(e *env) (server, key string, stop func() error, err error) {
	none := func() error { return nil }
	if server = firstOf(c.Server, e.lookup("TIDEMARK_SERVER")); server != "" {
		a, err := remote(server, firstOf(c.Key, e.lookup("TIDEMARK_KEY")))
		if err != nil {
			return "", "", nil, err
		}
		return a.url, a.key, none, nil
	}
	cfg, err := c.load(e, map[string]string{"addr": "127.0.0.1:0"})
	if err != nil {
		return "", "", nil, err
	}
	a, err := app.Open(e.ctx, cfg, app.WithVersion(version()))
	var busy *app.InUseError
	switch {
	case errors.As(err, &busy) && busy.Running.URL != "":
		return busy.Running.URL, busy.Running.Key, none, nil
	case err != nil:
		return "", "", nil, err
	}
	fmt.Fprintf(e.stderr, "No server uses data folder %s: serving it on %s for this run.\n", cfg.Data, a.URL())
	_, key = a.Client()
	return a.URL(), key, func() error { return closeApp(e.ctx, a) }, nil
}

var plainNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// settingsJSON turns KEY=VALUE into what a client would send: numbers and booleans as such, amounts of money and words
// as strings.
func settingsJSON(pairs []string) (json.RawMessage, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	out := make(map[string]any)
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
			return nil, usageError{fmt.Errorf("--settings %s: write it as KEY=VALUE", pair)}
		case value == "true" || value == "false":
			out[key] = value == "true"
		case plainNumber.MatchString(value) && !strings.HasSuffix(key, "_usd"):
			out[key] = json.Number(value)
		default:
			out[key] = value
		}
	}
	return json.Marshal(out)
}
