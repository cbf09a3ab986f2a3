package sim

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/cespare/xxhash/v2"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
)

// simModel implements [provider.Model].
type simModel struct {
	p     *Provider
	card  model.Card
	speak speaker
}

// Card implements provider.Model.
func (m *simModel) Card() model.Card { return m.card }

// assists reports whether the model minds cues: a recorded answer and a summary have none to mind.
func (m *simModel) assists() bool {
	return m.card.Name != model.SimReplay && m.card.Name != model.SimSummarizer
}

// Stream implements provider.Model. Nothing happens before the loop starts, and the loop's goroutine does all the work.
func (m *simModel) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		c := m.begin(&req)
		done, err := c.run(ctx, func(ch provider.Chunk) bool { return yield(ch, nil) })
		c.finish(done.Stop, err)
		switch {
		case c.left:
		case err != nil:
			yield(nil, err)
		default:
			yield(done, nil)
		}
	}
}

// call is one request on its way.
type call struct {
	m      *simModel
	req    *provider.Request
	prompt prompt
	number int
	id     string
	turn   turn
	fault  Fault

	usage    message.Usage // counted so far
	units    int           // of output sent
	thinking int           // of those
	left     bool          // the caller broke out of the loop
}

func (m *simModel) begin(req *provider.Request) *call {
	c := &call{m: m, req: req, prompt: readPrompt(m.card.Name, req)}
	m.p.mu.Lock()
	m.p.started[m.card.Name]++
	c.number = m.p.started[m.card.Name]
	m.p.mu.Unlock()
	c.id = c.requestID()
	return c
}

// requestID is unique over restarts, because ledger rows are keyed by it (case B145), and repeatable under an injected
// clock.
func (c *call) requestID() string {
	s := fmt.Sprint(c.m.card.Name, c.req.SessionID, c.prompt.last().hash, c.number, c.m.p.cfg.Now().UnixNano())
	return fmt.Sprintf("req_sim_%016x", xxhash.Sum64String(s))
}

// run is the way of a call: refused, failed on cue, or answered.
func (c *call) run(ctx context.Context, send func(provider.Chunk) bool) (provider.Done, *provider.Error) {
	if ctx.Err() != nil {
		return provider.Done{}, stopped(ctx, message.Usage{})
	}
	if err := check(&c.m.card, c.req, &c.prompt); err != nil {
		return provider.Done{}, err
	}
	if c.m.assists() {
		c.turn = readTurn(c.req.Messages)
	}
	c.fault = c.pickFault()
	if err := c.before(ctx); err != nil {
		return provider.Done{}, err
	}
	r, err := c.answer()
	if err != nil {
		return provider.Done{}, err
	}
	c.usage = c.promptUsage()
	if err := c.emit(ctx, r, send); err != nil || c.left {
		return provider.Done{}, err
	}
	return provider.Done{Blocks: r.blocks, Stop: r.stop, Usage: c.reported(), RequestID: c.id}, nil
}

// before is what may go wrong ahead of the first byte.
func (c *call) before(ctx context.Context) *provider.Error {
	if c.fault.Kind == Hang {
		<-ctx.Done()
	}
	if pause(ctx, c.fault.Delay) != nil {
		return stopped(ctx, message.Usage{})
	}
	return c.fault.failure()
}

// promptUsage asks the prompt cache what of the prompt is read and what is written.
func (c *call) promptUsage() message.Usage {
	card, cfg := &c.m.card, &c.m.p.cfg
	if c.req.NoCache || card.MinCachePrefix == 0 {
		return message.Usage{Input: c.prompt.tokens()}
	}
	var u message.Usage
	c.m.p.withSession(c.req.SessionID, func(s *sessionState) {
		u = s.cache.ask(&c.prompt, card.MinCachePrefix, cfg.Now(), cfg.TTL)
	})
	return u
}

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

func (c *call) finish(stop provider.StopReason, err *provider.Error) {
	if err != nil {
		err.RequestID = c.id
	}
	if err == nil && !c.left && c.fault.Kind == "" && stop != provider.StopToolUse {
		c.endTurn()
	}
	c.m.p.served(Served{
		Model: c.m.card.Name, Request: *c.req, RequestID: c.id, Usage: c.usage, Stop: stop, Err: err, Left: c.left,
	})
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
