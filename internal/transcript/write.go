package transcript

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"tidemark/internal/message"
)

type sessionOut struct {
	Type   string    `json:"type"`
	ID     string    `json:"id"`
	Source string    `json:"source"`
	System string    `json:"system"`
	Tools  []toolOut `json:"tools"`
}

type toolOut struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type messageOut struct {
	Role      message.Role   `json:"role"`
	Content   message.Blocks `json:"content"`
	Usage     *wireUsage     `json:"usage,omitempty"`
	Synthetic bool           `json:"synthetic,omitempty"`
	Timestamp string         `json:"timestamp,omitempty"`
}

// Write writes a recording in the corpus form (spec 10). [Read] gives it back as it was, whatever form it came from; two
// optional keys, synthetic and timestamp, carry what the blocks cannot.
func Write(w io.Writer, rec Recording) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(sessionLine(rec)); err != nil {
		return fmt.Errorf("write session line: %w", err)
	}
	for i := range rec.Messages {
		if err := enc.Encode(messageLine(rec, i)); err != nil {
			return fmt.Errorf("write message %d: %w", i+1, err)
		}
	}
	return out.Flush()
}

func sessionLine(rec Recording) sessionOut {
	s := sessionOut{Type: "session", ID: rec.ID, Source: rec.Source, System: rec.System, Tools: []toolOut{}}
	for _, t := range rec.Tools {
		schema := t.InputSchema
		if len(schema) == 0 {
			schema = anyObject
		}
		s.Tools = append(s.Tools, toolOut{t.Name, t.Description, schema})
	}
	return s
}

func messageLine(rec Recording, i int) messageOut {
	m := rec.Messages[i]
	out := messageOut{Role: m.Role, Content: m.Blocks, Synthetic: m.Synthetic}
	if i < len(rec.Usages) {
		out.Usage = usageOut(rec.Usages[i])
	}
	if !m.CreatedAt.IsZero() {
		out.Timestamp = m.CreatedAt.UTC().Format(time.RFC3339Nano)
	}
	return out
}
