package web

import (
	"context"
	"errors"
	"time"

	"tidemark/internal/event"
)

// feedRun is one open event stream.
type feedRun struct {
	s    *Server
	feed feed
	w    *sseWriter
	last event.ID // shown or passed over
}

func (r *feedRun) run(ctx context.Context, place feedPlace, sub *event.Subscription) error {
	if err := r.w.begin(); err != nil {
		return err
	}
	if place.gap {
		frames, err := r.feed.gap(ctx, place.newest)
		if err != nil {
			return err
		}
		r.last = place.newest
		if err := r.show(frames, place.newest); err != nil {
			return err
		}
	}
	if err := r.replay(ctx); err != nil {
		return err
	}
	return r.live(ctx, sub)
}

// replay shows what was committed since the reader's place.
func (r *feedRun) replay(ctx context.Context) error {
	for {
		filter := r.feed.filter
		filter.After, filter.Limit = r.last, replayPage
		batch, err := r.s.Reader.Events(ctx, filter)
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := r.draw(ctx, batch); err != nil {
			return err
		}
		if len(batch) < replayPage {
			return nil
		}
	}
}

func (r *feedRun) live(ctx context.Context, sub *event.Subscription) error {
	heartbeat := time.NewTicker(r.s.cfg.Limits.Heartbeat)
	defer heartbeat.Stop()
	var refresh <-chan time.Time
	if r.feed.refresh != nil {
		t := time.NewTicker(r.feed.every)
		defer t.Stop()
		refresh = t.C
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case d, ok := <-sub.C:
			if !ok {
				return errFeedEnded // lagged or shut down: the client comes back and reads the log
			}
			err = r.draw(ctx, r.fresh(d, sub))
		case <-heartbeat.C:
			err = r.w.heartbeat(r.last)
		case <-refresh:
			var frames []sseFrame
			if frames, err = r.feed.refresh(ctx); err == nil {
				err = r.w.write(frames)
			}
		}
		if err != nil {
			return err
		}
	}
}

var errFeedEnded = errors.New("the subscription ended")

// fresh collects what is waiting, without what was shown already and what the filter leaves out.
func (r *feedRun) fresh(first event.Delivery, sub *event.Subscription) []event.Event {
	var batch []event.Event
	take := func(d event.Delivery) {
		if d.Event == nil || d.Event.ID <= r.last {
			return
		}
		r.last = d.Event.ID
		if matches(r.feed.filter, *d.Event) {
			batch = append(batch, *d.Event)
		}
	}
	take(first)
	for len(batch) < liveBatch {
		select {
		case d, ok := <-sub.C:
			if !ok {
				return batch
			}
			take(d)
		default:
			return batch
		}
	}
	return batch
}

func (r *feedRun) draw(ctx context.Context, batch []event.Event) error {
	if len(batch) == 0 {
		return nil
	}
	frames, err := r.feed.draw(ctx, batch)
	if err != nil {
		return err
	}
	newest := batch[len(batch)-1].ID
	r.last = max(r.last, newest)
	return r.show(frames, newest)
}

// show writes frames; the last one carries the id.
func (r *feedRun) show(frames []sseFrame, newest event.ID) error {
	if n := len(frames); n > 0 && frames[n-1].ID == 0 {
		frames[n-1].ID = newest
	}
	return r.w.write(frames)
}
