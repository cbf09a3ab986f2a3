package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"tidemark/internal/session"
	"tidemark/views"
)

// opsQuery is what the address of /ops asks for; the event stream gets the same query, so that it knows which new rows
// belong on the page.
type opsQuery struct {
	Range string
	Q     string
	State string
	Sort  string
	Desc  bool
	From  string // event id that the feed is replayed from
}

// figureRange is a range of the cards.
type figureRange struct {
	key, text string
	length    time.Duration // 0 = from the beginning
}

var ranges = []figureRange{
	{"1h", "1 hour", time.Hour}, {"24h", "24 hours", 24 * time.Hour}, {"7d", "7 days", 7 * 24 * time.Hour}, {"all", "All", 0},
}

const defaultRange = "24h"

func readOpsQuery(v url.Values) opsQuery {
	q := opsQuery{
		Range: v.Get("range"), Q: strings.TrimSpace(v.Get("q")), State: v.Get("state"), Sort: v.Get("sort"),
		Desc: v.Get("dir") != "asc", From: strings.TrimSpace(v.Get("from")),
	}
	if !slices.ContainsFunc(sessionColumns, func(c sessionColumn) bool { return c.key != "" && c.key == q.Sort }) {
		q.Sort, q.Desc = defaultSort, true
	}
	if !slices.ContainsFunc(ranges, func(x figureRange) bool { return x.key == q.Range }) {
		q.Range = defaultRange
	}
	return q
}

// bounds are the times of the range.
func (q opsQuery) bounds(now time.Time) (from, to time.Time) {
	for _, r := range ranges {
		if r.key == q.Range && r.length > 0 {
			return now.Add(-r.length), now
		}
	}
	return time.Time{}, now
}

// values are the query's parts that differ from the defaults.
func (q opsQuery) values() url.Values {
	v := url.Values{}
	set := func(name, value, def string) {
		if value != def {
			v.Set(name, value)
		}
	}
	set("range", q.Range, defaultRange)
	set("q", q.Q, "")
	set("state", q.State, "")
	set("from", q.From, "")
	if q.Sort != defaultSort || !q.Desc {
		v.Set("sort", q.Sort)
		if !q.Desc {
			v.Set("dir", "asc")
		}
	}
	return v
}

func (q opsQuery) href() string {
	if v := q.values(); len(v) > 0 {
		return "/ops?" + v.Encode()
	}
	return "/ops"
}

// keep are the hidden fields of a form that sets the named parts itself.
func (q opsQuery) keep(except ...string) []views.Field {
	v := q.values()
	for _, name := range except {
		v.Del(name)
	}
	var out []views.Field
	for name := range v {
		out = append(out, views.Field{Name: name, Value: v.Get(name)})
	}
	slices.SortFunc(out, func(a, b views.Field) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// matches reports whether a session passes the filter. Titles count only for who may read them.
func (q opsQuery) matches(r reader, rec session.Record) bool {
	if q.State != "" && string(rec.State) != q.State {
		return false
	}
	if q.Q == "" {
		return true
	}
	needle := strings.ToLower(q.Q)
	name, _ := r.sessionName(rec)
	for _, hay := range []string{name, rec.ID, rec.Model, rec.Owner} {
		if strings.Contains(strings.ToLower(hay), needle) {
			return true
		}
	}
	return false
}
