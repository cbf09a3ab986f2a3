package acp

import "fmt"

// Code is a JSON-RPC error code.
type Code int

// Codes of JSON-RPC, of ACP, and ours from -32050 on (protocol section 3, "Errors").
const (
	CodeParseError     Code = -32700
	CodeInvalidRequest Code = -32600
	CodeMethodNotFound Code = -32601
	CodeInvalidParams  Code = -32602
	CodeInternal       Code = -32603

	CodeAuthRequired Code = -32000
	CodeNotFound     Code = -32002
	CodeCancelled    Code = -32800

	CodeBudgetExceeded      Code = -32050
	CodeSessionBusy         Code = -32051
	CodeIdempotencyConflict Code = -32052
	CodeRateLimited         Code = -32053
	CodePayloadTooLarge     Code = -32054
	CodeCompactionFailed    Code = -32055
	CodeProviderError       Code = -32056
	CodeCursorExpired       Code = -32057
	CodeShuttingDown        Code = -32058
	CodeUnpricedModel       Code = -32059
	CodeSessionClosed       Code = -32060
	CodeInterrupted         Code = -32061
	CodeNothingToUndo       Code = -32062
	CodeTooManySessions     Code = -32063
)

// Error is a JSON-RPC error object.
type Error struct {
	Code    Code       `json:"code"`
	Message string     `json:"message"`
	Data    *ErrorData `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// ErrorData is what a program may decide on: Code is stable, the message is for people.
type ErrorData struct {
	Code         string `json:"code"`
	Retryable    bool   `json:"retryable"`
	RetryAfterMS int64  `json:"retryAfterMs,omitempty"`
	RequestID    string `json:"requestId,omitempty"`
	// Param names the parameter that is wrong, Class the provider's error class.
	Param string `json:"param,omitempty"`
	Class string `json:"class,omitempty"`
	// Usage is what a failed turn used, under the same key as in a prompt's answer.
	Usage *TurnUsage `json:"tidemark/usage,omitempty"`
}

// NewError makes an error with its stable name.
func NewError(code Code, name, message string) *Error {
	return &Error{Code: code, Message: message, Data: &ErrorData{Code: name}}
}

// Names of the errors that the codec itself reports.
const (
	NameParseError     = "parse_error"
	NameInvalidRequest = "invalid_request"
	NameMethodNotFound = "method_not_found"
	NameInvalidParams  = "invalid_params"
)

// InvalidParams says which parameter is wrong and why.
func InvalidParams(param, reason string) *Error {
	e := NewError(CodeInvalidParams, NameInvalidParams, param+": "+reason)
	e.Data.Param = param
	return e
}

// MethodNotFound refuses a method that nobody here serves.
func MethodNotFound(method string) *Error {
	return NewError(CodeMethodNotFound, NameMethodNotFound, fmt.Sprintf("method %q is not known", method))
}
