package web

import (
	"encoding/json"
	"time"

	"tidemark/internal/acp"
	"tidemark/internal/auth"
	"tidemark/internal/compaction"
	"tidemark/internal/session"
)

// listPage is how many sessions one page of session/list holds.
const listPage = 100

// sessionList lists the caller's sessions, all of them for who may read all.
func (c *wsConn) sessionList(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.ListSessionsRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	f := session.ListFilter{Owner: c.who.Owner, Limit: listPage}
	if c.who.Can(auth.CapText) {
		f.Owner = ""
	}
	if in.CWD != nil {
		f.CWD = *in.CWD
	}
	if in.Cursor != nil {
		f.Cursor = *in.Cursor
	}
	page, err := c.s.Reader.List(k.ctx, f)
	if err != nil {
		return nil, err
	}
	out := acp.ListSessionsResponse{Sessions: make([]acp.SessionInfo, 0, len(page.Items)), NextCursor: page.Next}
	for _, rec := range page.Items {
		out.Sessions = append(out.Sessions, acp.SessionInfo{
			SessionID: rec.ID, CWD: rec.CWD, Title: rec.Title, UpdatedAt: rec.UpdatedAt.UTC().Format(time.RFC3339),
		})
	}
	return out, nil
}

// sessionClose cancels the turn and ends every attachment; load, resume or a prompt opens the session again.
func (c *wsConn) sessionClose(k *call) (any, error) {
	id, err := c.operated(k)
	if err != nil {
		return nil, err
	}
	if err := c.s.closeSession(k.ctx, id, c); err != nil {
		return nil, err
	}
	return acp.Empty{}, nil
}

// sessionDelete removes a session for good.
func (c *wsConn) sessionDelete(k *call) (any, error) {
	id, err := c.operated(k)
	if err != nil {
		return nil, err
	}
	if err := c.s.deleteSession(k.ctx, id, c); err != nil {
		return nil, err
	}
	return acp.Empty{}, nil
}

// operated reads a request that names a session to stop, close, compact or undo.
func (c *wsConn) operated(k *call) (session.ID, error) {
	in, bad := acp.DecodeParams[acp.SessionRequest](k.params)
	if bad != nil {
		return "", bad
	}
	rec, err := c.session(k, in.SessionID, mayOperate)
	return rec.ID, err
}

// setMode refuses: no modes are advertised.
func (c *wsConn) setMode(k *call) (any, error) {
	if _, bad := acp.DecodeParams[acp.SetModeRequest](k.params); bad != nil {
		return nil, bad
	}
	return nil, badParam("modeId", "sessions have no modes; see configOptions")
}

// setConfigOption changes one of the two options between turns.
func (c *wsConn) setConfigOption(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.SetConfigOptionRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	rec, err := c.session(k, in.SessionID, mayDrive)
	if err != nil {
		return nil, err
	}
	var value string
	if json.Unmarshal(in.Value, &value) != nil || value == "" {
		return nil, badParam("value", "must be the id of one of the option's values")
	}
	o := session.Options{Model: rec.Model, CompactionMode: rec.Compaction.Mode}
	switch in.ConfigID {
	case acp.OptionModel:
		o.Model = value
	case acp.OptionCompactionMode:
		o.CompactionMode = compaction.Mode(value)
	default:
		return nil, badParam("configId", "must be model or compaction_mode")
	}
	if rec, err = c.s.Sessions.SetOptions(k.ctx, rec.ID, o); err != nil {
		return nil, err
	}
	return acp.SetConfigOptionResponse{ConfigOptions: c.options(rec)}, nil
}

// extContext answers with the posture record (spec 6.6).
func (c *wsConn) extContext(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.SessionRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	rec, err := c.session(k, in.SessionID, maySee)
	if err != nil {
		return nil, err
	}
	status, err := c.s.Sessions.Status(k.ctx, rec.ID)
	return status.Posture, err
}

// extCompact runs a manual compaction and answers with its record (spec 6.7).
func (c *wsConn) extCompact(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.CompactRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	id, err := c.operated(k)
	if err != nil {
		return nil, err
	}
	return c.compact(k, id, in.Focus)
}

// compact runs a manual compaction. Whoever withdraws the request cancels it; a socket that merely ends does not.
func (c *wsConn) compact(k *call, id session.ID, focus string) (compaction.Pass, error) {
	pass, err := c.s.Sessions.Compact(k.ctx, id, focus)
	c.mu.Lock()
	withdrawn := k.withdrawn
	c.mu.Unlock()
	if err != nil && withdrawn {
		c.cancelNow(id)
	}
	return pass, err
}

// extUndo takes back the newest compaction and answers with its record.
func (c *wsConn) extUndo(k *call) (any, error) {
	id, err := c.operated(k)
	if err != nil {
		return nil, err
	}
	return c.s.Sessions.Undo(k.ctx, id)
}
