package session

import (
	"context"
	"encoding/json"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/tool"
)

// NewSession is what a client asks for. Zero parts take the server's defaults.
type NewSession struct {
	Owner      string
	CWD        string
	Title      string
	Model      string // provider:model; "" = the server's default
	System     string
	ParentID   ID // a session of the same owner, whose compaction configuration is inherited
	Tools      []message.ToolSpec
	FileTools  FileTools
	Overrides  json.RawMessage // knobs of spec 2.3, nested or dotted; nil = none
	Window     int             // sim:replay only: a smaller window than the card's; 0 = the card's
	Disconnect Disconnect
}

// FileTools says which of a client's file operations become tools of the session.
type FileTools struct{ Read, Write bool }

// Prompt is one user message on its way in.
type Prompt struct {
	Blocks message.Blocks
	Key    string           // idempotency key, "" = none
	Script []message.Blocks // sim:replay only
}

// TurnUsage is what a turn used, as the answer of a prompt tells it (protocol section 2).
type TurnUsage struct {
	Input             int          `json:"input"`
	CacheRead         int          `json:"cacheRead"`
	CacheWrite5m      int          `json:"cacheWrite5m"`
	CacheWrite1h      int          `json:"cacheWrite1h"`
	Output            int          `json:"output"`
	Steps             int          `json:"steps"`
	CostUSD           *pricing.USD `json:"costUsd"`
	CompactionCostUSD pricing.USD  `json:"compactionCostUsd"`
}

// TurnResult is how a turn ended. Err is nil for the five stop reasons of the protocol.
type TurnResult struct {
	TurnID     TurnID
	StopReason string // end_turn, max_tokens, max_turn_requests, refusal, cancelled
	Usage      TurnUsage
	Err        *TurnError
}

// TurnError codes.
const (
	CodeProviderError  = "provider_error"
	CodeBudgetExceeded = "budget_exceeded"
	CodeInterrupted    = "interrupted"
	CodeInternal       = "internal"
	CodeUnpricedModel  = "unpriced_model"
)

// TurnError says why a turn failed. Message is redacted.
type TurnError struct {
	Code       string
	Class      string // provider error class, "" when none
	Message    string
	Retryable  bool
	RetryAfter time.Duration
	RequestID  string
}

func (e *TurnError) Error() string { return e.Code + ": " + e.Message }

// Accepted is a prompt that is durable: its turn runs, or ran already when the idempotency key was known.
type Accepted struct {
	TurnID   TurnID
	Attached bool // the key named a turn that existed before
	done     <-chan struct{}
	result   *TurnResult
}

// Done closes when the turn has ended and its rows are committed.
func (a *Accepted) Done() <-chan struct{} { return a.done }

// Result is the turn's end; call it after Done.
func (a *Accepted) Result() TurnResult { return *a.result }

// Status is a session as its actor sees it now.
type Status struct {
	Record  Record
	Turn    *Turn // the running one
	Posture compaction.PostureRecord
}

// Options are the two configuration options a client may set between turns (protocol section 1).
type Options struct {
	Model          string
	CompactionMode compaction.Mode
}

// Service is what the HTTP surface needs of sessions; *Manager implements it. Ownership is the caller's to check.
type Service interface {
	Create(ctx context.Context, n NewSession) (Record, error)
	// Reopen makes a closed session usable again (load, resume or prompt by its owner).
	Reopen(ctx context.Context, id ID) error
	Prompt(ctx context.Context, id ID, p Prompt) (*Accepted, error)
	// Cancel ends the running turn, or the one whose prompt is being accepted; none running is no error.
	Cancel(ctx context.Context, id ID) error
	Compact(ctx context.Context, id ID, focus string) (compaction.Pass, error)
	Undo(ctx context.Context, id ID) (compaction.Pass, error)
	SetOptions(ctx context.Context, id ID, o Options) (Record, error)
	Status(ctx context.Context, id ID) (Status, error)
	// Partial is the unfinished assistant text of the running turn with its message id, for a client that loads.
	Partial(ctx context.Context, id ID) (messageID, text, thought string, err error)
	Close(ctx context.Context, id ID) error
	Delete(ctx context.Context, id ID) error
	// Attach adds a client to the session's broker and disconnect policy; the returned function detaches it.
	Attach(ctx context.Context, id ID, c tool.Client) (detach func(), err error)
	// Attached counts the clients of a session.
	Attached(id ID) int
	// Models lists the models a client may choose.
	Models() []string
	// CompactOnce compacts messages that belong to no session.
	CompactOnce(ctx context.Context, q CompactRequest) (CompactResult, error)
	// Note shows an agent message to the session's clients outside any turn: the answer of a command.
	Note(ctx context.Context, id ID, text string) error
}
