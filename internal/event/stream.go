package event

import (
	"encoding/json"
	"time"
)

// StreamSeq is the place of a row in what one session's clients are shown: from 1, no holes.
type StreamSeq int64

// ID is the place of a catalog event: server-wide, increasing.
type ID int64

// Epoch is the generation of a log; it changes only when the log is rebuilt or restored.
type Epoch string

// StreamKind is the kind of a stream row; a closed set, mapped to the wire in one place.
type StreamKind string

// Kinds of stream rows.
const (
	StreamUserMessage   StreamKind = "user_message"   // UserMessage
	StreamText          StreamKind = "text"           // Text
	StreamThought       StreamKind = "thought"        // Text
	StreamToolCall      StreamKind = "tool_call"      // ToolCall
	StreamToolUpdate    StreamKind = "tool_update"    // ToolUpdate
	StreamUsage         StreamKind = "usage"          // Gauge
	StreamCompaction    StreamKind = "compaction"     // Compaction
	StreamSummaryChunk  StreamKind = "summary_chunk"  // SummaryChunk
	StreamCommands      StreamKind = "commands"       // null
	StreamConfigOptions StreamKind = "config_options" // ConfigOptions
	StreamInfo          StreamKind = "info"           // Info
	StreamTurn          StreamKind = "turn"           // TurnMark
)

// StreamRow is one row; Payload is the JSON of the payload type of its kind. Seq is 0 until the store has numbered it.
type StreamRow struct {
	SessionID string
	Seq       StreamSeq
	Epoch     Epoch
	Kind      StreamKind
	TurnID    string
	At        time.Time
	Payload   json.RawMessage
}

// NewStreamRow encodes a payload; it panics when the payload cannot be encoded, which is a programming error.
func NewStreamRow(sessionID, turnID string, kind StreamKind, at time.Time, payload any) StreamRow {
	return StreamRow{SessionID: sessionID, TurnID: turnID, Kind: kind, At: at.UTC(), Payload: mustJSON(payload)}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("event payload: " + err.Error())
	}
	return b
}

// UserMessage is one block of the accepted prompt; the rows of one prompt share the message id. Block is the JSON of one
// block of spec 3.1.
type UserMessage struct {
	MessageID string          `json:"message_id"`
	Block     json.RawMessage `json:"block"`
}

// Text is a batch of answer or reasoning text of one assistant message.
type Text struct {
	MessageID string `json:"message_id"`
	Text      string `json:"text"`
}

// ToolCall announces a call, with its input once known.
type ToolCall struct {
	CallID string          `json:"call_id"`
	Name   string          `json:"name"`
	Title  string          `json:"title"`
	Status string          `json:"status"` // pending, in_progress
	Input  json.RawMessage `json:"input,omitempty"`
}

// ToolUpdate reports progress or the end of a call.
type ToolUpdate struct {
	CallID    string          `json:"call_id"`
	Status    string          `json:"status"` // in_progress, completed, failed
	Input     json.RawMessage `json:"input,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"` // spec 3.1 blocks
	Cancelled bool            `json:"cancelled,omitempty"`
}

// Gauge is the context gauge and the exact cost. Used and Window are 0 when not known.
type Gauge struct {
	Used      int      `json:"used"`
	Window    int      `json:"window"`
	CostUSD   string   `json:"cost_usd"`
	Estimated bool     `json:"estimated,omitempty"`
	Posture   *Posture `json:"posture,omitempty"` // only when it changed
}

// Posture is the state and reason of spec 6.6.
type Posture struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
}

// Compaction shows a pass as it stands: Record is the compaction record of the protocol, Status in_progress, completed,
// failed or cancelled, Summary the whole text when it comes with this row (nil = not in this row).
type Compaction struct {
	CompactionID string          `json:"compaction_id"`
	Status       string          `json:"status"`
	Summary      *string         `json:"summary,omitempty"`
	Record       json.RawMessage `json:"record"`
}

// SummaryChunk is streamed summary text (mode semantic only).
type SummaryChunk struct {
	CompactionID string `json:"compaction_id"`
	Text         string `json:"text"`
}

// ConfigOptions is the session's current choice of the two options (model, compaction mode).
type ConfigOptions struct {
	Model          string `json:"model"`
	CompactionMode string `json:"compaction_mode"`
}

// Info changes the session's shown facts.
type Info struct {
	Title string `json:"title"`
}

// TurnMark opens and closes a turn on the wire. State is started or ended.
type TurnMark struct {
	State      string `json:"state"`
	StopReason string `json:"stop_reason,omitempty"`
}
