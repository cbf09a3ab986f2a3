package web

import (
	"context"
	"fmt"

	"tidemark/internal/acp"
	"tidemark/internal/session"
)

// sessionLoad attaches to a session and shows its history first (protocol section 3, "Resume"). The history is what the
// transcript and the compactions hold up to one moment; the answer names that moment's row, and the rows after it
// follow.
func (c *wsConn) sessionLoad(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.LoadSessionRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	rec, tools, err := c.reopen(k, in.SessionID, in.CWD, in.MCPServers, in.Meta)
	if err != nil {
		return nil, err
	}
	c.attaching.Lock()
	defer c.attaching.Unlock()
	// The running turn is the session's, not the socket's: attaching again does not touch it (case D1 #13).
	a, err := c.attach(k.ctx, rec.ID, tools)
	if err != nil {
		return nil, err
	}
	m, err := c.s.moment(k.ctx, rec.ID)
	if err == nil {
		err = c.sendHistory(k.ctx, m)
	}
	if err != nil {
		c.detachFrom(rec.ID)
		return nil, err
	}
	c.reply(k, acp.LoadSessionResponse{ConfigOptions: c.options(m.rec), Meta: acp.Meta{}.With(acp.MetaResume, acp.Resume{
		ResumedFrom: int64(m.rec.StreamHead), Head: int64(m.rec.StreamHead), Epoch: string(m.rec.Epoch), Recovered: true,
		Turn: resumeTurn(m.turn),
	})}, nil)
	a.follow(m.rec.StreamHead)
	return replied{}, nil
}

// moment is a session at one place of its stream: the record and what of the running turn no transcript row holds yet.
type moment struct {
	rec                      session.Record
	turn                     *session.Turn
	messageID, text, thought string
}

// momentTries bounds the wait for a quiet instant between two batches of text.
const momentTries = 50

// moment reads the parts until the stream did not move in between, so that what is shown as history and what follows as
// rows neither overlap nor leave a gap (case D1 #17).
func (s *Server) moment(ctx context.Context, id session.ID) (m moment, err error) {
	for range momentTries {
		before, err := s.Reader.StreamState(ctx, id)
		if err != nil {
			return m, err
		}
		if m, err = s.readMoment(ctx, id); err != nil {
			return m, err
		}
		after, err := s.Reader.StreamState(ctx, id)
		if err != nil {
			return m, err
		}
		if before.Head == after.Head && m.rec.StreamHead == after.Head {
			m.rec.Epoch = after.Epoch
			return m, nil
		}
	}
	return m, fail("session_busy", fmt.Sprintf("the session moved on during %d tries to read it", momentTries))
}

func (s *Server) readMoment(ctx context.Context, id session.ID) (m moment, err error) {
	if m.rec, err = s.Reader.Record(ctx, id); err != nil {
		return m, err
	}
	if m.turn, err = s.Reader.RunningTurn(ctx, id); err != nil || m.turn == nil {
		return m, err
	}
	m.messageID, m.text, m.thought, err = s.Sessions.Partial(ctx, id)
	return m, err
}
