package main

import (
	"context"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// cli is the whole command line.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Run the server."`
	Signin  signinCmd  `cmd:"" help:"Print a fresh sign-in link of a running server."`
	Key     keyCmd     `cmd:"" help:"Manage API keys."`
	Session sessionCmd `cmd:"" help:"Look at sessions, compact them, take a compaction back."`
	Replay  replayCmd  `cmd:"" help:"Drive a server with recorded transcripts and check the books."`
	Bench   benchCmd   `cmd:"" help:"Measure offline."`
	Config  configCmd  `cmd:"" help:"Print the effective configuration and where each value comes from."`
	Version versionCmd `cmd:"" help:"Print build facts."`
}

const about = `Tidemark hosts live LLM agent sessions and keeps them cheap.

Settings come from flags, then TIDEMARK_... variables, then config.yaml in the data folder, then defaults; "tidemark config" shows them. Provider keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY. Without any, the simulated models answer.`

// env is what a command gets beside its flags.
type env struct {
	ctx     context.Context
	environ []string
	stdout  io.Writer // safe: control characters in what servers say are shown, not obeyed
	stderr  io.Writer
	rawOut  io.Writer // the real streams, to ask whether they are terminals
	rawErr  io.Writer
}

// run is the program as a function. Everything it prints goes through writers that neutralise terminal escapes.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) error {
	e := &env{ctx, environ, newSafeWriter(stdout), newSafeWriter(stderr), stdout, stderr}
	exited := false
	parser, err := kong.New(new(cli),
		kong.Name("tidemark"), kong.Description(about), kong.Writers(e.stdout, e.stderr),
		kong.Exit(func(int) { exited = true }), // --help printed what there is to say
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: false}),
		kong.UsageOnError(),
	)
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	switch {
	case exited:
		return nil
	case err != nil:
		return usageError{fmt.Errorf("%w (tidemark --help)", err)}
	}
	return parsed.Run(e)
}
