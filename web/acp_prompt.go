package web

import (
	"errors"
	"unicode/utf8"

	"tidemark/internal/acp"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// prompt runs a turn, or a command, and answers when it has ended. The turn itself belongs to the session: it goes on
// when this socket is gone.
func (c *wsConn) prompt(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.PromptRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	rec, err := c.session(k, in.SessionID, mayDrive)
	if err != nil {
		return nil, err
	}
	if cmd, ok := commandOf(in.Prompt); ok {
		return c.runCommand(k, rec, cmd)
	}
	p, err := readPrompt(in)
	if err != nil {
		return nil, err
	}
	a, err := c.ensureAttached(k.ctx, rec.ID)
	if err != nil {
		return nil, err
	}
	acc, err := c.accept(k, rec.ID, p)
	if err != nil {
		return nil, err
	}
	select {
	case <-acc.Done():
	case <-k.ctx.Done():
		return nil, k.ctx.Err()
	}
	c.turnEnded(k)
	a.await(k.ctx) // the end of the turn is shown before the answer
	return c.turnAnswer(k, acc.Result())
}

// accept hands the prompt to the session. A closed session is opened again by its owner's prompt.
func (c *wsConn) accept(k *call, id session.ID, p session.Prompt) (*session.Accepted, error) {
	acc, err := c.s.Sessions.Prompt(k.ctx, id, p)
	if errors.Is(err, session.ErrClosed) {
		if err := c.s.Sessions.Reopen(k.ctx, id); err != nil {
			return nil, err
		}
		acc, err = c.s.Sessions.Prompt(k.ctx, id, p)
	}
	c.mu.Lock()
	k.accepted = true
	late := k.cancelled // it came before the turn was there to be cancelled
	c.mu.Unlock()
	if late {
		c.cancelNow(id)
	}
	return acc, err
}

// turnEnded closes the slot: a cancel that comes now must not meet the next turn.
func (c *wsConn) turnEnded(k *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.turnEnded = true
}

// turnAnswer is the end of a turn in the protocol's words. Whoever withdrew the request with $/cancel_request is
// answered -32800 when the turn was cancelled.
func (c *wsConn) turnAnswer(k *call, r session.TurnResult) (any, error) {
	usage := usageOf(r.Usage)
	if r.Err != nil {
		_, f := describe(r.Err)
		f.usage = &usage
		return nil, f
	}
	c.mu.Lock()
	withdrawn := k.withdrawn
	c.mu.Unlock()
	if withdrawn && r.StopReason == string(acp.StopCancelled) {
		f := fail("cancelled", "the request was cancelled")
		f.usage = &usage
		return nil, f
	}
	return acp.PromptResponse{
		StopReason: acp.StopReason(r.StopReason), Meta: acp.Meta{}.With(acp.MetaUsage, usage),
	}, nil
}

func usageOf(u session.TurnUsage) acp.TurnUsage {
	out := acp.TurnUsage{
		Input: u.Input, CacheRead: u.CacheRead, CacheWrite5m: u.CacheWrite5m, CacheWrite1h: u.CacheWrite1h,
		Output: u.Output, Steps: u.Steps, CompactionCostUSD: u.CompactionCostUSD.String(),
	}
	if u.CostUSD != nil {
		cost := u.CostUSD.String()
		out.CostUSD = &cost
	}
	return out
}

// maxKey bounds an idempotency key in characters.
const maxKey = 128

// readPrompt reads blocks, idempotency key and script.
func readPrompt(in acp.PromptRequest) (p session.Prompt, err error) {
	if p.Blocks, err = promptBlocks(in.Prompt); err != nil {
		return p, err
	}
	if bad := in.Meta.Read(acp.MetaIdempotencyKey, &p.Key); bad != nil {
		return p, bad
	}
	if utf8.RuneCountInString(p.Key) > maxKey {
		return p, badParam(acp.MetaIdempotencyKey, "has at most 128 characters")
	}
	if !in.Meta.Has(acp.MetaSim) {
		return p, nil
	}
	var script struct {
		Steps []message.Blocks `json:"steps"`
	}
	if bad := in.Meta.Read(acp.MetaSim, &script); bad != nil {
		return p, bad
	}
	if p.Script = script.Steps; p.Script == nil {
		p.Script = []message.Blocks{}
	}
	return p, nil
}
