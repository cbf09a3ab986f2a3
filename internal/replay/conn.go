package replay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/coder/websocket"

	"tidemark/internal/acp"
)

// maxFrame bounds what the server may send in one frame.
const maxFrame = 64 << 20

// errDropped means that the socket ended before the answer came.
var errDropped = errors.New("the connection was lost")

// conn is one socket: requests out, answers, requests and notifications in. close waits for its goroutines.
type conn struct {
	ws     *websocket.Conn
	serve  func(acp.Envelope) (result any, err *acp.Error) // requests of the server; called on goroutines of the conn
	notice func(acp.Envelope)                              // notifications, in order
	drop   func(frame int) bool

	ctx    context.Context // ends with the read loop
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
	nextID atomic.Int64

	mu      sync.Mutex
	pending map[string]chan acp.Envelope
}

// newConn starts reading. The context's end closes the socket.
func newConn(ctx context.Context, ws *websocket.Conn, notice func(acp.Envelope), serve func(acp.Envelope) (any, *acp.Error), drop func(int) bool) *conn {
	c := &conn{ws: ws, serve: serve, notice: notice, drop: drop, pending: make(map[string]chan acp.Envelope)}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		c.cancel(c.read())
		ws.CloseNow()
	}()
	return c
}

// read takes frames until the socket ends.
func (c *conn) read() error {
	for n := 0; ; n++ {
		if c.drop != nil && c.drop(n) {
			return errDropped
		}
		kind, frame, err := c.ws.Read(c.ctx)
		if err != nil {
			return fmt.Errorf("%w: %v", errDropped, err) //nolint:errorlint // the cause is for people
		}
		if kind != websocket.MessageText {
			continue
		}
		env, bad := acp.Decode(frame)
		if bad != nil {
			return fmt.Errorf("the server sent a frame that is not valid: %s", bad.Message)
		}
		c.take(env)
	}
}

func (c *conn) take(env acp.Envelope) {
	switch env.Kind() {
	case acp.KindNotification:
		c.notice(env)
	case acp.KindRequest:
		c.wg.Add(1)
		go func() {
			defer c.wg.Done()
			c.answer(env)
		}()
	case acp.KindResponse:
		c.mu.Lock()
		waiting := c.pending[env.ID.String()]
		delete(c.pending, env.ID.String())
		c.mu.Unlock()
		if waiting != nil {
			waiting <- env
		}
	}
}

// answer serves a request of the server. A failed write shows as the end of the socket.
func (c *conn) answer(req acp.Envelope) {
	result, bad := c.serve(req)
	frame, err := acp.EncodeResult(req.ID, result)
	if bad != nil {
		frame, err = acp.EncodeError(req.ID, bad)
	}
	if err == nil {
		err = c.ws.Write(c.ctx, websocket.MessageText, frame)
	}
	if err != nil {
		c.cancel(fmt.Errorf("%w: %v", errDropped, err)) //nolint:errorlint // the cause is for people
	}
}

// request sends a request and waits for its answer. The error is an *acp.Error when the server refused, and wraps
// errDropped when the socket ended first.
func (c *conn) request(ctx context.Context, method string, params any) (acp.Envelope, error) {
	id := acp.IntID(c.nextID.Add(1))
	frame, err := acp.EncodeRequest(id, method, params)
	if err != nil {
		return acp.Envelope{}, err
	}
	answer := make(chan acp.Envelope, 1)
	c.mu.Lock()
	c.pending[id.String()] = answer
	c.mu.Unlock()
	if err := c.ws.Write(c.ctx, websocket.MessageText, frame); err != nil {
		return acp.Envelope{}, fmt.Errorf("%w: %v", errDropped, err) //nolint:errorlint // the cause is for people
	}
	select {
	case env := <-answer:
		if env.Error != nil {
			return env, env.Error
		}
		return env, nil
	case <-c.ctx.Done():
		return acp.Envelope{}, context.Cause(c.ctx)
	case <-ctx.Done():
		return acp.Envelope{}, ctx.Err()
	}
}

// close ends the socket and waits for its goroutines.
func (c *conn) close() {
	c.cancel(errDropped)
	c.wg.Wait()
}
