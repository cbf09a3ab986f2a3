package web

import (
	"context"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
	"tidemark/internal/event"
	"tidemark/internal/session"
	"tidemark/views"
)

// redrawEvery is how often panels that many events change are drawn again, at most: the cards, and the page of a session.
const redrawEvery = time.Second

// getOpsStream serves the catalog as HTML fragments for the page that asks: the overview, or one session (protocol
// section 4). Each message holds everything that a batch of events changed, so that a place in the log is a state of the
// page.
func (s *Server) getOpsStream(c echo.Context) error {
	r := s.reader(c)
	if id := c.QueryParam("session"); id != "" {
		rec, err := s.record(c.Request().Context(), r.who, id, maySee)
		if err != nil {
			return err
		}
		return s.serveFeed(c, (&sessionStream{s: s, who: r.who, id: rec.ID, stale: comesBack(c)}).feed())
	}
	if !r.who.Can(auth.CapFigures) {
		return fail("forbidden", "the role "+string(r.who.Role)+" may not see the figures of all sessions")
	}
	return s.serveFeed(c, (&opsStream{s: s, who: r.who, query: readOpsQuery(c.QueryParams()), stale: comesBack(c)}).feed())
}

// comesBack reports whether a reader was connected before. Panels that are drawn a moment after their event may have been
// lost with its connection, so they are drawn again.
func comesBack(c echo.Context) bool { return c.Request().Header.Get("Last-Event-ID") != "" }

// opsStream keeps one open overview true. serveFeed calls it from one goroutine.
type opsStream struct {
	s     *Server
	who   auth.Principal
	query opsQuery
	open  map[session.ID]bool // a compaction is running
	head  event.ID            // newest event seen
	stale bool                // the cards are older than that
}

func (o *opsStream) feed() feed {
	o.open = make(map[session.ID]bool)
	return feed{draw: o.draw, gap: drawReload, refresh: o.refresh, every: redrawEvery}
}

// draw shows a batch: its lines in the feed, and the row of each session that it touches. The cards follow within
// redrawEvery.
func (o *opsStream) draw(ctx context.Context, batch []event.Event) ([]sseFrame, error) {
	o.stale, o.head = true, batch[len(batch)-1].ID
	r := reader{o.who, o.s.cfg.Now()}
	rows, names, err := o.rows(ctx, r, batch)
	if err != nil {
		return nil, err
	}
	items := make([]templ.Component, len(batch))
	for i, e := range batch {
		items[i] = views.FeedItemView(newFeedItem(e, names(e.SessionID), r.now))
	}
	parts := append([]templ.Component{partial("#feed-items", "upsert", items...)}, rows...)
	newest := batch[len(batch)-1]
	parts = append(parts, freshness(newest.ID, shownAt(newest.TS, formClock, r.now))...)
	return oneFrame(ctx, parts...)
}

// rows are the rows of the sessions in a batch, in the order of their first event.
func (o *opsStream) rows(ctx context.Context, r reader, batch []event.Event) ([]templ.Component, func(string) string, error) {
	var parts []templ.Component
	var recs []session.Record
	seen := make(map[session.ID]bool)
	for _, e := range batch {
		o.note(e)
		if e.SessionID == "" || seen[e.SessionID] {
			continue
		}
		seen[e.SessionID] = true
		rec, err := o.s.Reader.Record(ctx, e.SessionID)
		if isGone(err) || (err == nil && rec.State == session.StateDeleted) {
			parts = append(parts, partial("#"+views.SessionRow{ID: e.SessionID}.DOMID(), "delete"))
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		recs = append(recs, rec)
	}
	for _, rec := range recs {
		row := newSessionRow(r, rec, rowFacts{o.s.Sessions.Attached(rec.ID), o.open[rec.ID]})
		parts = append(parts, o.place(r, rec, row))
	}
	return parts, o.s.sessionNames(r, recs), nil
}

// place puts a row where it stands already. One that is new comes first if the page's filter lets it in.
func (o *opsStream) place(r reader, rec session.Record, row views.SessionRow) templ.Component {
	if o.query.matches(r, rec) {
		return partial("#session-rows", "upsert", views.SessionRowView(row))
	}
	return partial("#"+row.DOMID(), "outerMorph", views.SessionRowView(row))
}

// note remembers which sessions are compacting.
func (o *opsStream) note(e event.Event) {
	switch e.Type {
	case event.CompactionStarted:
		o.open[e.SessionID] = true
	case event.CompactionDone, event.CompactionFailed, event.TurnCompleted, event.TurnCancelled, event.TurnFailed,
		event.SessionClosed, event.SessionDeleted:
		delete(o.open, e.SessionID)
	}
}

// refresh draws the cards when something happened since.
func (o *opsStream) refresh(ctx context.Context) ([]sseFrame, error) {
	if !o.stale {
		return nil, nil
	}
	o.stale = false
	from, to := o.query.bounds(o.s.cfg.Now())
	overview, err := o.s.shown.overviews.get(ctx, o.s.Reader, o.query.Range, from, to, o.head)
	if err != nil {
		return nil, err
	}
	return oneFrame(ctx, partial("#figures", "outerMorph", views.Figures("figures", newFigures(overview))))
}

// freshness moves the place and the time that the page says it shows.
func freshness(head event.ID, at views.Moment) []templ.Component {
	return []templ.Component{
		partial("#live-head", "innerHTML", templ.Raw(number(head))),
		partial("#data-through", "outerMorph", views.DataThrough(at)),
	}
}

// drawReload answers a reader that cannot catch up: the page loads itself again (case D1 #6). The event is named, so that
// it is not put into the page.
func drawReload(_ context.Context, newest event.ID) ([]sseFrame, error) {
	return []sseFrame{{ID: newest, Name: "gap", Data: []byte("reload")}}, nil
}

func oneFrame(ctx context.Context, parts ...templ.Component) ([]sseFrame, error) {
	data, err := html(ctx, parts...)
	if err != nil {
		return nil, err
	}
	return []sseFrame{{Data: data}}, nil
}
