package acp

import "encoding/json"

// ProtocolVersion is the only version of ACP that we speak.
const ProtocolVersion = 1

// ExtVersion is the version of our extension block.
const ExtVersion = 1

// Flag is a capability that is told by an object: {} means yes, absence and null mean no.
type Flag struct{}

// InitializeRequest opens a connection.
type InitializeRequest struct {
	ProtocolVersion    *int               `json:"protocolVersion"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities,omitzero"`
	ClientInfo         *Implementation    `json:"clientInfo,omitempty"`
	Meta               Meta               `json:"_meta,omitempty"`
}

// ClientCapabilities is what a client can do.
type ClientCapabilities struct {
	FS       FSCapabilities             `json:"fs,omitzero"`
	Terminal bool                       `json:"terminal,omitempty"`
	Session  *ClientSessionCapabilities `json:"session,omitempty"`
	Meta     Meta                       `json:"_meta,omitempty"`
}

// FSCapabilities says which file operations a client serves.
type FSCapabilities struct {
	ReadTextFile  bool `json:"readTextFile,omitempty"`
	WriteTextFile bool `json:"writeTextFile,omitempty"`
}

// ClientSessionCapabilities says which session updates a client understands beyond the basic ones.
type ClientSessionCapabilities struct {
	Compaction json.RawMessage `json:"compaction,omitempty"`
	Meta       Meta            `json:"_meta,omitempty"`
}

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// InitializeResponse is our side of the opening.
type InitializeResponse struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	AuthMethods       []AuthMethod      `json:"authMethods"`
	AgentInfo         Implementation    `json:"agentInfo"`
	Meta              Meta              `json:"_meta,omitempty"`
}

// AgentCapabilities is what we can do.
type AgentCapabilities struct {
	LoadSession         bool                `json:"loadSession"`
	PromptCapabilities  PromptCapabilities  `json:"promptCapabilities"`
	MCPCapabilities     MCPCapabilities     `json:"mcpCapabilities"`
	SessionCapabilities SessionCapabilities `json:"sessionCapabilities"`
	Auth                AgentAuth           `json:"auth"`
	Meta                Meta                `json:"_meta,omitempty"`
}

// PromptCapabilities says which blocks a prompt may hold beside text and links.
type PromptCapabilities struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
}

// MCPCapabilities says which MCP servers a session may name.
type MCPCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

// SessionCapabilities says which optional session verbs exist.
type SessionCapabilities struct {
	List   *Flag `json:"list,omitempty"`
	Resume *Flag `json:"resume,omitempty"`
	Close  *Flag `json:"close,omitempty"`
	Delete *Flag `json:"delete,omitempty"`
}

// AgentAuth says whether logout exists.
type AgentAuth struct {
	Logout *Flag `json:"logout,omitempty"`
}

// AuthMethod is one way to sign in.
type AuthMethod struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Ext is our extension block (protocol section 2).
type Ext struct {
	Version     int  `json:"version"`
	Seq         bool `json:"seq"`
	ResumeAfter bool `json:"resumeAfter"`
	Idempotency bool `json:"idempotency"`
	Tools       bool `json:"tools"`
	Budgets     bool `json:"budgets"`
}

// AuthenticateRequest chooses a way to sign in.
type AuthenticateRequest struct {
	MethodID string `json:"methodId"`
	Meta     Meta   `json:"_meta,omitempty"`
}

// Empty are the params or the result of methods that have none.
type Empty struct {
	Meta Meta `json:"_meta,omitempty"`
}

// Capabilities is what the mapping of stream rows needs to know of a client: a plain value, comparable.
type Capabilities struct {
	Ext        bool // understands our extension fields
	Compaction bool // declared session.compaction
	ReadFile   bool
	WriteFile  bool
}

// Capabilities reads what a client declared.
func (c ClientCapabilities) Capabilities() Capabilities {
	out := Capabilities{Ext: c.Meta.Has(MetaExt), ReadFile: c.FS.ReadTextFile, WriteFile: c.FS.WriteTextFile}
	if c.Session != nil {
		out.Compaction = len(c.Session.Compaction) > 0 && c.Session.Compaction[0] == '{'
	}
	return out
}
