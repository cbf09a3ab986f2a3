package sim

import (
	"context"
	"fmt"
	"iter"

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
