package web

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tidemark/internal/acp"
	"tidemark/internal/event"
	"tidemark/internal/session"
)

// sessionResume attaches to a session: from a row on when the client names the last it has, else live. The rows that it
// missed come before the answer, which tells how things stand after them (cases D1 #12, #16).
func (c *wsConn) sessionResume(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.ResumeSessionRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	rec, tools, err := c.reopen(k, in.SessionID, in.CWD, in.MCPServers, in.Meta)
	if err != nil {
		return nil, err
	}
	c.attaching.Lock()
	defer c.attaching.Unlock()
	state, err := c.s.Reader.StreamState(k.ctx, rec.ID)
	if err != nil {
		return nil, err
	}
	after, recovered, err := resumeFrom(in.Meta, state)
	if err != nil {
		return nil, err
	}
	if !recovered { // no partial replay: the client loads
		return c.resumeAnswer(k, rec, acp.Resume{ResumedFrom: int64(after), Head: int64(state.Head), Epoch: string(state.Epoch)})
	}
	a, err := c.attach(k.ctx, rec.ID, tools)
	if err != nil {
		return nil, err
	}
	c.send(replayedFrame(rec.ID, commandsUpdate(), c.capabilities()))
	a.follow(after)
	a.awaitSeq(k.ctx, state.Head)
	return c.resumeAnswer(k, rec, acp.Resume{
		ResumedFrom: int64(after), Head: int64(state.Head), Epoch: string(state.Epoch), Recovered: true,
	})
}

// resumeFrom reads after which row the client goes on. It is not recovered when the log is another one, no longer
// reaches back that far, or never reached that far.
func resumeFrom(meta acp.Meta, state session.StreamState) (after event.StreamSeq, recovered bool, err error) {
	if !meta.Has(acp.MetaAfter) {
		return state.Head, true, nil
	}
	if bad := meta.Read(acp.MetaAfter, &after); bad != nil {
		return 0, false, bad
	}
	if after < 0 {
		return 0, false, badParam(acp.MetaAfter, "must not be negative")
	}
	var epoch event.Epoch
	if bad := meta.Read(acp.MetaEpoch, &epoch); bad != nil {
		return 0, false, bad
	}
	sameLog := epoch == "" || epoch == state.Epoch
	return after, sameLog && after <= state.Head && after+1 >= state.Oldest, nil
}

func (c *wsConn) resumeAnswer(k *call, rec session.Record, r acp.Resume) (any, error) {
	turn, err := c.s.Reader.RunningTurn(k.ctx, rec.ID)
	if err != nil {
		return nil, err
	}
	r.Turn = resumeTurn(turn)
	return acp.ResumeSessionResponse{ConfigOptions: c.options(rec), Meta: acp.Meta{}.With(acp.MetaResume, r)}, nil
}

func resumeTurn(t *session.Turn) *acp.ResumeTurn {
	if t == nil {
		return nil
	}
	return &acp.ResumeTurn{ID: t.ID, State: string(t.State)}
}

// reopen checks what load and resume share, and makes a closed session usable again for its owner.
func (c *wsConn) reopen(k *call, id, cwd string, servers []json.RawMessage, meta acp.Meta) (session.Record, []acp.ToolSpec, error) {
	rec, err := c.session(k, id, mayRead)
	if err != nil {
		return rec, nil, err
	}
	if err := checkPlace(cwd, servers); err != nil {
		return rec, nil, err
	}
	tools, err := knownTools(meta, rec)
	if err != nil {
		return rec, nil, err
	}
	if rec.State == session.StateClosed && c.who.MayDrive(rec.Owner) {
		if err := c.s.Sessions.Reopen(k.ctx, id); err != nil {
			return rec, nil, err
		}
	}
	return rec, tools, nil
}

// knownTools accepts only tools the session was made with, so that the stable prefix stays as it is (spec 4.10).
func knownTools(meta acp.Meta, rec session.Record) ([]acp.ToolSpec, error) {
	tools, err := readTools(meta)
	if err != nil {
		return nil, err
	}
	for _, t := range tools {
		if !madeWith(rec, t) {
			return nil, badParam(acp.MetaTools, fmt.Sprintf("%s is not a tool this session was made with, or differs from it", t.Name))
		}
	}
	return tools, nil
}

func madeWith(rec session.Record, t acp.ToolSpec) bool {
	for _, have := range rec.Tools {
		if have.Name == t.Name {
			return have.Description == t.Description && sameJSON(have.InputSchema, t.InputSchema)
		}
	}
	return false
}

// sameJSON compares two documents by what they say, not by how they are written.
func sameJSON(a, b json.RawMessage) bool {
	x, errX := canonicalJSON(a)
	y, errY := canonicalJSON(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func canonicalJSON(raw json.RawMessage) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}
