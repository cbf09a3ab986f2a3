package web

import (
	"context"

	"tidemark/internal/auth"
	"tidemark/internal/session"
)

// may is one of the questions of auth.Principal about a session's owner.
type may func(auth.Principal, string) bool

// Questions, from the least to the most.
var (
	maySee     may = auth.Principal.MaySee     // figures
	mayRead    may = auth.Principal.MayRead    // text
	mayOperate may = auth.Principal.MayOperate // stop, close, compact, undo, delete
	mayDrive   may = auth.Principal.MayDrive   // prompt, configure
)

// record reads a session that the principal may do something with. A session of another owner and one that is not there
// are the same error, so that nobody can probe for ids (protocol section 3, "Auth"). Who may see it but not do this is
// told so.
func (s *Server) record(ctx context.Context, who auth.Principal, id session.ID, allowed may) (session.Record, error) {
	if id == "" {
		return session.Record{}, badParam("sessionId", "is required")
	}
	rec, err := s.Reader.Record(ctx, id)
	switch {
	case err != nil:
		return session.Record{}, err
	case rec.State == session.StateDeleted || !maySee(who, rec.Owner):
		return session.Record{}, session.ErrNotFound
	case !allowed(who, rec.Owner):
		return session.Record{}, fail("forbidden", "the role "+string(who.Role)+" may not do this with a session of another owner")
	}
	return rec, nil
}

// session reads a session for a request of this socket.
func (c *wsConn) session(k *call, id session.ID, allowed may) (session.Record, error) {
	return c.s.record(k.ctx, c.who, id, allowed)
}
