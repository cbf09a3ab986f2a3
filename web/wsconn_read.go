package web

import (
	"fmt"
	"io"
	"time"

	"github.com/coder/websocket"

	"tidemark/internal/acp"
)

// read takes frames until the socket ends. It never waits for anything but the next frame: a pong, a cancel or an
// answer of the client must always get through.
func (c *wsConn) read() {
	for {
		frame, ok := c.readMessage()
		if !ok {
			return
		}
		if frame != nil {
			c.receive(frame)
		}
	}
}

// readMessage returns the next text frame, nil for one to be passed over: binary, too large, or late because the socket
// is ending and only its close handshake is awaited.
func (c *wsConn) readMessage() (frame []byte, ok bool) {
	typ, r, err := c.ws.Reader(c.ctx)
	if err != nil {
		return nil, false
	}
	limit := c.s.cfg.Limits.MessageBytes
	frame, err = io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, false
	}
	if int64(len(frame)) > limit {
		c.shut(websocket.StatusMessageTooBig, fmt.Sprintf("a message has at most %d bytes", limit))
		if _, err := io.Copy(io.Discard, r); err != nil {
			return nil, false
		}
	}
	if typ != websocket.MessageText || c.out.isClosed() {
		return nil, true
	}
	return frame, true
}

// receive handles one frame (spec section 9: whatever it holds, the socket stays up).
func (c *wsConn) receive(frame []byte) {
	env, problem := acp.Decode(frame)
	switch {
	case problem != nil:
		c.malformed(env, problem)
	case env.Kind() == acp.KindResponse:
		c.answered(env)
	case !c.isInitialized() && env.Method != acp.MethodInitialize:
		c.refuse(env.ID, env.Method, fail("invalid_request", "the first message must be initialize"))
		c.shut(closeProtocol, "the first message must be initialize")
	case env.Kind() == acp.KindNotification:
		c.notified(env)
	default:
		c.requested(env)
	}
}

// malformed answers what is no message. A peer that goes on sending such is cut off.
func (c *wsConn) malformed(env acp.Envelope, problem *acp.Error) {
	c.refuse(env.ID, "", problem)
	switch {
	case !c.isInitialized():
		c.shut(closeProtocol, "the first message must be initialize")
	case !c.limiter.AllowN(c.s.cfg.Now(), 1):
		c.shut(closePolicy, "too many malformed messages")
	}
}

// requested starts a request. Each id is answered exactly once.
func (c *wsConn) requested(env acp.Envelope) {
	if now := c.s.cfg.Now(); !c.limiter.AllowN(now, 1) {
		wait := time.Duration(float64(time.Second) / c.s.cfg.Limits.RequestsPerSecond)
		c.refuse(env.ID, env.Method, &failure{name: "rate_limited", detail: "too many messages", retryAfter: wait})
		return
	}
	m, ok := methods[env.Method]
	if !ok {
		c.refuse(env.ID, "", acp.MethodNotFound(env.Method))
		return
	}
	k, err := c.beginCall(env, m)
	if err != nil {
		c.refuse(env.ID, env.Method, err)
		return
	}
	if m.inline {
		c.serve(k, m)
		return
	}
	c.wg.Go(func() { c.serve(k, m) })
}

// notified handles a notification. Unknown ones are dropped: JSON-RPC has no answer for them. A cancel is counted but
// never refused; a flood of them is cut down to one at a time.
func (c *wsConn) notified(env acp.Envelope) {
	hurried := !c.limiter.AllowN(c.s.cfg.Now(), 1)
	switch env.Method {
	case acp.MethodCancel:
		if p, err := acp.DecodeParams[acp.SessionRequest](env.Params); err == nil {
			c.cancelTurn(p.SessionID, hurried)
		}
	case acp.MethodCancelRequest:
		if p, err := acp.DecodeParams[acp.CancelRequestNotification](env.Params); err == nil {
			c.cancelCall(p.RequestID)
		}
	}
}
