package transcript

import (
	"encoding/json"

	"tidemark/internal/message"
)

// claudeRecord is a line of a Claude Code session log. Only user and assistant lines carry messages.
type claudeRecord struct {
	Type        string         `json:"type"`
	UUID        string         `json:"uuid"`
	SessionID   string         `json:"sessionId"`
	IsSidechain bool           `json:"isSidechain"`
	Timestamp   string         `json:"timestamp"`
	Message     *claudeMessage `json:"message"`
}

type claudeMessage struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Usage   json.RawMessage `json:"usage"`
}

// syntheticModel is the model name of assistant lines that the program itself wrote.
const syntheticModel = "<synthetic>"

// claudeLog is the state of reading one log.
type claudeLog struct {
	*builder
	seen map[string]bool // uuids: a resumed session repeats lines
	last string          // id of the newest assistant message
}

func readClaudeCode(lines *lineReader) (*Recording, error) {
	c := &claudeLog{&builder{rec: Recording{Form: FormClaudeCode, Source: "Claude Code"}}, make(map[string]bool), ""}
	if err := lines.each(c.line); err != nil {
		return nil, err
	}
	return c.rec.finish(), nil
}

func (c *claudeLog) line(l line) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := l.decode(&kind, wantRecord); err != nil {
		return err
	}
	if kind.Type != "user" && kind.Type != "assistant" {
		return nil // other lines may have any shape
	}
	var r claudeRecord
	if err := l.decode(&r, wantRecord); err != nil {
		return err
	}
	if r.IsSidechain || c.repeated(r.UUID) {
		return nil
	}
	if c.rec.ID == "" {
		c.rec.ID = r.SessionID
	}
	if err := c.record(&r); err != nil {
		return &Error{Line: l.number, Want: wantMessage, Err: err}
	}
	return nil
}

func (c *claudeLog) repeated(uuid string) bool {
	if uuid == "" {
		return false
	}
	was := c.seen[uuid]
	c.seen[uuid] = true
	return was
}

func (c *claudeLog) record(r *claudeRecord) error {
	if r.Message == nil || r.Message.Content == nil {
		return errNoMessage
	}
	blocks, err := content{"anthropic"}.blocks(r.Message.Content)
	if err != nil {
		return err
	}
	u, err := usage(r.Message.Usage)
	if err != nil {
		return err
	}
	if r.Type == "assistant" && c.continued(r.Message.ID, blocks, u) {
		return nil
	}
	synthetic := r.Message.Model == syntheticModel
	c.add(row{message.Role(r.Type), blocks, u, synthetic, parseTime(r.Timestamp)})
	if r.Type == "assistant" {
		c.last = r.Message.ID
	}
	return nil
}

// continued puts a further block of one API message, which has a line of its own, into its row, as long as only results
// stand between: parallel calls are then parallel again. The usage of such lines is that of the whole message, so the
// last one counts.
func (c *claudeLog) continued(id string, blocks message.Blocks, u message.Usage) bool {
	i := c.lastAssistant()
	if id == "" || id != c.last || i < 0 {
		return false
	}
	for j := i + 1; j < len(c.rec.Messages); j++ {
		if c.rec.Messages[j].OpensTurn() {
			return false
		}
	}
	c.extend(i, blocks)
	if !u.IsZero() {
		c.rec.Usages[i] = u
	}
	return true
}
