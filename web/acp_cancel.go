package web

import (
	"context"

	"tidemark/internal/acp"
	"tidemark/internal/session"
)

// cancelTurn handles session/cancel. It meets the prompt of this socket that is not a turn yet in its slot; every other
// turn of the session is the session's to cancel. A hurried one is dropped while another is on its way.
func (c *wsConn) cancelTurn(id session.ID, hurried bool) {
	if c.cancelSlots(func(k *call) bool { return k.sessionID == id }) {
		return
	}
	if hurried && c.cancels.Load() > 0 {
		return
	}
	c.cancels.Add(1)
	c.wg.Go(func() {
		defer c.cancels.Add(-1)
		rec, err := c.s.record(c.ctx, c.who, id, mayOperate)
		if err == nil {
			c.cancelNow(rec.ID)
		}
	})
}

// cancelSlots marks the prompts that are not accepted yet; it reports whether that is all there is to cancel here.
func (c *wsConn) cancelSlots(which func(*call) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, running := false, false
	for _, k := range c.calls {
		switch {
		case !k.prompt || !which(k) || k.turnEnded:
		case k.accepted:
			running = true
		default:
			k.cancelled, waiting = true, true
		}
	}
	return waiting && !running
}

// cancelNow cancels what runs in a session. The socket may be ending meanwhile; the wish stands.
func (c *wsConn) cancelNow(id session.ID) {
	if err := c.s.Sessions.Cancel(context.WithoutCancel(c.ctx), id); err != nil {
		c.s.Log.Debug("cancel", keySessionID, id, "error", err)
	}
}

// cancelCall handles $/cancel_request: a prompt acts like session/cancel, everything else is given up. Either way the
// request is still answered.
func (c *wsConn) cancelCall(id acp.RequestID) {
	c.mu.Lock()
	k := c.calls[id.String()]
	if k != nil {
		k.withdrawn = true
	}
	c.mu.Unlock()
	switch {
	case k == nil:
	case k.prompt:
		if !c.cancelSlots(func(other *call) bool { return other == k }) {
			c.wg.Go(func() { c.cancelAccepted(k) })
		}
	default:
		k.cancel()
	}
}

// cancelAccepted cancels the turn of a prompt, unless that has ended meanwhile.
func (c *wsConn) cancelAccepted(k *call) {
	c.mu.Lock()
	running := k.accepted && !k.turnEnded
	c.mu.Unlock()
	if running {
		c.cancelNow(k.sessionID)
	}
}
