package store_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// walk follows cursors to the end and returns the ids of every page.
func walk[T any](t *testing.T, limit int, id func(T) string, read func(cursor string, limit int) (session.Page[T], error)) (pages [][]string) {
	t.Helper()
	for cursor := ""; ; {
		p, err := read(cursor, limit)
		require.NoError(t, err)
		var ids []string
		for _, item := range p.Items {
			ids = append(ids, id(item))
		}
		pages = append(pages, ids)
		if cursor = p.Next; cursor == "" {
			return pages
		}
	}
}

func TestList_SessionsNewestFirst(t *testing.T) {
	f := open(t)
	var ids []string
	for range 5 {
		ids = append(ids, f.session())
	}
	other := f.session(func(r *session.Record) { r.Owner, r.CWD, r.ParentID = "bob", "/src", ids[0] })
	slices.Reverse(ids)
	list := func(filter session.ListFilter) [][]string {
		return walk(t, 2, func(r session.Record) string { return r.ID }, func(cursor string, limit int) (session.Page[session.Record], error) {
			filter.Cursor, filter.Limit = cursor, limit
			return f.List(t.Context(), filter)
		})
	}
	require.Equal(t, [][]string{{ids[0], ids[1]}, {ids[2], ids[3]}, {ids[4]}}, list(session.ListFilter{Owner: "ann"}))
	require.Equal(t, [][]string{{other}}, list(session.ListFilter{Owner: "bob"}))
	require.Equal(t, [][]string{{other}}, list(session.ListFilter{CWD: "/src"}))
	require.Equal(t, [][]string{{other}}, list(session.ListFilter{ParentID: ids[4]}))
	require.Equal(t, [][]string{nil}, list(session.ListFilter{Owner: "nobody"}))
	f.begin(other)
	require.Equal(t, [][]string{{other}}, list(session.ListFilter{State: session.StateRunning}))
}

// A row that comes while someone pages neither repeats nor hides another.
func TestList_IsStableWhileRowsArrive(t *testing.T) {
	f := open(t)
	id := f.turns(3)
	first, err := f.Turns(t.Context(), id, "", 2)
	require.NoError(t, err)
	last := f.turn(id, "0.01")
	second, err := f.Turns(t.Context(), id, first.Next, 2)
	require.NoError(t, err)
	require.Len(t, second.Items, 2)
	require.Equal(t, last, second.Items[1].ID)
	require.Empty(t, second.Next)
}

func TestList_OfASession(t *testing.T) {
	f := open(t)
	id := f.turns(3)
	var want []string
	for i := range 3 {
		want = append(want, f.pass(id, message.Seq(2*i+2)).ID)
	}
	passes := walk(t, 2, func(p compaction.Pass) string { return p.ID }, func(c string, n int) (session.Page[compaction.Pass], error) { return f.Passes(t.Context(), id, c, n) })
	require.Equal(t, want, slices.Concat(passes...))
	calls := walk(t, 1, func(l session.LedgerRow) string { return l.ID }, func(c string, n int) (session.Page[session.LedgerRow], error) { return f.Ledger(t.Context(), id, c, n) })
	require.Len(t, calls, 3)

	ms, err := f.Messages(t.Context(), id, 1, 2)
	require.NoError(t, err)
	require.Equal(t, []message.Seq{2, 3}, seqs(ms))
	ms, err = f.Messages(t.Context(), id, 99, 2)
	require.NoError(t, err)
	require.Empty(t, ms)
	recent := f.load(id).Passes
	require.Equal(t, want[2], recent[0].ID, "newest first")
}

func TestList_RefusesAForeignCursor(t *testing.T) {
	f := open(t)
	id := f.turns(3)
	p, err := f.Turns(t.Context(), id, "", 1)
	require.NoError(t, err)
	for _, cursor := range []string{p.Next, "x", "!", "bDo", "bDp4"} { // of another list, no base64, without a place, no number
		_, err := f.Ledger(t.Context(), id, cursor, 1)
		var bad *session.ParamError
		require.ErrorAs(t, err, &bad, cursor)
		require.Equal(t, "cursor", bad.Param)
	}
	_, err = f.List(t.Context(), session.ListFilter{Cursor: p.Next})
	require.Error(t, err)
}

// Every read of a missing session says so; none of them answers an empty list.
func TestRead_MissingSession(t *testing.T) {
	f := open(t)
	ctx := t.Context()
	for name, read := range map[string]func() error{
		"Record":      func() error { _, err := f.Record(ctx, "no"); return err },
		"Load":        func() error { _, err := f.Load(ctx, "no"); return err },
		"Messages":    func() error { _, err := f.Messages(ctx, "no", -1, 1); return err },
		"Turns":       func() error { _, err := f.Turns(ctx, "no", "", 1); return err },
		"Passes":      func() error { _, err := f.Passes(ctx, "no", "", 1); return err },
		"Pass":        func() error { _, err := f.Pass(ctx, "no", "P"); return err },
		"Summary":     func() error { _, err := f.Summary(ctx, "no", "P"); return err },
		"Ledger":      func() error { _, err := f.Ledger(ctx, "no", "", 1); return err },
		"Stream":      func() error { _, err := f.Stream(ctx, "no", 0, 1); return err },
		"StreamState": func() error { _, err := f.StreamState(ctx, "no"); return err },
	} {
		require.ErrorIs(t, read(), session.ErrNotFound, name)
	}
}

func TestEvents_Filters(t *testing.T) {
	f := open(t)
	a, b := f.session(), f.session()
	f.ok(f.AppendStream(t.Context(), a, told(f, a, "", 3)))
	changed := event.New(event.PostureChanged, b, "bob", f.now, event.PostureChangedPayload{SessionID: b})
	f.ok(f.AppendStream(t.Context(), b, session.Out{Events: []event.Event{changed}}))
	f.ok(f.AppendStream(t.Context(), a, told(f, a, "", 2)))
	ids := func(filter session.EventFilter) (out []event.ID) {
		es, err := f.Events(t.Context(), filter)
		require.NoError(t, err)
		for _, e := range es {
			out = append(out, e.ID)
		}
		return out
	}
	require.Equal(t, []event.ID{1, 2, 3, 4, 5, 6}, ids(session.EventFilter{}))
	require.Equal(t, []event.ID{5, 6}, ids(session.EventFilter{After: 4}))
	require.Equal(t, []event.ID{4}, ids(session.EventFilter{SessionID: b}))
	require.Equal(t, []event.ID{4}, ids(session.EventFilter{Owner: "bob"}))
	require.Equal(t, []event.ID{4}, ids(session.EventFilter{Types: []event.Kind{event.PostureChanged, event.TurnFailed}}))
	require.Equal(t, []event.ID{1, 2}, ids(session.EventFilter{Limit: 2}))
	require.Equal(t, []event.ID{5, 6}, ids(session.EventFilter{Limit: 2, Newest: true}))
}
