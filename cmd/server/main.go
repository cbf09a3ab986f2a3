// Command tidemark is the server and its tools (spec section 10).
//
// main only connects the process to run: arguments, environment, signals, exit status (0 done, 1 failed, 2 usage). A
// first SIGTERM or interrupt drains; a second one kills.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"tidemark/internal/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal finds the default handler again and kills
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	os.Exit(report(os.Stderr, err))
}

// usageError is a mistake in how the command was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// report prints an error in one line and gives the exit status.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	line := strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
	fmt.Fprintln(newSafeWriter(stderr), "tidemark: "+line)
	var usage usageError
	var setting *config.Error
	if errors.As(err, &usage) || errors.As(err, &setting) {
		return 2
	}
	return 1
}
