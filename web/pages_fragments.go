package web

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"tidemark/internal/session"
	"tidemark/views"
)

// getSessionList draws the list beside the chat again.
func (s *Server) getSessionList(c echo.Context) error {
	list, err := s.sessionList(c, c.QueryParam("current"))
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.SessionListView(list))
}

// sessionList are the caller's own sessions, newest activity first.
func (s *Server) sessionList(c echo.Context, current string) (views.SessionList, error) {
	r := s.reader(c)
	recs, err := s.listSessions(c.Request().Context(), session.ListFilter{Owner: r.who.Owner})
	if err != nil {
		return views.SessionList{}, err
	}
	return newSessionList(r, recs, current), nil
}

// getContextPanel draws the context panel of the chat from the posture record.
func (s *Server) getContextPanel(c echo.Context) error {
	ctx, r := c.Request().Context(), s.reader(c)
	rec, err := s.record(ctx, r.who, c.Param("id"), maySee)
	if err != nil {
		return err
	}
	posture, err := s.postureRecord(ctx, rec)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.ContextPanelView(newContextPanel(r, rec, posture)))
}

// Bounds of one request for markup.
const (
	markdownTexts = 200
	markdownChars = 1 << 20 // of one text
)

type markdownRequest struct {
	Texts []string `json:"texts"`
}

type markdownResponse struct {
	HTML []string `json:"html"`
}

// postMarkdown draws finished answers. The browser sends the text that it was shown, so that live, replayed and loaded
// messages take one path; nothing is stored.
func (s *Server) postMarkdown(c echo.Context) error {
	in, err := readJSON[markdownRequest](s, c)
	if err != nil {
		return err
	}
	if len(in.Texts) > markdownTexts {
		return badParam("texts", fmt.Sprintf("at most %d at a time", markdownTexts))
	}
	out := markdownResponse{HTML: make([]string, len(in.Texts))}
	for i, text := range in.Texts {
		if len(text) > markdownChars {
			return badParam("texts", fmt.Sprintf("number %d is longer than %d bytes", i, markdownChars))
		}
		if out.HTML[i], err = s.shown.markdown.html(text); err != nil {
			return err
		}
	}
	return c.JSON(http.StatusOK, out)
}
