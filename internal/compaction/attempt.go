package compaction

import (
	"context"
	"strings"
	"time"

	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/provider"
)

// caller makes the calls of one job: up to three attempts, each of them an entry for the ledger (spec 7.2).
type caller struct {
	s        *Summarizer
	p        *Prepared
	deadline func() (time.Time, bool)
	onText   func(string)
	calls    []Call
	reply    reply
}

func (c *caller) run(ctx context.Context) *provider.Error {
	policy := c.s.retry
	policy.Deadline = c.deadline
	return provider.Retry(ctx, policy, c.attempt)
}

// attempt is one call. Once text was passed on it counts as accepted and is not repeated.
func (c *caller) attempt(ctx context.Context, n int) (bool, *provider.Error) {
	if err := c.s.cooldowns.wait(ctx, c.p.Job.Model, c.deadline); err != nil {
		return false, err
	}
	call := Call{Model: c.p.Job.Model, Attempt: n, StartedAt: c.s.now()}
	c.reply = reply{}
	sent, err := c.stream(ctx, &call)
	call.Latency = c.s.now().Sub(call.StartedAt)
	call.Err = err
	if err != nil {
		call.Usage, call.RequestID = err.Usage, err.RequestID
		c.s.cooldowns.note(c.p.Job.Model, err, c.s.retry.MaxRetryAfter)
	}
	call.Usage = c.estimated(call.Usage, sent, err == nil)
	call.CostUSD = c.cost(call.Usage)
	c.reply.usage = call.Usage
	c.calls = append(c.calls, call)
	return sent > 0, err
}

// stream reads one answer and returns how many bytes of text were passed on.
func (c *caller) stream(ctx context.Context, call *Call) (sent int, err *provider.Error) {
	for chunk, serr := range c.p.model.Stream(ctx, c.p.Request) {
		if serr != nil {
			return sent, provider.AsError(serr)
		}
		switch v := chunk.(type) {
		case provider.TextDelta:
			sent += len(v.Text)
			c.onText(v.Text)
		case provider.Done:
			call.Usage, call.RequestID = v.Usage, v.RequestID
			c.reply = readReply(v)
			return sent, nil
		}
	}
	if ended := provider.ContextError(ctx); ended != nil {
		return sent, ended
	}
	return sent, &provider.Error{Class: provider.ClassNetwork, Message: "the stream ended before the answer did"}
}

func readReply(d provider.Done) reply {
	r := reply{text: strings.TrimSpace(dropFences(masked(d.Blocks.PlainText()))), stop: d.Stop}
	for _, b := range d.Blocks {
		if _, ok := b.(message.ToolUse); ok {
			r.tools = true
		}
	}
	return r
}

// estimated fills in a usage that the provider did not report: for an answer, and for a call that broke off after text
// had come, which is billed too (spec 7.3).
func (c *caller) estimated(u message.Usage, sent int, answered bool) message.Usage {
	if !u.IsZero() || (!answered && sent == 0) {
		return u
	}
	out := max(sent, len(c.reply.text))
	return message.Usage{Input: c.p.Tokens, Output: message.FallbackTokens(out), Estimated: true}
}

// cost prices a call; one that used nothing cost nothing, whatever the model's prices.
func (c *caller) cost(u message.Usage) *pricing.USD {
	if u.IsZero() {
		return pricing.Nothing.Ptr()
	}
	return pricing.Charge(c.p.model.Card(), u).Ptr()
}
