package message

import (
	"encoding/json"
	"time"
)

// Role says who speaks. There are two (spec 3.1): tool results travel in user messages.
type Role string

// The roles of a canonical message.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Seq is a place in a session's transcript, from 0, without holes. Order is by Seq, never by id or time (spec 3.3).
type Seq int64

// Span is a half-open run of transcript seqs, [Start, End), like a slice.
type Span struct {
	Start Seq `json:"start"`
	End   Seq `json:"end"`
}

// Len is the number of rows in the span.
func (s Span) Len() int { return int(s.End - s.Start) }

// Contains reports whether q lies in the span.
func (s Span) Contains(q Seq) bool { return s.Start <= q && q < s.End }

// Filler texts of synthetic assistant rows (spec 3.4, 4.7). Fillers are never facts.
const (
	FillerInterrupted = "(interrupted)"
	FillerNoAnswer    = "(no answer)"
	AckText           = "compaction acknowledged"
)

// Message is one entry of history. Rows of a transcript have Seq, TurnID and CreatedAt set; messages that exist only
// in a view (summaries, acks, notes) have Synthetic set and Seq -1.
type Message struct {
	Seq       Seq       `json:"seq"`
	Role      Role      `json:"role"`
	Blocks    Blocks    `json:"blocks"`
	TurnID    string    `json:"turn_id,omitempty"`
	Synthetic bool      `json:"synthetic,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`

	// Units and Tokens are the stored counts of spec 4.2: bytes, and the fallback estimate bytes/3 rounded up.
	Units  int `json:"units,omitempty"`
	Tokens int `json:"tokens,omitempty"`

	// CompactionSpan and CompactionCacheKey are the metadata of a summary message (spec 4.7).
	CompactionSpan     *Span  `json:"compaction_span,omitempty"`
	CompactionCacheKey string `json:"compaction_cache_key,omitempty"`
}

// NewUser builds a user message and counts it.
func NewUser(blocks ...Block) Message { return newMessage(RoleUser, blocks) }

// NewAssistant builds an assistant message and counts it.
func NewAssistant(blocks ...Block) Message { return newMessage(RoleAssistant, blocks) }

// newMessage copies the list, so that a caller who goes on appending to its own changes nothing here (case B04).
func newMessage(r Role, blocks []Block) Message {
	m := Message{Role: r, Blocks: append(Blocks(nil), blocks...)}
	m.Count()
	return m
}

// Filler builds the synthetic assistant row that closes a turn without an answer (spec 3.4).
func Filler(text string) Message {
	m := NewAssistant(Text{Text: text})
	m.Synthetic = true
	return m
}

// Count sets Units and Tokens from the blocks (spec 4.2).
func (m *Message) Count() {
	m.Units = m.Blocks.Units()
	m.Tokens = FallbackTokens(m.Units)
}

// Clone copies the message so that appending to its blocks, or to the content of a result, touches nobody else
// (case B04). Raw JSON bytes stay shared: they are never written to.
func (m Message) Clone() Message {
	m.Blocks = append(Blocks(nil), m.Blocks...)
	for i, b := range m.Blocks {
		if r, ok := b.(ToolResult); ok {
			r.Content = append(Blocks(nil), r.Content...)
			m.Blocks[i] = r
		}
	}
	if m.CompactionSpan != nil {
		span := *m.CompactionSpan
		m.CompactionSpan = &span
	}
	return m
}

// ToolUses lists the calls the message makes, in order.
func (m Message) ToolUses() []ToolUse {
	var out []ToolUse
	for _, b := range m.Blocks {
		if u, ok := b.(ToolUse); ok {
			out = append(out, u)
		}
	}
	return out
}

// ToolResults lists the results the message brings, in order.
func (m Message) ToolResults() []ToolResult {
	var out []ToolResult
	for _, b := range m.Blocks {
		if r, ok := b.(ToolResult); ok {
			out = append(out, r)
		}
	}
	return out
}

// OpensTurn reports whether a turn starts here: a user message without tool results (spec 3.2).
func (m Message) OpensTurn() bool {
	if m.Role != RoleUser || m.Synthetic {
		return false
	}
	for _, b := range m.Blocks {
		if _, ok := b.(ToolResult); ok {
			return false
		}
	}
	return true
}

// PlainText joins the text blocks by a newline.
func (m Message) PlainText() string { return m.Blocks.PlainText() }

// View is what a model is sent as messages: summaries first, then transcript rows from the watermark on (spec 3.5).
type View struct {
	Messages []Message
}

// Tokens is the fallback estimate of the whole view.
func (v View) Tokens() int {
	n := 0
	for i := range v.Messages {
		n += v.Messages[i].Tokens
	}
	return n
}

// Transcript is a list of rows in seq order.
type Transcript []Message

// Usage is what a provider reported for one call, in disjoint buckets (spec 7.3). Reasoning is part of Output.
type Usage struct {
	Input        int  `json:"input"`
	CacheRead    int  `json:"cache_read"`
	CacheWrite5m int  `json:"cache_write_5m"`
	CacheWrite1h int  `json:"cache_write_1h"`
	Output       int  `json:"output"`
	Reasoning    int  `json:"reasoning"`
	Estimated    bool `json:"-"` // true when the provider sent none and we counted
}

// Prompt is the size of the whole prompt in tokens: the sum of the input buckets.
func (u Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h }

// IsZero reports whether no tokens were counted at all.
func (u Usage) IsZero() bool { return u.Prompt() == 0 && u.Output == 0 }

// Add returns the sum of both, bucket by bucket.
func (u Usage) Add(o Usage) Usage {
	return Usage{
		u.Input + o.Input, u.CacheRead + o.CacheRead, u.CacheWrite5m + o.CacheWrite5m, u.CacheWrite1h + o.CacheWrite1h,
		u.Output + o.Output, u.Reasoning + o.Reasoning, u.Estimated || o.Estimated,
	}
}

// ToolSpec describes one tool a model may call. InputSchema is a JSON Schema object.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}
