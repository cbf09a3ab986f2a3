package web

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"

	"tidemark/internal/acp"
)

// call is a request of the client that waits for its answer.
type call struct {
	id     acp.RequestID
	method string
	params []byte
	ctx    context.Context
	cancel context.CancelFunc

	// Of a prompt, under wsConn.mu: the slot in which a cancel finds it, reserved before the turn starts, so that a
	// cancel in the very next frame counts (case D1 #14).
	sessionID string
	prompt    bool
	accepted  bool // the turn is the session's to cancel now
	cancelled bool // a cancel came before that
	withdrawn bool // $/cancel_request: the answer is -32800
	turnEnded bool
}

// method is how one request is served. Its reply is sent by the caller; a handler that must send something right after
// its reply sends it itself and returns replied.
type method struct {
	serve  func(c *wsConn, k *call) (any, error)
	open   bool // served while signed out too
	inline bool // served before the next frame is read
}

// replied says that the handler has sent the answer itself.
type replied struct{}

// beginCall registers a request, in the order of the frames.
func (c *wsConn) beginCall(env acp.Envelope, m method) (*call, error) {
	k := &call{id: env.ID, method: env.Method, params: env.Params}
	if env.Method == acp.MethodPrompt {
		k.reserve()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.signedOut && !m.open:
		return nil, fail("auth_required", "signed out: authenticate first")
	case c.calls[env.ID.String()] != nil:
		return nil, fail("invalid_request", "a request with this id is still open")
	case len(c.calls) >= c.s.cfg.Limits.RequestsInFlight:
		return nil, fail("rate_limited", fmt.Sprintf("at most %d requests may be open", c.s.cfg.Limits.RequestsInFlight))
	}
	k.ctx, k.cancel = context.WithCancel(c.ctx)
	c.calls[env.ID.String()] = k
	return k, nil
}

// reserve opens the slot of a prompt. A command is no turn: a cancel goes to the session at once.
func (k *call) reserve() {
	in, bad := acp.DecodeParams[acp.PromptRequest](k.params)
	if bad != nil {
		return
	}
	_, isCommand := commandOf(in.Prompt)
	k.prompt, k.sessionID = !isCommand, in.SessionID
}

// serve runs a request to its answer.
func (c *wsConn) serve(k *call, m method) {
	defer k.cancel()
	result, err := c.guarded(k, m)
	if _, done := result.(replied); done && err == nil {
		return
	}
	c.reply(k, result, err)
}

// guarded turns a panic into an answer: one bad request must not end everybody's server.
func (c *wsConn) guarded(k *call, m method) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.s.Log.Error("request panicked", keyConnID, c.id, "method", k.method, "panic", p, "stack", string(debug.Stack()))
			err = fail("internal", "something went wrong here; the server's log says more")
		}
	}()
	return m.serve(c, k)
}

// reply answers a request and forgets it.
func (c *wsConn) reply(k *call, result any, err error) {
	c.mu.Lock()
	withdrawn := k.withdrawn
	delete(c.calls, k.id.String())
	c.mu.Unlock()
	if withdrawn && k.ctx.Err() != nil {
		err = fail("cancelled", "the request was cancelled")
	}
	if err != nil {
		c.refuse(k.id, k.method, err)
		return
	}
	frame, encErr := acp.EncodeResult(k.id, result)
	if encErr != nil {
		c.refuse(k.id, k.method, encErr)
		return
	}
	c.s.metrics.rpc.WithLabelValues(k.method, "0").Inc()
	c.send(frame)
}

// refuse answers with an error. A notification that is wrong has no answer.
func (c *wsConn) refuse(id acp.RequestID, name string, err error) {
	rpc := c.rpcError(err)
	if name == "" {
		name = "unknown"
	}
	c.s.metrics.rpc.WithLabelValues(name, strconv.Itoa(int(rpc.Code))).Inc()
	if name != "unknown" && id.IsZero() {
		return
	}
	if frame, encErr := acp.EncodeError(id, rpc); encErr == nil {
		c.send(frame)
	}
}

// rpcError says an error in JSON-RPC's words.
func (c *wsConn) rpcError(err error) *acp.Error {
	p, f := describe(err)
	id := f.requestID
	if id == "" {
		id = newRequestID()
	}
	if p.Name == "internal" {
		c.s.Log.Error("request failed", keyRequestID, id, keyConnID, c.id, "error", err)
	}
	return &acp.Error{Code: p.RPC, Message: f.detail, Data: &acp.ErrorData{
		Code: p.Name, Retryable: p.Retryable, RetryAfterMS: f.retryAfter.Milliseconds(), RequestID: id, Param: f.param,
		Class: f.class, Usage: f.usage,
	}}
}
