package web

import (
	"time"

	"tidemark/internal/auth"
	"tidemark/internal/session"
	"tidemark/views"
)

// The dashboard_*.go files are pure: they turn committed facts into what views draws, and decide how a figure reads.
// They ask nothing and keep nothing; pages_*.go and ops_stream.go read the facts.

// reader is who a page is drawn for.
type reader struct {
	who auth.Principal
	now time.Time
}

// reads reports whether the reader may see text of a session of that owner: titles, summaries, messages.
func (r reader) reads(owner string) bool { return r.who.MayRead(owner) }

func (r reader) viewer() views.Viewer {
	return views.Viewer{
		Owner: r.who.Owner, Role: string(r.who.Role), Chat: r.who.Can(auth.CapSessions), Ops: r.who.Can(auth.CapFigures),
		Act: r.who.Can(auth.CapOperate),
	}
}

// sessionName is a session's title, or its id for who may not read text: a title is made of what somebody said.
func (r reader) sessionName(rec session.Record) (name string, titled bool) {
	if rec.Title != "" && r.reads(rec.Owner) {
		return rec.Title, true
	}
	return shortID(rec.ID), false
}
