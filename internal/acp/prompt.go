package acp

// StopReason says why a turn ended.
type StopReason string

// The five stop reasons of ACP.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
)

// PromptRequest is one user message.
type PromptRequest struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
	Meta      Meta           `json:"_meta,omitempty"`
}

// PromptResponse ends a turn; its meta carries MetaUsage.
type PromptResponse struct {
	StopReason StopReason `json:"stopReason"`
	Meta       Meta       `json:"_meta,omitempty"`
}

// TurnUsage is MetaUsage: what a turn used, as of the answer. Costs are decimal strings; null means unpriced.
type TurnUsage struct {
	Input             int     `json:"input"`
	CacheRead         int     `json:"cacheRead"`
	CacheWrite5m      int     `json:"cacheWrite5m"`
	CacheWrite1h      int     `json:"cacheWrite1h"`
	Output            int     `json:"output"`
	Steps             int     `json:"steps"`
	CostUSD           *string `json:"costUsd"`
	CompactionCostUSD string  `json:"compactionCostUsd"`
}

// Sim is MetaSim: the recorded assistant messages of a turn, each a list of blocks of spec 3.1 (sim:replay only).
type Sim struct {
	Steps []RawBlocks `json:"steps"`
}
