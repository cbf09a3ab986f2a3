package acp

import "encoding/json"

// UpdateKind tells the kinds of session updates apart.
type UpdateKind string

// The kinds that we send.
const (
	UpdateUserMessage       UpdateKind = "user_message_chunk"
	UpdateAgentMessage      UpdateKind = "agent_message_chunk"
	UpdateAgentThought      UpdateKind = "agent_thought_chunk"
	UpdateToolCall          UpdateKind = "tool_call"
	UpdateToolCallUpdate    UpdateKind = "tool_call_update"
	UpdateUsage             UpdateKind = "usage_update"
	UpdateCompaction        UpdateKind = "compaction_update"
	UpdateCompactionSummary UpdateKind = "compaction_summary_chunk"
	UpdateCommands          UpdateKind = "available_commands_update"
	UpdateConfigOptions     UpdateKind = "config_option_update"
	UpdateSessionInfo       UpdateKind = "session_info_update"
)

// SessionUpdate is one of the update structs of this package: a closed set.
type SessionUpdate interface{ updateKind() UpdateKind }

// SessionNotification carries one update of a session. Meta is that of the stream row (protocol section 2).
type SessionNotification struct {
	SessionID string        `json:"sessionId"`
	Update    SessionUpdate `json:"update"`
	Meta      Meta          `json:"_meta,omitempty"`
}

// ContentChunk is a piece of a message. All pieces of one message share its id.
type ContentChunk struct {
	SessionUpdate UpdateKind   `json:"sessionUpdate"`
	MessageID     string       `json:"messageId"`
	Content       ContentBlock `json:"content"`
	Meta          Meta         `json:"_meta,omitempty"`
}

// ToolStatus of a tool call.
type ToolStatus string

// Statuses of a tool call.
const (
	ToolPending    ToolStatus = "pending"
	ToolInProgress ToolStatus = "in_progress"
	ToolCompleted  ToolStatus = "completed"
	ToolFailed     ToolStatus = "failed"
)

// ToolCallUpdate announces a call (kind tool_call: Title is required there) or changes it: only what is set changes.
type ToolCallUpdate struct {
	SessionUpdate UpdateKind      `json:"sessionUpdate,omitempty"`
	ToolCallID    string          `json:"toolCallId"`
	Title         string          `json:"title,omitempty"`
	Name          string          `json:"name,omitempty"`
	Kind          string          `json:"kind,omitempty"`
	Status        ToolStatus      `json:"status,omitempty"`
	Content       []ToolContent   `json:"content,omitempty"`
	RawInput      json.RawMessage `json:"rawInput,omitempty"`
	Meta          Meta            `json:"_meta,omitempty"`
}

// ToolContent is one part of a tool's output.
type ToolContent struct {
	Type    string       `json:"type"`
	Content ContentBlock `json:"content"`
}

// NewToolContent wraps a block.
func NewToolContent(b ContentBlock) ToolContent { return ToolContent{Type: "content", Content: b} }

// UsageUpdate is the context gauge and the session's cost.
type UsageUpdate struct {
	SessionUpdate UpdateKind `json:"sessionUpdate"`
	Used          int        `json:"used"`
	Size          int        `json:"size"`
	Cost          *Cost      `json:"cost,omitempty"`
	Meta          Meta       `json:"_meta,omitempty"`
}

// Cost is a JSON number by the schema. The exact amount travels in MetaCostUSD.
type Cost struct {
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency"`
}

// CompactionStatus of a compaction as clients see it.
type CompactionStatus string

// Statuses of a compaction.
const (
	CompactionInProgress CompactionStatus = "in_progress"
	CompactionCompleted  CompactionStatus = "completed"
	CompactionFailed     CompactionStatus = "failed"
	CompactionCancelled  CompactionStatus = "cancelled"
)

// CompactionUpdate shows a compaction or patches it. A nil Summary leaves the text as it is, an empty one clears it.
type CompactionUpdate struct {
	SessionUpdate UpdateKind       `json:"sessionUpdate"`
	CompactionID  string           `json:"compactionId"`
	Status        CompactionStatus `json:"status"`
	Summary       *[]ContentBlock  `json:"summary,omitempty"`
	Error         string           `json:"error,omitempty"`
	Meta          Meta             `json:"_meta,omitempty"`
}

// CompactionSummaryChunk is a piece of summary text while it is written.
type CompactionSummaryChunk struct {
	SessionUpdate UpdateKind   `json:"sessionUpdate"`
	CompactionID  string       `json:"compactionId"`
	Content       ContentBlock `json:"content"`
}

// CommandsUpdate lists the slash commands.
type CommandsUpdate struct {
	SessionUpdate     UpdateKind `json:"sessionUpdate"`
	AvailableCommands []Command  `json:"availableCommands"`
}

// Command is one slash command.
type Command struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *CommandInput `json:"input,omitempty"`
}

// CommandInput hints at what may follow the command.
type CommandInput struct {
	Hint string `json:"hint"`
}

// ConfigOptionUpdate is the full list of options after a change.
type ConfigOptionUpdate struct {
	SessionUpdate UpdateKind     `json:"sessionUpdate"`
	ConfigOptions []ConfigOption `json:"configOptions"`
}

// SessionInfoUpdate changes the session's title.
type SessionInfoUpdate struct {
	SessionUpdate UpdateKind `json:"sessionUpdate"`
	Title         string     `json:"title"`
}

func (u ContentChunk) updateKind() UpdateKind           { return u.SessionUpdate }
func (u ToolCallUpdate) updateKind() UpdateKind         { return u.SessionUpdate }
func (u UsageUpdate) updateKind() UpdateKind            { return u.SessionUpdate }
func (u CompactionUpdate) updateKind() UpdateKind       { return u.SessionUpdate }
func (u CompactionSummaryChunk) updateKind() UpdateKind { return u.SessionUpdate }
func (u CommandsUpdate) updateKind() UpdateKind         { return u.SessionUpdate }
func (u ConfigOptionUpdate) updateKind() UpdateKind     { return u.SessionUpdate }
func (u SessionInfoUpdate) updateKind() UpdateKind      { return u.SessionUpdate }
