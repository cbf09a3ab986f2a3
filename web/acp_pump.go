package web

import (
	"context"
	"errors"
	"fmt"

	"tidemark/internal/event"
)

// streamPage is how many rows one read of the log takes.
const streamPage = 256

// pump sends a session's rows in order, each once: subscribe first, read what was missed, then go live and drop what was
// sent already (cases D1 #1, #8, #17). When the bus had to drop it, because the client was busy with what it missed, it
// starts again from the log, and nothing is lost.
func (a *attachment) pump(ctx context.Context) {
	for ctx.Err() == nil {
		sub := a.c.s.Bus.SubscribeSession(a.id, event.DefaultQueue)
		err := a.catchUp(ctx)
		if err == nil {
			err = a.live(ctx, sub)
		}
		sub.Close()
		if err != nil {
			a.failed(ctx, err)
			return
		}
		if !sub.Lagged() {
			return // the bus has ended
		}
	}
}

var errHole = errors.New("rows of the stream are missing")

// failed ends the socket when it can no longer be shown every row. It comes back and resumes, or loads.
func (a *attachment) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if !errors.Is(err, errHole) && !errors.Is(err, context.DeadlineExceeded) {
		a.c.s.Log.Error("stream of a session cannot be read", keyConnID, a.c.id, keySessionID, a.id, "error", err)
	}
	a.c.tooSlow()
}

// catchUp sends the stored rows after the newest that was sent.
func (a *attachment) catchUp(ctx context.Context) error {
	for {
		rows, err := a.c.s.Reader.Stream(ctx, a.id, a.place(), streamPage)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := a.replay(ctx, row); err != nil {
				return err
			}
		}
		if len(rows) < streamPage {
			return nil
		}
	}
}

func (a *attachment) place() event.StreamSeq {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sent
}

// replayPatience is how many write deadlines a replay waits for room before the client counts as too slow.
const replayPatience = 3

func (a *attachment) replay(ctx context.Context, row event.StreamRow) error {
	if row.Seq != a.place()+1 {
		return fmt.Errorf("row %d after %d: %w", row.Seq, a.place(), errHole)
	}
	if frame := a.c.frame(row); frame != nil {
		ctx, cancel := context.WithTimeout(ctx, replayPatience*a.c.s.cfg.Limits.WriteWithin)
		defer cancel()
		if err := a.c.out.pushWait(ctx, frame); err != nil {
			return err
		}
	}
	a.advance(row.Seq)
	return nil
}

// live sends what the bus delivers until that ends.
func (a *attachment) live(ctx context.Context, sub *event.Subscription) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case d, ok := <-sub.C:
			if !ok {
				return nil
			}
			if err := a.deliver(ctx, d); err != nil {
				return err
			}
		}
	}
}

func (a *attachment) deliver(ctx context.Context, d event.Delivery) error {
	switch {
	case d.Tick != nil:
		a.tick(*d.Tick)
	case d.Row == nil || d.Row.Seq <= a.place():
	case d.Row.Seq > a.place()+1: // not heard, but stored
		return a.catchUp(ctx)
	default:
		if frame := a.c.frame(*d.Row); frame != nil {
			a.c.send(frame)
		}
		a.advance(d.Row.Seq)
	}
	return nil
}

// tick shows an ephemeral gauge, if there is room.
func (a *attachment) tick(t event.Tick) {
	frame := tickFrame(t, a.c.capabilities())
	if frame != nil && !a.c.out.pushTick(a.id, frame) {
		a.c.s.metrics.ticksLost.Inc()
	}
}

// frame maps a row for this socket's client; nil when there is nothing to send.
func (c *wsConn) frame(row event.StreamRow) []byte {
	frame, shown := c.s.mapper.rowFrame(row, c.capabilities())
	if frame != nil && !shown {
		c.s.metrics.keepalives.Inc()
	}
	return frame
}
