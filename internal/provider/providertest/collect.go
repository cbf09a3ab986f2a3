package providertest

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// Result is all that came of one call.
type Result struct {
	Text, Thinking string // deltas, joined
	Starts         []provider.ToolUseStart
	Deltas         int // text deltas
	Done           *provider.Done
	Err            *provider.Error
}

// Collect runs a call to its end and holds the stream to the contract of [provider.Model]: it ends with exactly one
// Done or one *Error and nothing follows, deltas say what Done says, calls are announced before Done, buckets are
// sound, and the caller's request is left as it was.
func Collect(ctx context.Context, tb testing.TB, m provider.Model, req provider.Request) Result {
	tb.Helper()
	before := clone(req)
	var r Result
	for chunk, err := range m.Stream(ctx, req) {
		if r.Done != nil || r.Err != nil {
			tb.Fatalf("%T, %v came after the end", chunk, err)
		}
		r.take(tb, chunk, err)
	}
	if diff := cmp.Diff(before, req); diff != "" {
		tb.Errorf("the call changed its request (-before +after):\n%s", diff)
	}
	if r.Done == nil && r.Err == nil {
		tb.Fatal("the stream ended without Done and without an error")
	}
	r.check(tb)
	return r
}

func clone(req provider.Request) provider.Request {
	req.Messages = slices.Clone(req.Messages)
	for i, m := range req.Messages {
		req.Messages[i] = m.Clone()
	}
	req.Tools = slices.Clone(req.Tools)
	return req
}

func (r *Result) take(tb testing.TB, chunk provider.Chunk, err error) {
	tb.Helper()
	if err != nil {
		pe, ok := err.(*provider.Error) //nolint:errorlint // the contract is this very type, not a wrap of it
		if !ok {
			tb.Fatalf("the stream failed with a %T, not a *provider.Error: %v", err, err)
		}
		r.Err = pe
		return
	}
	switch v := chunk.(type) {
	case provider.TextDelta:
		if v.Text == "" {
			tb.Error("empty text delta")
		}
		r.Text += v.Text
		r.Deltas++
	case provider.ThinkingDelta:
		r.Thinking += v.Text
	case provider.ToolUseStart:
		r.Starts = append(r.Starts, v)
	case provider.Done:
		r.Done = &v
	default:
		tb.Fatalf("chunk of unknown type %T", chunk)
	}
}

func (r *Result) check(tb testing.TB) {
	tb.Helper()
	if r.Err != nil {
		checkUsage(tb, r.Err.Usage)
		return
	}
	checkUsage(tb, r.Done.Usage)
	var text, thinking string
	var starts []provider.ToolUseStart
	for _, b := range r.Done.Blocks {
		switch v := b.(type) {
		case message.Text:
			text += v.Text
		case message.Thinking:
			thinking += v.Thinking
		case message.ToolUse:
			starts = append(starts, provider.ToolUseStart{ID: v.ID, Name: v.Name})
		}
	}
	if text != r.Text || thinking != r.Thinking {
		tb.Errorf("deltas and Done differ: text %q, %q; thinking %q, %q", r.Text, text, r.Thinking, thinking)
	}
	if diff := cmp.Diff(r.Starts, starts); diff != "" {
		tb.Errorf("announced calls and those of Done differ (-announced +done):\n%s", diff)
	}
}

// checkUsage holds usage to spec 7.3: no bucket below zero, reasoning inside output.
func checkUsage(tb testing.TB, u message.Usage) {
	tb.Helper()
	if min(u.Input, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.Output, u.Reasoning) < 0 || u.Reasoning > u.Output {
		tb.Errorf("usage is not sound: %+v", u)
	}
}

// WantDone fails unless the call was answered with this stop reason.
func (r Result) WantDone(tb testing.TB, stop provider.StopReason) *provider.Done {
	tb.Helper()
	if r.Err != nil {
		tb.Fatalf("the call failed: %v", r.Err)
	}
	if r.Done.Stop != stop {
		tb.Fatalf("stop reason %q, want %q", r.Done.Stop, stop)
	}
	return r.Done
}

// WantErr fails unless the call failed with this class.
func (r Result) WantErr(tb testing.TB, class provider.ErrorClass) *provider.Error {
	tb.Helper()
	if r.Err == nil {
		tb.Fatalf("the call was answered: %+v", r.Done)
	}
	if r.Err.Class != class {
		tb.Fatalf("class %q, want %q: %v", r.Err.Class, class, r.Err)
	}
	return r.Err
}
