package store

import (
	"context"

	"tidemark/internal/session"
)

// Configure implements session.Store. Empty fields leave what is there; model and compaction change between turns only.
func (s *Sessions) Configure(ctx context.Context, c session.Configure) (session.Commit, error) {
	return s.do(ctx, "configure session "+c.SessionID, c.SessionID, c.Out, func(u *unit) error {
		if err := u.configure(c); err != nil {
			return err
		}
		u.head.setPosture(c.Posture)
		return nil
	})
}

func (u *unit) configure(c session.Configure) error {
	h := &u.head
	if c.Title != "" {
		h.Title = c.Title
	}
	changes := c.Model != "" && c.Model != h.Model
	if changes {
		h.Model = c.Model
	}
	if c.Model != "" || c.Window > 0 {
		h.WindowTokens = c.Window
	}
	reconfigured, err := u.setCompaction(c)
	if (changes || reconfigured) && h.State == string(session.StateRunning) {
		return session.ErrBusy
	}
	return err
}

// setCompaction stores the knobs when they are given and differ. A configuration without a mode is not one.
func (u *unit) setCompaction(c session.Configure) (bool, error) {
	if c.Compaction.Mode == "" {
		return false, nil
	}
	knobs, err := toJSON(c.Compaction)
	if err != nil {
		return false, err
	}
	res := u.tx.Exec("UPDATE sessions SET compaction = ? WHERE id = ? AND compaction <> ?", knobs, u.head.ID, knobs)
	return res.RowsAffected > 0, res.Error
}
