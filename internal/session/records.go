package session

import (
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// ID names a session, TurnID a turn; both are monotonic ULIDs as text.
type (
	ID     = string
	TurnID = string
)

// State of a session.
type State string

// Session states (protocol, "Session states").
const (
	StateIdle    State = "idle"
	StateRunning State = "running"
	StateClosed  State = "closed"
	StateDeleted State = "deleted"
)

// Disconnect says what happens to a running turn when nobody is attached any more.
type Disconnect string

// Disconnect policies.
const (
	DisconnectContinue Disconnect = "continue"
	DisconnectCancel   Disconnect = "cancel"
)

// ForkPoint says where a fork left its source: rows before Seq were copied.
type ForkPoint struct {
	SessionID ID          `json:"session_id"`
	Seq       message.Seq `json:"seq"`
}

// Record is what the store keeps of a session beside its rows. Running totals are columns, updated in the transaction
// that changes them.
type Record struct {
	ID         ID
	Owner      string
	Title      string
	Model      string // provider:model
	State      State
	CWD        string // a label; never touched on this machine
	System     string
	Tools      []message.ToolSpec // sorted by name
	Compaction compaction.Config
	ParentID   ID
	ForkedFrom *ForkPoint
	Disconnect Disconnect
	CreatedAt  time.Time
	UpdatedAt  time.Time

	Epoch      event.Epoch
	StreamHead event.StreamSeq // newest row given
	NextSeq    message.Seq     // of the next transcript row
	Watermark  message.Seq
	Version    int64   // compaction version: applied passes, folds, swaps, undos
	Factor     float64 // estimator factor of spec 4.2, 1 when none

	Turns             int
	Calls             int
	UnpricedCalls     int
	Passes            int // applied
	SummaryCacheHits  int
	Usage             message.Usage // all calls
	CostUSD           pricing.USD   // every priced ledger row
	CompactionCostUSD pricing.USD   // part of it
	ContextTokens     int           // prompt of the newest measured turn call, 0 = not known
	WindowTokens      int
	LastCallAt        time.Time
	Posture           compaction.Posture
	Memory            compaction.Memory // what the planner remembers of earlier attempts
}

// ExactCost is what the session cost, "" when a call of it had no price: a sum of the others would pass for exact.
func (r Record) ExactCost() string {
	if r.UnpricedCalls > 0 {
		return ""
	}
	return r.CostUSD.String()
}

// TurnState of a turn.
type TurnState string

// Turn states.
const (
	TurnRunning     TurnState = "running"
	TurnCompleted   TurnState = "completed"
	TurnCancelled   TurnState = "cancelled"
	TurnFailed      TurnState = "failed"
	TurnInterrupted TurnState = "interrupted" // the server restarted
)

// Turn is one user message and everything up to the next one.
type Turn struct {
	ID                TurnID        `json:"id"`
	SessionID         ID            `json:"session_id"`
	State             TurnState     `json:"state"`
	StopReason        string        `json:"stop_reason"`
	Steps             int           `json:"steps"`
	Usage             message.Usage `json:"usage"`
	CostUSD           *pricing.USD  `json:"cost_usd"` // null when a call was unpriced
	CompactionCostUSD pricing.USD   `json:"compaction_cost_usd"`
	StartedAt         time.Time     `json:"started_at"`
	EndedAt           *time.Time    `json:"ended_at"`

	OpenSeq      message.Seq `json:"-"` // seq of the user row that opened it
	Key          string      `json:"-"` // idempotency key, "" = none
	BodyHash     string      `json:"-"` // of the prompt blocks
	ErrorCode    string      `json:"error_code,omitempty"`
	ErrorClass   string      `json:"error_class,omitempty"`
	ErrorMessage string      `json:"error_message,omitempty"` // redacted
	Unpriced     bool        `json:"-"`
}

// Purpose of a model call (spec 7.7).
type Purpose string

// Purposes.
const (
	PurposeTurn       Purpose = "turn"
	PurposeCompaction Purpose = "compaction"
	PurposeEval       Purpose = "eval"
	PurposeBench      Purpose = "bench"
)

// LedgerRow is one model call (spec 7.7).
type LedgerRow struct {
	ID              string        `json:"id"`
	SessionID       ID            `json:"session_id"`
	ParentSessionID ID            `json:"parent_session_id"`
	TurnID          TurnID        `json:"turn_id"`
	Step            int           `json:"step"`
	Purpose         Purpose       `json:"purpose"`
	PricingMode     string        `json:"pricing_mode"` // sync or batch
	Provider        string        `json:"provider"`
	Model           string        `json:"model"`
	Attempt         int           `json:"attempt"`
	CompactionID    string        `json:"compaction_id"`
	Usage           message.Usage `json:"usage"`
	Estimated       bool          `json:"estimated"`
	CostUSD         *pricing.USD  `json:"cost_usd"` // null = unpriced
	PriceVersion    string        `json:"price_version"`
	RequestID       string        `json:"request_id"`
	PrefixHash      string        `json:"prefix_hash"`
	CacheBreak      string        `json:"cache_break"`
	Outcome         string        `json:"outcome"` // ok, failed, cancelled
	ErrorClass      string        `json:"error_class"`
	LatencyMS       int64         `json:"latency_ms"`
	CreatedAt       time.Time     `json:"created_at"`
	Owner           string        `json:"-"`
}

// Info is a session as the API shows it (protocol section 5).
type Info struct {
	ID                ID                 `json:"id"`
	Owner             string             `json:"owner"`
	Title             string             `json:"title"`
	Model             string             `json:"model"`
	State             State              `json:"state"`
	CWD               string             `json:"cwd"`
	CreatedAt         time.Time          `json:"created_at"`
	UpdatedAt         time.Time          `json:"updated_at"`
	Turns             int                `json:"turns"`
	Messages          int                `json:"messages"`
	Watermark         message.Seq        `json:"watermark"`
	ContextTokens     int                `json:"context_tokens"`
	WindowTokens      int                `json:"window_tokens"`
	CostUSD           *pricing.USD       `json:"cost_usd"` // null when nothing could be priced
	CompactionCostUSD pricing.USD        `json:"compaction_cost_usd"`
	UnpricedCalls     int                `json:"unpriced_calls"`
	CacheHitRate      *float64           `json:"cache_hit_rate"` // cache reads / all input; null before the first call
	Usage             message.Usage      `json:"usage"`
	Compactions       int                `json:"compactions"`
	SummaryCacheHits  int                `json:"summary_cache_hits"`
	Posture           compaction.Posture `json:"posture"`
	ParentSessionID   ID                 `json:"parent_session_id"`
	ForkedFrom        *ForkPoint         `json:"forked_from"`
	Config            compaction.Config  `json:"config"`
	Attached          int                `json:"attached"` // live clients; filled by the manager
}

// NewInfo shows a record.
func NewInfo(r Record) Info {
	i := Info{
		ID: r.ID, Owner: r.Owner, Title: r.Title, Model: r.Model, State: r.State, CWD: r.CWD, CreatedAt: r.CreatedAt,
		UpdatedAt: r.UpdatedAt, Turns: r.Turns, Messages: int(r.NextSeq), Watermark: r.Watermark,
		ContextTokens: r.ContextTokens, WindowTokens: r.WindowTokens, CompactionCostUSD: r.CompactionCostUSD,
		UnpricedCalls: r.UnpricedCalls, Usage: r.Usage, Compactions: r.Passes, SummaryCacheHits: r.SummaryCacheHits,
		Posture: r.Posture, ParentSessionID: r.ParentID, ForkedFrom: r.ForkedFrom, Config: r.Compaction,
	}
	if r.UnpricedCalls == 0 || !r.CostUSD.IsZero() {
		cost := r.CostUSD
		i.CostUSD = &cost
	}
	if p := r.Usage.Prompt(); p > 0 {
		rate := float64(r.Usage.CacheRead) / float64(p)
		i.CacheHitRate = &rate
	}
	return i
}
