package web_test

import (
	"context"
	"slices"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// read looks at a session with the lock held.
func read[T any](f *fake, id string, look func(*fakeSession) T) (T, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err != nil {
		var none T
		return none, err
	}
	return look(s), nil
}

func head[T any](items []T, limit int) []T {
	if limit > 0 && len(items) > limit {
		items = items[:limit]
	}
	return slices.Clone(items)
}

// Record implements session.Reader.
func (f *fake) Record(_ context.Context, id session.ID) (session.Record, error) {
	return read(f, id, func(s *fakeSession) session.Record { return s.rec })
}

// List implements session.Reader; the cursor is the id of the last one.
func (f *fake) List(_ context.Context, q session.ListFilter) (session.Page[session.Record], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out session.Page[session.Record]
	past := q.Cursor == ""
	for _, id := range f.order {
		r := f.sessions[id].rec
		switch {
		case !past:
			past = id == q.Cursor
		case r.State == session.StateDeleted || (q.Owner != "" && r.Owner != q.Owner) || (q.CWD != "" && r.CWD != q.CWD):
		case len(out.Items) == q.Limit:
			out.Next = out.Items[len(out.Items)-1].ID
			return out, nil
		default:
			out.Items = append(out.Items, r)
		}
	}
	return out, nil
}

// Messages implements session.Reader.
func (f *fake) Messages(_ context.Context, id session.ID, after message.Seq, limit int) ([]message.Message, error) {
	return read(f, id, func(s *fakeSession) []message.Message {
		i := min(int(after+1), len(s.msgs))
		return head(s.msgs[i:], limit)
	})
}

// Turns implements session.Reader.
func (f *fake) Turns(_ context.Context, id session.ID, _ string, limit int) (session.Page[session.Turn], error) {
	return read(f, id, func(s *fakeSession) session.Page[session.Turn] {
		return session.Page[session.Turn]{Items: head(s.turns, limit)}
	})
}

// Passes implements session.Reader.
func (f *fake) Passes(_ context.Context, id session.ID, _ string, limit int) (session.Page[compaction.Pass], error) {
	return read(f, id, func(s *fakeSession) session.Page[compaction.Pass] {
		return session.Page[compaction.Pass]{Items: head(s.passes, limit)}
	})
}

// Pass implements session.Reader.
func (f *fake) Pass(_ context.Context, id session.ID, pass string) (compaction.Pass, error) {
	found, err := read(f, id, func(s *fakeSession) *compaction.Pass {
		for i := range s.passes {
			if s.passes[i].ID == pass {
				return &s.passes[i]
			}
		}
		return nil
	})
	if err == nil && found == nil {
		err = session.ErrNotFound
	}
	if err != nil {
		return compaction.Pass{}, err
	}
	return *found, nil
}

// Summary implements session.Reader.
func (f *fake) Summary(_ context.Context, id session.ID, pass string) (compaction.Summary, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err != nil {
		return compaction.Summary{}, err
	}
	sum, ok := s.sums[pass]
	if !ok {
		return sum, session.ErrNotFound
	}
	return sum, nil
}

// Ledger implements session.Reader.
func (f *fake) Ledger(_ context.Context, id session.ID, _ string, limit int) (session.Page[session.LedgerRow], error) {
	return read(f, id, func(s *fakeSession) session.Page[session.LedgerRow] {
		return session.Page[session.LedgerRow]{Items: head(s.ledger, limit)}
	})
}

// Events implements session.Reader.
func (f *fake) Events(_ context.Context, q session.EventFilter) ([]event.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []event.Event
	for _, e := range f.events {
		if e.ID > q.After && (q.SessionID == "" || e.SessionID == q.SessionID) &&
			(len(q.Types) == 0 || slices.Contains(q.Types, e.Type)) {
			out = append(out, e)
		}
	}
	if q.Newest && q.Limit > 0 && len(out) > q.Limit {
		return slices.Clone(out[len(out)-q.Limit:]), nil
	}
	return head(out, q.Limit), nil
}

// EventHead implements session.Reader.
func (f *fake) EventHead(context.Context) (event.Epoch, event.ID, event.ID, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return epoch, f.oldest, event.ID(len(f.events)), f.broken
}

// StreamState implements session.Reader.
func (f *fake) StreamState(_ context.Context, id session.ID) (session.StreamState, error) {
	return read(f, id, func(s *fakeSession) session.StreamState {
		return session.StreamState{Epoch: epoch, Head: s.rec.StreamHead, Oldest: s.oldest}
	})
}

// Stream implements session.Reader.
func (f *fake) Stream(_ context.Context, id session.ID, after event.StreamSeq, limit int) ([]event.StreamRow, error) {
	return read(f, id, func(s *fakeSession) []event.StreamRow {
		i := min(int(max(after, s.oldest-1)), len(s.rows))
		return head(s.rows[i:], limit)
	})
}

// Overview implements session.Reader.
func (f *fake) Overview(context.Context, time.Time, time.Time) (session.Overview, error) {
	return session.Overview{Calls: 2, CostPico: 1_250_000_000}, f.broken
}

// RunningTurn implements session.Reader.
func (f *fake) RunningTurn(_ context.Context, id session.ID) (*session.Turn, error) {
	return read(f, id, func(s *fakeSession) *session.Turn { return s.turn })
}
