package web

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"tidemark/internal/acp"
	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/internal/transcript"
)

// looseJSON is the body of POST /api/v1/compact (protocol section 5).
type looseJSON struct {
	Messages   json.RawMessage `json:"messages"`
	System     string          `json:"system"`
	Model      string          `json:"model"`
	Focus      string          `json:"focus"`
	Format     string          `json:"format"`
	Compaction json.RawMessage `json:"compaction"`
}

// looseAnswer is the view that the model would be sent, with the record of the pass that made it; without a pass the
// messages are those that came.
type looseAnswer struct {
	Messages []looseMessage       `json:"messages"`
	Summary  *string              `json:"summary"`
	Record   *compaction.Pass     `json:"record"`
	Facts    map[string][]string  `json:"facts"`
	Repairs  []message.RepairNote `json:"repairs"`
}

// looseMessage is a message as any client knows it.
type looseMessage struct {
	Role   message.Role   `json:"role"`
	Blocks message.Blocks `json:"content"`
}

// apiCompactLoose compacts messages that belong to no session: the same engine, the same summary cache.
func (s *Server) apiCompactLoose(c echo.Context) error {
	in, err := readJSON[looseJSON](s, c)
	if err != nil {
		return err
	}
	msgs, system, err := in.read()
	if err != nil {
		return err
	}
	p, _ := principal(c)
	repaired, notes := message.Repair(msgs)
	res, err := s.Sessions.CompactOnce(c.Request().Context(), session.CompactRequest{
		Owner: p.Owner, Messages: repaired, System: system, Model: in.Model, Focus: in.Focus, Overrides: in.Compaction,
	})
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, newLooseAnswer(res, notes))
}

// read decodes the messages by their format; without one it is found out.
func (in looseJSON) read() (msgs []message.Message, system string, err error) {
	switch in.Format {
	case "", "anthropic", "openai":
		body, err := acp.Marshal(map[string]any{"messages": in.Messages, "system": in.System})
		if err != nil {
			return nil, "", fail("invalid_request", "messages: "+err.Error())
		}
		rec, err := transcript.Read(bytes.NewReader(body))
		if err != nil {
			return nil, "", fail("invalid_request", "messages: "+err.Error())
		}
		return rec.Messages, rec.System, nil
	case "canonical":
		var list []looseMessage
		if err := json.Unmarshal(in.Messages, &list); err != nil {
			return nil, "", fail("invalid_request", "messages: "+err.Error())
		}
		for _, m := range list {
			msgs = append(msgs, message.Message{Role: m.Role, Blocks: m.Blocks})
		}
		return msgs, in.System, nil
	}
	return nil, "", badParam("format", "must be canonical, anthropic or openai")
}

func newLooseAnswer(r session.CompactResult, notes []message.RepairNote) looseAnswer {
	a := looseAnswer{Summary: r.Summary, Record: r.Record, Facts: make(map[string][]string), Repairs: notNil(notes)}
	for _, m := range r.Messages {
		a.Messages = append(a.Messages, looseMessage{m.Role, m.Blocks})
	}
	a.Messages = notNil(a.Messages)
	for _, f := range r.Facts {
		a.Facts[string(f.Class)] = append(a.Facts[string(f.Class)], f.Text)
	}
	return a
}
