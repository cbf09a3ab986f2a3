package sim

import (
	"context"
	"iter"
	"time"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// emit sends the answer in deltas. A caller that left is no error.
func (c *call) emit(ctx context.Context, r reply, send func(provider.Chunk) bool) *provider.Error {
	total, _ := outputUnits(r.blocks)
	for _, b := range r.blocks {
		for chunk, units := range deltas(b, c.m.p.cfg.DeltaBytes) {
			if pause(ctx, c.pace()) != nil {
				return stopped(ctx, c.usage)
			}
			if c.fault.Kind == Cut && 2*c.units >= total {
				return cutOff(c.usage)
			}
			if chunk != nil && !send(chunk) {
				c.left = true
				return nil
			}
			c.count(b, units)
		}
	}
	if c.fault.Kind == Cut {
		return cutOff(c.usage)
	}
	return nil
}

func (c *call) pace() time.Duration {
	if c.fault.Pace > 0 {
		return c.fault.Pace
	}
	return c.m.p.cfg.Pace
}

// count keeps the usage true to what was sent, whatever ends the stream.
func (c *call) count(b message.Block, units int) {
	c.units += units
	if _, ok := b.(message.Thinking); ok {
		c.thinking += units
	}
	c.usage.Output = message.FallbackTokens(c.units)
	c.usage.Reasoning = message.FallbackTokens(c.thinking)
}

// reported is the usage as the answer brings it; where the service reports none the adapter estimates, and knows
// nothing of the cache (spec 7.3).
func (c *call) reported() message.Usage {
	if !c.fault.NoUsage {
		return c.usage
	}
	return message.Usage{Input: c.prompt.tokens(), Output: c.usage.Output, Reasoning: c.usage.Reasoning, Estimated: true}
}

// deltas cuts a block into chunks with the units each adds; a block without a delta of its own comes with Done alone.
func deltas(b message.Block, size int) iter.Seq2[provider.Chunk, int] {
	return func(yield func(provider.Chunk, int) bool) {
		switch v := b.(type) {
		case message.Text:
			pieces(v.Text, size, func(s string) bool { return yield(provider.TextDelta{Text: s}, len(s)) })
		case message.Thinking:
			pieces(v.Thinking, size, func(s string) bool { return yield(provider.ThinkingDelta{Text: s}, len(s)) })
		case message.ToolUse:
			yield(provider.ToolUseStart{ID: v.ID, Name: v.Name}, v.Units())
		default:
			yield(nil, blockUnits(b))
		}
	}
}

func pieces(s string, size int, yield func(string) bool) {
	for s != "" {
		head := piece(s, size)
		if !yield(head) {
			return
		}
		s = s[len(head):]
	}
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
