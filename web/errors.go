package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"tidemark/internal/acp"
	"tidemark/internal/auth"
	"tidemark/internal/compaction"
	"tidemark/internal/session"
)

// problem is one row of the error table: what an error is called and how each surface says it.
type problem struct {
	Name      string // stable code, the same on every surface
	Status    int
	RPC       acp.Code
	Retryable bool
	Title     string
}

// problems is the one error table (protocol section 3, "Errors"; section 5).
var problems = []problem{
	{"parse_error", http.StatusBadRequest, acp.CodeParseError, false, "Not JSON"},
	{"invalid_request", http.StatusBadRequest, acp.CodeInvalidRequest, false, "Invalid request"},
	{"invalid_params", http.StatusBadRequest, acp.CodeInvalidParams, false, "Invalid parameter"},
	{"credential_in_url", http.StatusBadRequest, acp.CodeInvalidRequest, false, "Credential in the URL"},
	{"method_not_found", http.StatusMethodNotAllowed, acp.CodeMethodNotFound, false, "Method not known"},
	{"auth_required", http.StatusUnauthorized, acp.CodeAuthRequired, false, "Authentication required"},
	{"forbidden", http.StatusForbidden, acp.CodeAuthRequired, false, "Not allowed"},
	{"not_found", http.StatusNotFound, acp.CodeNotFound, false, "Not found"},
	{"not_acceptable", http.StatusNotAcceptable, acp.CodeInvalidRequest, false, "Format not offered"},
	{"upgrade_required", http.StatusUpgradeRequired, acp.CodeInvalidRequest, false, "WebSocket upgrade required"},
	{"budget_exceeded", http.StatusPaymentRequired, acp.CodeBudgetExceeded, false, "Budget exceeded"},
	{"session_busy", http.StatusConflict, acp.CodeSessionBusy, true, "Session busy"},
	{"idempotency_conflict", http.StatusConflict, acp.CodeIdempotencyConflict, false, "Idempotency key reused"},
	{"rate_limited", http.StatusTooManyRequests, acp.CodeRateLimited, true, "Too many requests"},
	{"payload_too_large", http.StatusRequestEntityTooLarge, acp.CodePayloadTooLarge, false, "Too large"},
	{"compaction_failed", http.StatusBadGateway, acp.CodeCompactionFailed, true, "Compaction failed"},
	{"provider_error", http.StatusBadGateway, acp.CodeProviderError, true, "Provider failed"},
	{"cursor_expired", http.StatusGone, acp.CodeCursorExpired, false, "Cursor expired"},
	{"shutting_down", http.StatusServiceUnavailable, acp.CodeShuttingDown, true, "Shutting down"},
	{"capacity", http.StatusServiceUnavailable, acp.CodeRateLimited, true, "No capacity"},
	{"storage_unavailable", http.StatusServiceUnavailable, acp.CodeInternal, true, "Storage unavailable"},
	{"unpriced_model", http.StatusUnprocessableEntity, acp.CodeUnpricedModel, false, "Model has no price"},
	{"session_closed", http.StatusConflict, acp.CodeSessionClosed, false, "Session closed"},
	{"interrupted", http.StatusServiceUnavailable, acp.CodeInterrupted, false, "Interrupted by a restart"},
	{"nothing_to_undo", http.StatusConflict, acp.CodeNothingToUndo, false, "Nothing to undo"},
	{"too_many_sessions", http.StatusTooManyRequests, acp.CodeTooManySessions, false, "Too many sessions"},
	{"cancelled", statusClientClosed, acp.CodeCancelled, false, "Cancelled"},
	{"internal", http.StatusInternalServerError, acp.CodeInternal, false, "Internal error"},
}

// statusClientClosed is the customary status for a client that gave up; nobody reads it.
const statusClientClosed = 499

// sentinels names the errors of the packages below.
var sentinels = []struct {
	err  error
	name string
}{
	{session.ErrNotFound, "not_found"},
	{session.ErrBusy, "session_busy"},
	{session.ErrClosed, "session_closed"},
	{session.ErrConflict, "idempotency_conflict"},
	{session.ErrStale, "session_busy"},
	{session.ErrNothingToUndo, "nothing_to_undo"},
	{session.ErrShuttingDown, "shutting_down"},
	{session.ErrTooMany, "too_many_sessions"},
	{session.ErrCompaction, "compaction_failed"},
	{session.ErrStorage, "storage_unavailable"},
	{auth.ErrUnauthenticated, "auth_required"},
	{auth.ErrNotFound, "not_found"},
	{auth.ErrTooManyTickets, "rate_limited"},
	{context.Canceled, "cancelled"},
}

// Close codes (protocol section 3). 4000 to 4499 say: reconnect with jitter, then resume; 4500 and up: do not come back.
const (
	closeGoingAway   = websocket.StatusGoingAway       // 1001
	closePolicy      = websocket.StatusPolicyViolation // 1008
	closeBug         = websocket.StatusInternalError   // 1011
	closeRestart     = websocket.StatusServiceRestart  // 1012
	closeOverload    = websocket.StatusTryAgainLater   // 1013
	closeSlow        = websocket.StatusCode(4001)
	closeNoPong      = websocket.StatusCode(4002)
	closeExpired     = websocket.StatusCode(4003)
	closeMaxAge      = websocket.StatusCode(4004)
	closeDeleted     = websocket.StatusCode(4501)
	closeForbidden   = websocket.StatusCode(4502)
	closeProtocol    = websocket.StatusCode(4503)
	closeTooManyConn = websocket.StatusCode(4504)
)

// failure is an error of this package's own: a row of the table with words for this case.
type failure struct {
	name       string
	detail     string
	param      string
	class      string
	retryable  *bool // overrides the table
	retryAfter time.Duration
	requestID  string         // the provider's
	usage      *acp.TurnUsage // of a turn that failed
}

func (f *failure) Error() string { return f.name + ": " + f.detail }

// fail makes an error of the table.
func fail(name, detail string) *failure { return &failure{name: name, detail: detail} }

// badParam makes an invalid_params error.
func badParam(param, reason string) *failure {
	return &failure{name: "invalid_params", detail: param + ": " + reason, param: param}
}

func lookupProblem(name string) problem {
	for _, p := range problems {
		if p.Name == name {
			return p
		}
	}
	return problems[len(problems)-1]
}

// describe finds an error's row and words. What the table does not know is internal and says nothing more: the words of
// an unknown error may hold anything.
func describe(err error) (problem, *failure) {
	f := describeTyped(err)
	if f == nil {
		f = fail("internal", "something went wrong here; the server's log says more")
		for _, s := range sentinels {
			if errors.Is(err, s.err) {
				f = fail(s.name, s.err.Error())
				break
			}
		}
	}
	p := lookupProblem(f.name)
	if f.retryable != nil {
		p.Retryable = *f.retryable
	}
	return p, f
}

func describeTyped(err error) *failure {
	var own *failure
	var param *session.ParamError
	var authParam *auth.ParamError
	var knob *compaction.KnobError
	var turn *session.TurnError
	var rpc *acp.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &param):
		return badParam(param.Param, param.Reason)
	case errors.As(err, &authParam):
		return &failure{name: "invalid_params", detail: authParam.Error(), param: authParam.Param}
	case errors.As(err, &knob):
		return &failure{name: "invalid_params", detail: knob.Error(), param: knob.Key}
	case errors.As(err, &turn):
		return &failure{
			name: turn.Code, detail: turn.Message, class: turn.Class, retryable: &turn.Retryable,
			retryAfter: turn.RetryAfter, requestID: turn.RequestID,
		}
	case errors.As(err, &rpc) && rpc.Data != nil:
		return &failure{name: rpc.Data.Code, detail: rpc.Message, param: rpc.Data.Param}
	}
	return nil
}
