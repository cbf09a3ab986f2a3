package session

import (
	"context"
	"errors"
	"time"

	"tidemark/internal/event"
	"tidemark/internal/provider"
)

// part is a piece of an answer as clients see it; text is the name for a call.
type part struct {
	kind event.StreamKind
	id   string
	text string
}

// batch is what one stream commit shows: neighbouring pieces of one kind are one part.
type batch struct {
	parts []part
	size  int
}

func (b *batch) empty() bool { return len(b.parts) == 0 }

func (b *batch) add(p part) {
	b.size += len(p.text)
	if n := len(b.parts); n > 0 && b.parts[n-1].kind == p.kind && p.kind != event.StreamToolCall {
		b.parts[n-1].text += p.text
		return
	}
	b.parts = append(b.parts, p)
}

// pumpEnd is how a stream ended: one of the two is set, or neither while it goes on.
type pumpEnd struct {
	done *provider.Done
	err  error
}

// pump reads a model's stream in a goroutine of its own, so that text waiting in a batch is shown in time even when the
// model pauses. close ends the goroutine and waits for it.
type pump struct {
	ctx    context.Context
	cancel context.CancelFunc
	chunks chan provider.Chunk
	ended  chan struct{}
	end    pumpEnd // set before ended closes
	first  bool    // the first batch was handed out
}

func newPump(ctx context.Context, m provider.Model, req provider.Request) *pump {
	ctx, cancel := context.WithCancel(ctx)
	p := &pump{ctx: ctx, cancel: cancel, chunks: make(chan provider.Chunk, 16), ended: make(chan struct{})}
	go p.read(m, req)
	return p
}

func (p *pump) close() {
	p.cancel()
	<-p.ended
}

func (p *pump) read(m provider.Model, req provider.Request) {
	defer close(p.ended)
	defer close(p.chunks)
	for c, err := range m.Stream(p.ctx, req) {
		if err != nil {
			p.end.err = err
			return
		}
		if d, ok := c.(provider.Done); ok {
			p.end.done = &d
			return
		}
		select {
		case p.chunks <- c:
		case <-p.ctx.Done():
			p.end.err = p.ctx.Err()
			return
		}
	}
	p.end.err = errNoEnd
}

// errNoEnd is a stream that stopped without its terminal event: a failure (libraries' own loops end silently there).
var errNoEnd = &provider.Error{Class: provider.ClassNetwork, Message: "the stream ended before the answer was complete", Err: errors.New("no terminal event")}

// next waits for the next batch: the first text at once, later text at batchPace or batchSize. The end of the stream
// comes with the last batch.
func (p *pump) next() (batch, pumpEnd) {
	var b batch
	var due <-chan time.Time
	for {
		select {
		case c, ok := <-p.chunks:
			if !ok {
				<-p.ended
				return b, p.end
			}
			b.take(c)
			if !p.first || b.size >= batchSize {
				p.first = true
				return b, pumpEnd{}
			}
			if due == nil {
				due = time.After(batchPace)
			}
		case <-due:
			return b, pumpEnd{}
		}
	}
}

func (b *batch) take(c provider.Chunk) {
	switch v := c.(type) {
	case provider.TextDelta:
		if v.Text != "" {
			b.add(part{kind: event.StreamText, text: v.Text})
		}
	case provider.ThinkingDelta:
		if v.Text != "" {
			b.add(part{kind: event.StreamThought, text: v.Text})
		}
	case provider.ToolUseStart:
		b.add(part{kind: event.StreamToolCall, id: v.ID, text: v.Name})
	}
}
