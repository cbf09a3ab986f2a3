package web

import (
	"context"

	"tidemark/internal/session"
)

// closeSession closes a session for everybody: its sockets leave it.
func (s *Server) closeSession(ctx context.Context, id session.ID, asker *wsConn) error {
	if err := s.Sessions.Close(ctx, id); err != nil {
		return err
	}
	s.leaveAll(ctx, id, asker, func(*wsConn) {})
	return nil
}

// deleteSession deletes a session. A socket that was attached to nothing else is closed: there is nothing it could come
// back for. The one that asked stays.
func (s *Server) deleteSession(ctx context.Context, id session.ID, asker *wsConn) error {
	if err := s.Sessions.Delete(ctx, id); err != nil {
		return err
	}
	s.leaveAll(ctx, id, asker, func(c *wsConn) {
		if c.attachedCount() == 0 {
			c.shut(closeDeleted, "the session was deleted")
		}
	})
	return nil
}

// leaveAll ends all attachments to a session: that of the asker at once, the others without making it wait for a slow
// client.
func (s *Server) leaveAll(ctx context.Context, id session.ID, asker *wsConn, left func(*wsConn)) {
	for _, c := range s.sockets.all() {
		switch {
		case c == asker:
			c.leave(ctx, id)
		case c.attachedTo(id) != nil && s.begin():
			go func() { // counted by begin
				defer s.wg.Done()
				if c.leave(c.ctx, id) {
					left(c)
				}
			}()
		}
	}
}

// leave ends a socket's attachment to a session, after what was committed has been sent; false when there was none.
func (c *wsConn) leave(ctx context.Context, id session.ID) bool {
	a := c.attachedTo(id)
	if a == nil {
		return false
	}
	a.await(ctx)
	c.detachFrom(id)
	return true
}

func (c *wsConn) attachedCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.attached)
}
