package web

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"tidemark/internal/event"
	"tidemark/internal/session"
)

// feedPlace is where a reader of the catalog starts.
type feedPlace struct {
	epoch  event.Epoch
	after  event.ID // shown so far
	newest event.ID
	gap    bool // what the reader has is older than what is kept, or of another log
}

// place reads where the reader was: Last-Event-ID of a stream that comes back, else ?after= (case D1 #4), else now.
func (s *Server) place(ctx context.Context, c echo.Context) (feedPlace, error) {
	epoch, oldest, newest, err := s.Reader.EventHead(ctx)
	if err != nil {
		return feedPlace{}, err
	}
	at := c.Request().Header.Get("Last-Event-ID")
	if at == "" {
		at = c.QueryParam("after")
	}
	p := feedPlace{epoch: epoch, after: newest, newest: newest}
	if at == "" {
		return p, nil
	}
	theirs, id, err := parseFeedID(at)
	if err != nil {
		return p, err
	}
	p.gap = (theirs != "" && theirs != epoch) || id < oldest-1 || id > newest
	if !p.gap {
		p.after = id
	}
	return p, nil
}

// feedID is the id of an event on the wire.
func feedID(epoch event.Epoch, id event.ID) string { return fmt.Sprintf("%s-%d", epoch, id) }

// parseFeedID reads such an id; a bare number is one of the present epoch.
func parseFeedID(s string) (event.Epoch, event.ID, error) {
	epoch, number := "", s
	if i := strings.LastIndexByte(s, '-'); i >= 0 {
		epoch, number = s[:i], s[i+1:]
	}
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id < 0 {
		return "", 0, badParam("after", "must be an event id as the stream gave it")
	}
	return event.Epoch(epoch), event.ID(id), nil
}

// matches applies a filter to a live event as the store applies it to stored ones.
func matches(f session.EventFilter, e event.Event) bool {
	return (f.SessionID == "" || f.SessionID == e.SessionID) && (f.Owner == "" || f.Owner == e.Owner) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, e.Type))
}
