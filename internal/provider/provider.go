// Package provider is the one way to ask a model (spec section 7). An adapter per service lives below it and all pass
// the suite in providertest; the sim adapter is one of them.
//
// A stream is an iterator: breaking out of the loop frees the connection, and ending without a [Done] chunk is an
// error. Adapters do not retry; the caller does, so that each attempt is a ledger row.
package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"tidemark/internal/message"
	"tidemark/internal/model"
)

// Model answers requests for one model.
type Model interface {
	// Card describes the model.
	Card() model.Card
	// Stream sends the request and yields what comes back. The sequence ends with exactly one Done chunk or one
	// error (an *Error); nothing follows either.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Request is one model call. Tools are sorted by name and System is equal in all requests of a session (spec 4.10, 7.5).
type Request struct {
	SessionID string
	System    string // stable segment
	Volatile  string // segment that may change between calls (memory)
	Tools     []message.ToolSpec
	Messages  []message.Message
	MaxTokens int
	// NoCache asks for no cache marks: a call whose prefix nobody reads again, such as a summarization, would pay the
	// write rate for nothing (case B147) and more than its quote (spec 4.1).
	NoCache bool
	// Script is what sim:replay speaks: the recorded assistant messages of the running turn, of which this call
	// plays number ScriptStep. Other adapters ignore both.
	Script     []message.Blocks
	ScriptStep int
	// Window is a smaller window than the card's, which a session of sim:replay may have; 0 is the card's. Other adapters
	// ignore it.
	Window int
}

// Chunk is a closed set: TextDelta, ThinkingDelta, ToolUseStart, Done.
type Chunk interface{ chunk() }

// TextDelta is a piece of answer text.
type TextDelta struct{ Text string }

// ThinkingDelta is a piece of reasoning text.
type ThinkingDelta struct{ Text string }

// ToolUseStart announces a call as soon as its name is known; the input comes with Done.
type ToolUseStart struct{ ID, Name string }

// Done ends a stream: the whole assistant message in canonical form, why it stopped, and what it used.
type Done struct {
	Blocks    message.Blocks
	Stop      StopReason
	Usage     message.Usage // Usage.Estimated is set when the provider reported none
	RequestID string
}

func (TextDelta) chunk()     {}
func (ThinkingDelta) chunk() {}
func (ToolUseStart) chunk()  {}
func (Done) chunk()          {}

// StopReason says why a model stopped.
type StopReason string

// Stop reasons, in the words of the Anthropic wire; adapters map theirs to these.
const (
	StopEndTurn   StopReason = "end_turn"
	StopToolUse   StopReason = "tool_use"
	StopMaxTokens StopReason = "max_tokens"
	StopRefusal   StopReason = "refusal"
	StopSequence  StopReason = "stop_sequence"
	StopPauseTurn StopReason = "pause_turn"
)

// ErrorClass sorts failures (spec 7.2); a closed set.
type ErrorClass string

// The eight classes.
const (
	ClassRateLimit       ErrorClass = "rate_limit"
	ClassAuth            ErrorClass = "auth"
	ClassServerError     ErrorClass = "server_error"
	ClassNetwork         ErrorClass = "network"
	ClassContextOverflow ErrorClass = "context_overflow"
	ClassInvalidRequest  ErrorClass = "invalid_request"
	ClassCancelled       ErrorClass = "cancelled"
	ClassOther           ErrorClass = "other"
)

// Error is what an adapter fails with. Usage holds what was billed before the failure, zero when nothing was.
type Error struct {
	Class      ErrorClass
	Status     int // HTTP status, 0 when there was none
	Message    string
	RequestID  string
	RetryAfter time.Duration
	Usage      message.Usage
	Err        error
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (%d): %s", e.Class, e.Status, e.Message)
	}
	return fmt.Sprintf("%s: %s", e.Class, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether a further attempt may help (requirements C8.2).
func (e *Error) Retryable() bool {
	switch e.Class {
	case ClassRateLimit, ClassServerError, ClassNetwork:
		return true
	}
	return false
}

// AsError turns any error of a stream into an *Error: a cancelled context is class cancelled, an unknown error other.
func AsError(err error) *Error {
	var pe *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pe):
		return pe
	case errors.Is(err, context.Canceled):
		return &Error{Class: ClassCancelled, Message: "the call was cancelled", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Class: ClassNetwork, Message: "the call took too long", Err: err}
	}
	return &Error{Class: ClassOther, Message: err.Error(), Err: err}
}

// Registry resolves "provider:model" to a Model.
type Registry interface {
	// Model returns the named model, or an error that names what is missing (unknown model, no key).
	Model(name string) (Model, error)
}

// SchemaObject is the empty tool input schema.
var SchemaObject = json.RawMessage(`{"type":"object"}`)
