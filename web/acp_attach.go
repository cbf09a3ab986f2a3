package web

import (
	"context"
	"fmt"
	"sync"

	"tidemark/internal/acp"
	"tidemark/internal/event"
	"tidemark/internal/session"
)

// attachment is one session that a socket is attached to: it hears the session's rows and answers its questions.
type attachment struct {
	c      *wsConn
	id     session.ID
	tools  map[string]bool // that this client runs
	detach func()

	mu    sync.Mutex
	sent  event.StreamSeq // rows up to here are queued for the client
	moved chan struct{}   // closed and replaced when sent has moved or the pump has changed
	stop  context.CancelFunc
	done  chan struct{} // the pump has ended; nil before it began
	gone  bool
}

// attach joins a session, in the place of an earlier attachment of this socket to it. The pump starts with follow. Call
// it with c.attaching held.
func (c *wsConn) attach(ctx context.Context, id session.ID, tools []acp.ToolSpec) (*attachment, error) {
	c.detachFrom(id)
	c.mu.Lock()
	full := len(c.attached) >= c.s.cfg.Limits.SessionsPerSocket
	c.mu.Unlock()
	if full {
		return nil, fail("too_many_sessions", fmt.Sprintf("one connection holds at most %d sessions", c.s.cfg.Limits.SessionsPerSocket))
	}
	a := &attachment{c: c, id: id, tools: make(map[string]bool), moved: make(chan struct{})}
	for _, t := range tools {
		a.tools[t.Name] = true
	}
	detach, err := c.s.Sessions.Attach(ctx, id, a)
	if err != nil {
		return nil, err
	}
	a.detach = detach
	c.mu.Lock()
	c.attached[id] = a
	c.mu.Unlock()
	return a, nil
}

// attachedTo returns the attachment to a session, nil when there is none.
func (c *wsConn) attachedTo(id session.ID) *attachment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attached[id]
}

// ensureAttached attaches a socket that prompts without having loaded: it hears what happens from now on.
func (c *wsConn) ensureAttached(ctx context.Context, id session.ID) (*attachment, error) {
	c.attaching.Lock()
	defer c.attaching.Unlock()
	if a := c.attachedTo(id); a != nil {
		return a, nil
	}
	state, err := c.s.Reader.StreamState(ctx, id)
	if err != nil {
		return nil, err
	}
	a, err := c.attach(ctx, id, nil)
	if err != nil {
		return nil, err
	}
	a.follow(state.Head)
	return a, nil
}

// detachFrom leaves a session: no row of it is sent any more when this returns.
func (c *wsConn) detachFrom(id session.ID) {
	c.mu.Lock()
	a := c.attached[id]
	delete(c.attached, id)
	c.mu.Unlock()
	if a != nil {
		a.end()
	}
}

func (c *wsConn) detachAll() {
	c.mu.Lock()
	all := make([]*attachment, 0, len(c.attached))
	for _, a := range c.attached {
		all = append(all, a)
	}
	clear(c.attached)
	c.mu.Unlock()
	for _, a := range all {
		a.end()
	}
}

func (a *attachment) end() {
	a.mu.Lock()
	stop, done := a.stop, a.done
	a.gone = true
	a.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
	a.advance(0)
	a.detach()
}

// follow starts the pump: it sends the rows after n, then what happens.
func (a *attachment) follow(n event.StreamSeq) {
	ctx, stop := context.WithCancel(a.c.ctx)
	a.mu.Lock()
	a.sent, a.stop, a.done = n, stop, make(chan struct{})
	a.wake() // whoever came to wait before the pump began
	a.mu.Unlock()
	a.c.wg.Go(func() {
		defer close(a.done)
		defer stop()
		a.pump(ctx)
		a.advance(0) // whoever waits sees that the pump is gone
	})
}

// advance notes that rows up to n are queued, and wakes who waits.
func (a *attachment) advance(n event.StreamSeq) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = max(a.sent, n)
	a.wake()
}

// wake needs the lock.
func (a *attachment) wake() {
	close(a.moved)
	a.moved = make(chan struct{})
}

// await waits until all rows committed by now are queued for the client, so that an answer or a question never overtakes
// them.
func (a *attachment) await(ctx context.Context) {
	state, err := a.c.s.Reader.StreamState(ctx, a.id)
	if err != nil {
		return // the session is gone; so are its rows
	}
	a.awaitSeq(ctx, state.Head)
}

// awaitSeq waits until rows up to n are queued. It gives up when the attachment ends.
func (a *attachment) awaitSeq(ctx context.Context, n event.StreamSeq) {
	for {
		a.mu.Lock()
		sent, moved, done, gone := a.sent, a.moved, a.done, a.gone
		a.mu.Unlock()
		if gone || (done != nil && sent >= n) {
			return
		}
		select {
		case <-moved:
		case <-done: // nil, and never ready, before the pump began
			return
		case <-ctx.Done():
			return
		}
	}
}
