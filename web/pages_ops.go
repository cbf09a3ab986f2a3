package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
	"tidemark/internal/event"
	"tidemark/internal/session"
	"tidemark/views"
)

// Bounds of the overview.
const (
	listedSessions = 2000 // read for sorting and filtering; the page shows maxRows of them
	feedShown      = 60
	feedReplayed   = 300
)

// getOps draws the operators' overview. The head of the event log is read first, so that the stream that starts there
// repeats rather than misses.
func (s *Server) getOps(c echo.Context) error {
	ctx, r := c.Request().Context(), s.reader(c)
	q := readOpsQuery(c.QueryParams())
	epoch, _, head, err := s.Reader.EventHead(ctx)
	if err != nil {
		return err
	}
	from, to := q.bounds(r.now)
	overview, err := s.Reader.Overview(ctx, from, to)
	if err != nil {
		return err
	}
	recs, err := s.listSessions(ctx, session.ListFilter{})
	if err != nil {
		return err
	}
	events, err := s.Reader.Events(ctx, feedRange(q, epoch, head))
	if err != nil {
		return err
	}
	figures := newFigures(overview)
	page := views.OpsPage{
		Page: views.Page{
			Title: "Operations", Nav: views.NavOps, Who: r.viewer(), Styles: []string{"ops.css"}, Scripts: []string{"ops.js"}, Live: true,
		},
		Bar: opsBar(q, newestMoment(recs, r), head), Figures: figures, Glossary: figures,
		Table:  newSessionTable(r, recs, q, s.rowFacts),
		Feed:   newFeed(r, q, events, s.sessionNames(r, recs)),
		Stream: streamAddress("/ops/stream", q, epoch, head),
	}
	if len(recs) == 0 {
		page.Empty = &views.EmptyOps{
			CanSample: len(s.Sample) > 0 && r.who.Can(auth.CapSessions), Running: s.shown.sample.playing(), Turns: len(s.Sample),
		}
	}
	return render(c, http.StatusOK, views.Ops(page))
}

// listSessions reads up to listedSessions records, newest first, without the deleted ones.
func (s *Server) listSessions(ctx context.Context, f session.ListFilter) ([]session.Record, error) {
	f.Limit = listedSessions
	page, err := s.Reader.List(ctx, f)
	if err != nil {
		return nil, err
	}
	recs := page.Items[:0:0]
	for _, rec := range page.Items {
		if rec.State != session.StateDeleted {
			recs = append(recs, rec)
		}
	}
	return recs, nil
}

func (s *Server) rowFacts(rec session.Record) rowFacts {
	return rowFacts{attached: s.Sessions.Attached(rec.ID)}
}

// sessionNames names the sessions of a feed.
func (s *Server) sessionNames(r reader, recs []session.Record) func(string) string {
	names := make(map[string]string, len(recs))
	for _, rec := range recs {
		names[rec.ID], _ = r.sessionName(rec)
	}
	return func(id string) string {
		if name, ok := names[id]; ok {
			return name
		}
		return shortID(id)
	}
}

// feedRange is which events the feed shows: the newest, or what followed an id.
func feedRange(q opsQuery, epoch event.Epoch, head event.ID) session.EventFilter {
	f := session.EventFilter{Limit: feedShown, Newest: true}
	number := strings.TrimPrefix(q.From, string(epoch)+"-")
	if id, err := strconv.ParseInt(number, 10, 64); err == nil && id > 0 && event.ID(id) <= head {
		f.After, f.Limit, f.Newest = event.ID(id-1), feedReplayed, false
	}
	return f
}

func newFeed(r reader, q opsQuery, events []event.Event, name func(string) string) views.Feed {
	latest := q
	latest.From = ""
	f := views.Feed{From: q.From, Action: "/ops", Latest: latest.href(), Keep: q.keep("from")}
	for _, e := range newestFirst(events, len(events)) {
		f.Items = append(f.Items, newFeedItem(e, name(e.SessionID), r.now))
	}
	return f
}

func opsBar(q opsQuery, data views.Moment, head event.ID) views.OpsBar {
	b := views.OpsBar{Data: data, Head: number(head)}
	for _, r := range ranges {
		to := q
		to.Range = r.key
		b.Ranges = append(b.Ranges, views.Link{Text: r.text, Href: to.href(), Current: r.key == q.Range, About: "Range of the cards"})
	}
	return b
}

// newestMoment is until when the page's data goes.
func newestMoment(recs []session.Record, r reader) views.Moment {
	newest := r.now
	if len(recs) > 0 {
		newest = recs[0].UpdatedAt
		for _, rec := range recs {
			if rec.UpdatedAt.After(newest) {
				newest = rec.UpdatedAt
			}
		}
	}
	return shownAt(newest, formClock, r.now)
}

// streamAddress is where the page's event stream starts: right after what the page shows.
func streamAddress(path string, q opsQuery, epoch event.Epoch, head event.ID) string {
	v := q.values()
	v.Del("from")
	v.Set("after", feedID(epoch, head))
	return path + "?" + v.Encode()
}
