package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
	"tidemark/internal/session"
	"tidemark/views"
)

// getChat shows the chat with a new session. Who has no sessions of their own is sent to the figures.
func (s *Server) getChat(c echo.Context) error {
	r := s.reader(c)
	if !r.who.Can(auth.CapSessions) {
		return c.Redirect(http.StatusSeeOther, "/ops")
	}
	return s.drawChat(c, r, nil)
}

// getChatSession shows the chat with a session that the caller may read. Its text comes over /acp.
func (s *Server) getChatSession(c echo.Context) error {
	r := s.reader(c)
	rec, err := s.record(c.Request().Context(), r.who, c.Param("id"), mayRead)
	if err != nil {
		return err
	}
	return s.drawChat(c, r, &rec)
}

func (s *Server) drawChat(c echo.Context, r reader, rec *session.Record) error {
	current := ""
	if rec != nil {
		current = rec.ID
	}
	list, err := s.sessionList(c, current)
	if err != nil {
		return err
	}
	page := views.ChatPage{
		Page: views.Page{
			Title: "Chat", Nav: views.NavChat, Who: r.viewer(), Styles: []string{"chat.css"}, Scripts: []string{"chat/main.js"}, Fixed: true,
		},
		List: list, Models: modelChoices(s.Sessions.Models()), MaxMessage: int(s.cfg.Limits.MessageBytes),
	}
	if rec != nil {
		page.Session = newChatSession(r, *rec)
		page.Page.Title = page.Session.Title
	}
	return render(c, http.StatusOK, views.Chat(page))
}

// modelChoices are the models of the list. Replaying needs a script, so it is no choice for a person.
func modelChoices(names []string) []views.Choice {
	var out []views.Choice
	for _, name := range names {
		if name == "sim:replay" {
			continue
		}
		text := name
		if simulated(name) {
			text = strings.TrimPrefix(name, "sim:") + " (simulated)"
		}
		out = append(out, views.Choice{Value: name, Text: text})
	}
	return out
}
