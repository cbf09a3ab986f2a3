package transcript

import (
	"encoding/json"
	"time"

	"tidemark/internal/message"
)

// codexRecord is a line of a Codex rollout: a typed payload. Older rollouts have the payload without the envelope.
type codexRecord struct {
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type codexMeta struct {
	ID           string          `json:"id"`
	Instructions json.RawMessage `json:"instructions"`
	Base         *struct {
		Text string `json:"text"`
	} `json:"base_instructions"`
}

// codexLog is the state of reading one rollout.
type codexLog struct {
	*builder
	in content
	at time.Time
	// answering is true while items belong to the model answer in the newest row.
	answering bool
}

func readCodex(lines *lineReader) (*Recording, error) {
	rec := Recording{Form: FormCodex, Source: "Codex"}
	c := &codexLog{builder: &builder{rec: rec}, in: content{"openai"}}
	if err := lines.each(c.line); err != nil {
		return nil, err
	}
	return c.rec.finish(), nil
}

func (c *codexLog) line(l line) error {
	var r codexRecord
	if err := l.decode(&r, wantRecord); err != nil {
		return err
	}
	if t := parseTime(r.Timestamp); !t.IsZero() {
		c.at = t
	}
	if r.Payload == nil {
		r.Payload = l.data
		if r.Type != "compacted" {
			r.Type = bareType(r.Type)
		}
	}
	want, err := c.record(r.Type, r.Payload)
	if err != nil {
		return &Error{Line: l.number, Want: want, Err: err}
	}
	return nil
}

// bareType tells what a line without an envelope is: an item, the head of the file, or a state line.
func bareType(item string) string {
	if item == "" {
		return "session_meta"
	}
	return "response_item"
}

// record reads one payload. With an error it says what was expected.
func (c *codexLog) record(kind string, payload json.RawMessage) (string, error) {
	switch kind {
	case "session_meta":
		return "session facts", c.meta(payload)
	case "response_item":
		return wantItem, c.item(payload)
	case "compacted":
		return "a compaction summary", c.compacted(payload)
	case "event_msg":
		return wantUsage, c.event(payload)
	}
	return "", nil // settings and whatever comes later are no part of the conversation
}

func (c *codexLog) meta(payload json.RawMessage) error {
	var m codexMeta
	if err := json.Unmarshal(payload, &m); err != nil {
		return err
	}
	if c.rec.ID != "" || m.ID == "" {
		return nil // a forked rollout repeats the head of its parent
	}
	c.rec.ID = m.ID
	s, err := system(m.Instructions)
	if m.Base != nil {
		s = m.Base.Text
	}
	c.rec.System = joinSystem(s, c.rec.System)
	return err
}

// compacted adds the summary as a user message. The rows it replaced stand in the file, as in every transcript.
func (c *codexLog) compacted(payload json.RawMessage) error {
	var m struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(payload, &m); err != nil || m.Message == "" {
		return err
	}
	c.speak(message.RoleUser, message.Blocks{message.Text{Text: m.Message}})
	return nil
}

// speak adds blocks: what the model says goes into the row of the running answer.
func (c *codexLog) speak(role message.Role, blocks message.Blocks) {
	if role == message.RoleAssistant && c.answering {
		c.extend(len(c.rec.Messages)-1, blocks)
		return
	}
	c.add(row{role: role, blocks: blocks, at: c.at})
	c.answering = role == message.RoleAssistant
}
