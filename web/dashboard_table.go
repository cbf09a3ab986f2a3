package web

import (
	"cmp"
	"slices"
	"strings"

	"tidemark/internal/session"
	"tidemark/views"
)

// sessionColumn is a column of the session table; one without compare is not sorted by.
type sessionColumn struct {
	key, text, about string
	compare          func(a, b session.Record) int
}

const (
	defaultSort = "last"
	maxRows     = 100 // rows on a page; a filter narrows
)

// sessionColumns are the columns in their order.
var sessionColumns = []sessionColumn{
	{"title", "Session", "Title and model", func(a, b session.Record) int {
		return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
	}},
	{"state", "State", "What the session is doing", func(a, b session.Record) int { return cmp.Compare(a.State, b.State) }},
	{"turns", "Turns", "User messages so far", by(func(r session.Record) int { return r.Turns })},
	{"spend", "Spend", "All priced calls, and compaction's part of it", func(a, b session.Record) int { return a.CostUSD.Cmp(b.CostUSD) }},
	{"cache", "Cache hit", "Input tokens read from the provider's cache, of all", by(cacheShare)},
	{"hits", "Summaries", "Summary-cache hits of applied compactions", by(func(r session.Record) int { return r.Passes })},
	{"watermark", "Watermark", "Messages covered by summaries, of all", by(func(r session.Record) int { return int(r.Watermark) })},
	{"context", "Context", "Newest request, of the model's window", by(func(r session.Record) int { return r.ContextTokens })},
	{"last", "Last event", "Age of the newest event, and clients attached", func(a, b session.Record) int { return a.UpdatedAt.Compare(b.UpdatedAt) }},
}

func by[T cmp.Ordered](get func(session.Record) T) func(a, b session.Record) int {
	return func(a, b session.Record) int { return cmp.Compare(get(a), get(b)) }
}

func cacheShare(r session.Record) float64 {
	f, _ := fraction(r.Usage.CacheRead, r.Usage.Prompt())
	return f
}

// newSessionTable filters, sorts and draws the sessions. The order is that of the moment the page was drawn: live rows
// change in place, new ones come first.
func newSessionTable(r reader, recs []session.Record, q opsQuery, facts func(session.Record) rowFacts) views.SessionTable {
	shown := make([]session.Record, 0, len(recs))
	for _, rec := range recs {
		if q.matches(r, rec) {
			shown = append(shown, rec)
		}
	}
	sortRecords(shown, q)
	passed := len(shown)
	shown = shown[:min(passed, maxRows)]
	t := views.SessionTable{
		Filter: views.SessionFilter{
			Query: q.Q, State: q.State, Keep: q.keep("q", "state"),
			States: []string{string(session.StateRunning), string(session.StateIdle), string(session.StateClosed)},
		},
		Heads: sessionHeads(q), Summary: tableSummary(len(shown), passed, len(recs)), None: "No session passes this filter.",
	}
	if len(recs) == 0 {
		t.None = "Sessions will stand here, one line each."
	}
	for _, rec := range shown {
		t.Rows = append(t.Rows, newSessionRow(r, rec, facts(rec)))
	}
	return t
}

func sortRecords(recs []session.Record, q opsQuery) {
	for _, c := range sessionColumns {
		if c.key != q.Sort {
			continue
		}
		slices.SortStableFunc(recs, func(a, b session.Record) int {
			order := c.compare(a, b)
			if q.Desc {
				order = -order
			}
			return cmp.Or(order, cmp.Compare(b.ID, a.ID)) // newest first among equals, so that a reload keeps the order
		})
	}
}

func sessionHeads(q opsQuery) []views.Link {
	heads := make([]views.Link, len(sessionColumns))
	for i, c := range sessionColumns {
		to := q
		to.Sort, to.Desc = c.key, c.key != "title" // numbers are looked for from the top
		heads[i] = views.Link{Text: c.text, About: c.about}
		if c.key == q.Sort {
			to.Desc = !q.Desc
			heads[i].Sort = "ascending"
			if q.Desc {
				heads[i].Sort = "descending"
			}
		}
		heads[i].Href = to.href()
	}
	return heads
}

func tableSummary(shown, passed, all int) string {
	switch {
	case shown < passed:
		return number(shown) + " of " + number(passed) + " shown; narrow the filter to see others"
	case passed < all:
		return number(passed) + " of " + plural(all, "session", "sessions")
	}
	return plural(all, "session", "sessions")
}
