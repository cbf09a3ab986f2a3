package acp

import "encoding/json"

// NewSessionRequest asks for a session. CWD is a label here, never a folder of the server.
type NewSessionRequest struct {
	CWD        string            `json:"cwd"`
	MCPServers []json.RawMessage `json:"mcpServers"`
	Meta       Meta              `json:"_meta,omitempty"`
}

// NewSessionResponse names the new session.
type NewSessionResponse struct {
	SessionID     string         `json:"sessionId"`
	ConfigOptions []ConfigOption `json:"configOptions"`
	Meta          Meta           `json:"_meta,omitempty"`
}

// LoadSessionRequest asks for a session with its history.
type LoadSessionRequest struct {
	SessionID  string            `json:"sessionId"`
	CWD        string            `json:"cwd"`
	MCPServers []json.RawMessage `json:"mcpServers"`
	Meta       Meta              `json:"_meta,omitempty"`
}

// LoadSessionResponse closes the history.
type LoadSessionResponse struct {
	ConfigOptions []ConfigOption `json:"configOptions"`
	Meta          Meta           `json:"_meta,omitempty"`
}

// ResumeSessionRequest asks for a session without its history, or from a row on (MetaAfter, MetaEpoch).
type ResumeSessionRequest struct {
	SessionID  string            `json:"sessionId"`
	CWD        string            `json:"cwd"`
	MCPServers []json.RawMessage `json:"mcpServers,omitempty"`
	Meta       Meta              `json:"_meta,omitempty"`
}

// ResumeSessionResponse carries MetaResume.
type ResumeSessionResponse struct {
	ConfigOptions []ConfigOption `json:"configOptions"`
	Meta          Meta           `json:"_meta,omitempty"`
}

// Resume says where a session's stream stands after a resume or a load (protocol section 3, "Resume").
type Resume struct {
	ResumedFrom int64       `json:"resumedFrom"`
	Head        int64       `json:"head"`
	Epoch       string      `json:"epoch"`
	Recovered   bool        `json:"recovered"`
	Turn        *ResumeTurn `json:"turn"`
}

// ResumeTurn is the running turn.
type ResumeTurn struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

// ListSessionsRequest asks for the caller's sessions.
type ListSessionsRequest struct {
	CWD    *string `json:"cwd,omitempty"`
	Cursor *string `json:"cursor,omitempty"`
	Meta   Meta    `json:"_meta,omitempty"`
}

// ListSessionsResponse is one page.
type ListSessionsResponse struct {
	Sessions   []SessionInfo `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitempty"`
	Meta       Meta          `json:"_meta,omitempty"`
}

// SessionInfo is one session in a list.
type SessionInfo struct {
	SessionID string `json:"sessionId"`
	CWD       string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
	Meta      Meta   `json:"_meta,omitempty"`
}

// SessionRequest names a session: close, delete, cancel and our own requests without further parameters.
type SessionRequest struct {
	SessionID string `json:"sessionId"`
	Meta      Meta   `json:"_meta,omitempty"`
}

// SetModeRequest is answered with an error: no modes are advertised.
type SetModeRequest struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

// CancelRequestNotification names a request of the sender's that it no longer waits for.
type CancelRequestNotification struct {
	RequestID RequestID `json:"requestId"`
	Meta      Meta      `json:"_meta,omitempty"`
}

// SessionConfig is MetaConfig of session/new, in both directions; every part is optional in a request.
type SessionConfig struct {
	Model      string          `json:"model,omitempty"`
	System     string          `json:"system,omitempty"`
	Parent     string          `json:"parent,omitempty"`
	Compaction json.RawMessage `json:"compaction,omitempty"`
	// Window is for sim:replay alone: a smaller window than the model card's. Disconnect is continue or cancel.
	Window     int    `json:"window,omitempty"`
	Disconnect string `json:"disconnect,omitempty"`
}

// ToolSpec is one entry of MetaTools: a tool that the client runs.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}
