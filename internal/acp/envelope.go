package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Envelope is one JSON-RPC 2.0 message.
type Envelope struct {
	ID     RequestID
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *Error
}

// Kind of a message.
type Kind int

// Kinds of messages.
const (
	KindRequest Kind = iota + 1
	KindNotification
	KindResponse
)

// Kind says what the message is. Decode returns only messages that are one of the three.
func (e Envelope) Kind() Kind {
	switch {
	case e.Method == "":
		return KindResponse
	case e.ID.IsZero():
		return KindNotification
	default:
		return KindRequest
	}
}

// wireEnvelope is the shape on the wire. Pointers tell absent from null: an id of null is an id.
type wireEnvelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *RequestID      `json:"id,omitempty"`
	Method  *string         `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Decode reads one frame (protocol section 3; spec section 9, "malformed frame"). On error the envelope still holds the
// id when it could be read, so that the sender learns which of its requests was refused.
func Decode(frame []byte) (Envelope, *Error) {
	frame = bytes.TrimSpace(frame)
	if err := checkDepth(frame, MaxDepth); err != nil {
		return Envelope{}, invalid(fmt.Sprintf("%v: at most %d levels", err, MaxDepth))
	}
	if !json.Valid(frame) {
		return Envelope{}, NewError(CodeParseError, NameParseError, "the frame is not one JSON value")
	}
	switch frame[0] {
	case '{':
		return decodeObject(frame)
	case '[':
		return Envelope{}, invalid("batches are not accepted: one message a frame")
	}
	return Envelope{}, invalid("a message is a JSON object")
}

func decodeObject(frame []byte) (Envelope, *Error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(frame, &fields); err != nil {
		return Envelope{}, invalid("a message is a JSON object")
	}
	var env Envelope
	if raw, ok := fields["id"]; ok {
		if err := env.ID.UnmarshalJSON(raw); err != nil {
			return Envelope{}, invalid(err.Error())
		}
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return env, invalid(`"jsonrpc" must be "2.0"`)
	}
	if err := env.fill(fields); err != nil {
		return env, invalid(err.Error())
	}
	return env, nil
}

// fill checks that the message is exactly one of request, notification and response.
func (e *Envelope) fill(fields map[string]json.RawMessage) error {
	if raw, ok := fields["method"]; ok {
		return e.fillCall(raw, fields)
	}
	result, hasResult := fields["result"]
	rawErr, hasErr := fields["error"]
	if e.ID.IsZero() || hasResult == hasErr {
		return errors.New("a message has a method, or an id and one of result and error")
	}
	e.Result = result
	if hasErr {
		return e.fillError(rawErr)
	}
	return nil
}

func (e *Envelope) fillCall(method json.RawMessage, fields map[string]json.RawMessage) error {
	if err := json.Unmarshal(method, &e.Method); err != nil || e.Method == "" {
		return errors.New("a method is a non-empty string")
	}
	if _, both := fields["result"]; both {
		return errors.New("a message with a method has no result")
	}
	e.Params = fields["params"]
	return nil
}

// fillError reads a peer's error leniently: its data is its own affair.
func (e *Envelope) fillError(raw json.RawMessage) error {
	var wire struct {
		Code    *Code           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil || wire.Code == nil {
		return errors.New("an error has an integer code and a message")
	}
	e.Error = &Error{Code: *wire.Code, Message: wire.Message}
	var data ErrorData
	if json.Unmarshal(wire.Data, &data) == nil && data.Code != "" {
		e.Error.Data = &data
	}
	return nil
}

func invalid(reason string) *Error {
	return NewError(CodeInvalidRequest, NameInvalidRequest, reason)
}
