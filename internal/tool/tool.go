// Package tool is what a session may call: built-in tools, and those that an attached client runs.
//
// A [Set] is fixed when a session is made, sorted by name, so that the stable prefix never changes (spec 4.10).
// [Clients] brings a question (run this tool, may this run?) to the clients attached to a session: the first answer
// counts, the others are withdrawn, and whoever attaches while it is open is asked again (protocol section 2).
package tool

import (
	"context"
	"encoding/json"

	"tidemark/internal/message"
)

// Tool is one thing a model may call.
type Tool interface {
	Spec() message.ToolSpec
	// SideEffects reports whether a call must be permitted first.
	SideEffects() bool
	// Call runs it. An error of the tool's own is an Outcome with IsError; Call never panics on bad input.
	Call(ctx context.Context, c Call) Outcome
}

// Call is one call by the model.
type Call struct {
	SessionID string
	TurnID    string
	CallID    string // the id the model gave
	Name      string
	Input     json.RawMessage
}

// Class says how a call ended when it failed.
type Class string

// Classes of failed calls.
const (
	ClassOK        Class = ""
	ClassError     Class = "error"
	ClassCancelled Class = "cancelled"
	ClassDenied    Class = "denied"
	ClassTimeout   Class = "timeout"
	ClassNoClient  Class = "no_client"
	ClassUnknown   Class = "unknown_tool"
)

// Outcome is the result the model reads.
type Outcome struct {
	Content message.Blocks
	IsError bool
	Class   Class
}

// TextOutcome is a successful outcome of one text.
func TextOutcome(s string) Outcome { return Outcome{Content: message.Blocks{message.Text{Text: s}}} }

// ErrorOutcome is a failed outcome with a text for the model.
func ErrorOutcome(c Class, s string) Outcome {
	return Outcome{Content: message.Blocks{message.Text{Text: s}}, IsError: true, Class: c}
}

// RequestKind is what a client is asked.
type RequestKind string

// Kinds of request.
const (
	RequestTool       RequestKind = "tool_call"
	RequestPermission RequestKind = "permission"
	RequestReadFile   RequestKind = "fs_read"  // client file system: Input {path, line?, limit?}
	RequestWriteFile  RequestKind = "fs_write" // client file system: Input {path, content}
)

// Request is one question to the clients of a session.
type Request struct {
	Kind RequestKind
	Call Call
	// Title says in words what would run, for a permission.
	Title string
}

// Answer is a client's reply. For a permission only Allowed and Always count.
type Answer struct {
	Content message.Blocks
	IsError bool
	Allowed bool
	Always  bool // allowed or denied for the rest of the session
}

// Client is one attached client, seen from the session. Implementations do not block beyond ctx.
type Client interface {
	// Serves reports whether this client can answer the request.
	Serves(r Request) bool
	// Ask sends the request and waits for the answer; when ctx ends first the request is withdrawn.
	Ask(ctx context.Context, r Request) (Answer, error)
}
