package sessiontest

import (
	"context"
	"encoding/json"
	"fmt"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
)

// CheckBooks holds a session at rest against the laws that must hold whatever happened to it: a valid transcript, a
// gapless stream, exact sums, one started and one terminal event per attempt, a watermark that only grows but for undos.
func (w *World) CheckBooks(id session.ID) {
	w.TB.Helper()
	w.Settle(id)
	ctx := context.Background()
	for name, check := range map[string]func(context.Context, session.ID) error{
		"transcript": w.checkTranscript, "stream": w.checkStream, "money": w.checkMoney, "passes": w.checkPasses,
		"postures": w.checkPostures,
	} {
		if err := check(ctx, id); err != nil {
			w.TB.Errorf("%s of session %s: %v", name, id, err)
		}
	}
}

func (w *World) checkTranscript(ctx context.Context, id session.ID) error {
	rows, err := after(message.Seq(-1), func(q message.Seq) ([]message.Message, error) {
		return w.Store.Messages(ctx, id, q, pageSize)
	}, func(m message.Message) message.Seq { return m.Seq })
	if err != nil {
		return err
	}
	for i, m := range rows {
		if m.Seq != message.Seq(i) {
			return fmt.Errorf("row %d has seq %d", i, m.Seq)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return message.ValidatePrefix(rows)
}

func (w *World) checkStream(ctx context.Context, id session.ID) error {
	st, err := w.Store.StreamState(ctx, id)
	if err != nil {
		return err
	}
	rows, err := after(st.Oldest-1, func(q event.StreamSeq) ([]event.StreamRow, error) {
		return w.Store.Stream(ctx, id, q, pageSize)
	}, func(r event.StreamRow) event.StreamSeq { return r.Seq })
	if err != nil {
		return err
	}
	for i, r := range rows {
		if r.Seq != st.Oldest+event.StreamSeq(i) {
			return fmt.Errorf("stream row %d follows %d", r.Seq, st.Oldest+event.StreamSeq(i)-1)
		}
	}
	return nil
}

func (w *World) checkMoney(ctx context.Context, id session.ID) error {
	rec, err := w.Store.Record(ctx, id)
	if err != nil {
		return err
	}
	ledger, err := pages(func(cursor string) (session.Page[session.LedgerRow], error) {
		return w.Store.Ledger(ctx, id, cursor, pageSize)
	})
	if err != nil {
		return err
	}
	turns, err := pages(func(cursor string) (session.Page[session.Turn], error) {
		return w.Store.Turns(ctx, id, cursor, pageSize)
	})
	if err != nil {
		return err
	}
	var calls, compacting, byTurn pricing.USD
	for _, r := range ledger {
		if r.CostUSD == nil {
			continue
		}
		calls = calls.Add(*r.CostUSD)
		if r.Purpose == session.PurposeCompaction {
			compacting = compacting.Add(*r.CostUSD)
		}
	}
	for _, t := range turns {
		if t.CostUSD != nil {
			byTurn = byTurn.Add(*t.CostUSD)
		}
	}
	switch {
	case !calls.Equal(rec.CostUSD):
		return fmt.Errorf("calls cost %s, the session says %s", calls, rec.CostUSD)
	case !calls.Equal(byTurn):
		return fmt.Errorf("calls cost %s, turns %s", calls, byTurn)
	case !compacting.Equal(rec.CompactionCostUSD):
		return fmt.Errorf("compaction cost %s, the session says %s", compacting, rec.CompactionCostUSD)
	}
	return nil
}

// checkPostures: only legal pairs were told, each a change, and the record shows the newest.
func (w *World) checkPostures(ctx context.Context, id session.ID) error {
	evs, err := w.events(ctx, id, event.PostureChanged)
	if err != nil {
		return err
	}
	rec, err := w.Store.Record(ctx, id)
	if err != nil {
		return err
	}
	var last compaction.Posture
	for _, e := range evs {
		var p event.PostureChangedPayload
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			return err
		}
		now := compaction.Posture{State: compaction.PostureState(p.State), Reason: compaction.Reason(p.Reason)}
		if !now.Legal() {
			return fmt.Errorf("event %d tells %s, %s, which is no legal pair", e.ID, now.State, now.Reason)
		}
		if now == last {
			return fmt.Errorf("event %d tells %s, %s again", e.ID, now.State, now.Reason)
		}
		last = now
	}
	if len(evs) > 0 && rec.Posture != last {
		return fmt.Errorf("the record says %s, %s, the newest event %s, %s", rec.Posture.State, rec.Posture.Reason, last.State, last.Reason)
	}
	return nil
}

func (w *World) checkPasses(ctx context.Context, id session.ID) error {
	evs, err := w.events(ctx, id)
	if err != nil {
		return err
	}
	open, noticed := 0, false // a notice of the budget is followed by a completed, or was the end itself
	var mark message.Seq
	for _, e := range evs {
		if noticed && e.Type == event.CompactionStarted {
			open--
		}
		switch e.Type {
		case event.CompactionStarted, event.CompactionDone, event.CompactionFailed:
			noticed = false
		}
		switch e.Type {
		case event.CompactionStarted:
			if open++; open > 1 {
				return fmt.Errorf("event %d starts a pass while one is open", e.ID)
			}
		case event.CompactionDone:
			var p event.CompactionCompletedPayload
			if err := json.Unmarshal(e.Payload, &p); err != nil {
				return err
			}
			if message.Seq(p.WatermarkAfter) < mark {
				return fmt.Errorf("the watermark went from %d to %d", mark, p.WatermarkAfter)
			}
			mark = message.Seq(p.WatermarkAfter)
			if open--; open < 0 {
				return fmt.Errorf("event %d ends a pass that did not start", e.ID)
			}
		case event.CompactionFailed:
			var p event.CompactionFailedPayload
			if err := json.Unmarshal(e.Payload, &p); err != nil {
				return err
			}
			switch compaction.FailureMode(p.FailureMode) {
			case compaction.FailNoValidBoundary:
			case compaction.FailBudgetForced:
				if noticed = p.TruncatedMessageCount == nil; !noticed {
					open--
				}
			default:
				open--
			}
			if open < 0 {
				return fmt.Errorf("event %d ends a pass that did not start", e.ID)
			}
		case event.CompactionUndone:
			var p event.CompactionUndonePayload
			if err := json.Unmarshal(e.Payload, &p); err != nil {
				return err
			}
			mark = message.Seq(p.WatermarkAfter)
		}
	}
	if noticed {
		open--
	}
	if open != 0 {
		return fmt.Errorf("%d passes were started and not ended", open)
	}
	return nil
}

// pageSize is how much the books are read at a time.
const pageSize = 5000

// after reads a list that goes on behind its last place.
func after[T any, S any](from S, fetch func(S) ([]T, error), place func(T) S) ([]T, error) {
	var out []T
	for {
		page, err := fetch(from)
		if err != nil || len(page) == 0 {
			return out, err
		}
		out = append(out, page...)
		from = place(page[len(page)-1])
	}
}

func pages[T any](fetch func(cursor string) (session.Page[T], error)) ([]T, error) {
	var out []T
	for cursor := ""; ; {
		p, err := fetch(cursor)
		if err != nil {
			return out, err
		}
		out = append(out, p.Items...)
		if cursor = p.Next; cursor == "" {
			return out, nil
		}
	}
}

func (w *World) events(ctx context.Context, id session.ID, kinds ...event.Kind) ([]event.Event, error) {
	return after(event.ID(0), func(q event.ID) ([]event.Event, error) {
		return w.Store.Events(ctx, session.EventFilter{SessionID: id, Types: kinds, After: q, Limit: pageSize})
	}, func(e event.Event) event.ID { return e.ID })
}
