package session

import "errors"

// Sentinels to decide on. One table in web maps them to HTTP status, JSON-RPC code and close code.
var (
	ErrNotFound      = errors.New("session not found")
	ErrBusy          = errors.New("a turn is running in this session")
	ErrClosed        = errors.New("the session is closed")
	ErrConflict      = errors.New("the idempotency key was used with another prompt")
	ErrStale         = errors.New("the session's view has moved on")
	ErrNothingToUndo = errors.New("there is no compaction to undo")
	ErrShuttingDown  = errors.New("the server is shutting down")
	ErrTooMany       = errors.New("too many sessions")
	ErrCompaction    = errors.New("the compaction did not succeed")
	ErrStorage       = errors.New("the database cannot be written")
)

// ParamError says which parameter of a request is wrong and what is allowed.
type ParamError struct {
	Param  string // dotted name of the knob or field
	Reason string // the value and the allowed range
}

func (e *ParamError) Error() string { return e.Param + ": " + e.Reason }
