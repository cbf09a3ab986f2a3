package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tidemark/internal/acp"
	"tidemark/internal/event"
	"tidemark/internal/session"
)

// getOpsEvents serves the catalog by name as JSON: as an event stream, or as one page where JSON is asked for (protocol
// section 4).
func (s *Server) getOpsEvents(c echo.Context) error {
	filter := feedFilter(c)
	if strings.Contains(c.Request().Header.Get("Accept"), "application/json") {
		return s.eventPage(c, filter)
	}
	return s.serveFeed(c, feed{filter: filter, draw: drawEvents, gap: drawGap})
}

// feedFilter reads ?session= and ?type=a,b.
func feedFilter(c echo.Context) session.EventFilter {
	f := session.EventFilter{SessionID: c.QueryParam("session")}
	for _, t := range strings.Split(c.QueryParam("type"), ",") {
		if t != "" {
			f.Types = append(f.Types, event.Kind(t))
		}
	}
	return f
}

func drawEvents(_ context.Context, batch []event.Event) ([]sseFrame, error) {
	frames := make([]sseFrame, len(batch))
	for i, e := range batch {
		data, err := acp.Marshal(e)
		if err != nil {
			return nil, err
		}
		frames[i] = sseFrame{ID: e.ID, Name: string(e.Type), Data: data}
	}
	return frames, nil
}

// drawGap tells a reader that it cannot catch up and should load the state afresh (case D1 #6).
func drawGap(_ context.Context, newest event.ID) ([]sseFrame, error) {
	data, err := acp.Marshal(map[string]event.ID{"newest": newest})
	return []sseFrame{{ID: newest, Name: "gap", Data: data}}, err
}

// eventPageJSON is a page of the catalog; Gap as in the stream.
type eventPageJSON struct {
	Items []event.Event `json:"items"`
	Next  *string       `json:"next_cursor"`
	Gap   bool          `json:"gap"`
}

func (s *Server) eventPage(c echo.Context, filter session.EventFilter) error {
	ctx := c.Request().Context()
	limit, err := limitParam(c)
	if err != nil {
		return err
	}
	place, err := s.place(ctx, c)
	if err != nil {
		return err
	}
	filter.After, filter.Limit = place.after, limit
	filter.Newest = c.QueryParam("after") == "" && c.Request().Header.Get("Last-Event-ID") == ""
	if filter.Newest || place.gap {
		filter.After = 0
	}
	items, err := s.Reader.Events(ctx, filter)
	if err != nil {
		return err
	}
	page := eventPageJSON{Items: notNil(items), Gap: place.gap}
	if len(items) == limit && limit > 0 {
		next := feedID(place.epoch, items[len(items)-1].ID)
		page.Next = &next
	}
	return writeJSON(c, http.StatusOK, page)
}
