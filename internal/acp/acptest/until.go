package acptest

import "tidemark/internal/acp"

// AwaitFrames waits until n messages have arrived, or until stop closes; it reports whether they have.
func (c *Client) AwaitFrames(n int, stop <-chan struct{}) bool {
	for {
		c.mu.Lock()
		have, changed := len(c.frames), c.changed
		c.mu.Unlock()
		if have >= n {
			return true
		}
		select {
		case <-changed:
		case <-stop:
			return false
		}
	}
}

// Head is the newest row that has arrived, 0 for none.
func (c *Client) Head() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.head
}

// AwaitThat waits until the messages that have arrived satisfy holds, or the socket has ended.
func (c *Client) AwaitThat(what string, holds func(frames []acp.Envelope) bool) {
	c.tb.Helper()
	c.wait(what, func() bool { return c.ended != nil || holds(c.frames) })
}
