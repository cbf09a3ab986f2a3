package compaction

import (
	"time"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/pricing"
)

// Trigger says why a pass ran.
type Trigger string

// Triggers.
const (
	TriggerThreshold  Trigger = "threshold"
	TriggerHardCap    Trigger = "hard_cap"
	TriggerWindow     Trigger = "window"
	TriggerOverflow   Trigger = "overflow"
	TriggerManual     Trigger = "manual"
	TriggerPrecompact Trigger = "precompact"
	TriggerFold       Trigger = "fold"
	TriggerRepair     Trigger = "repair"
)

// Place says where a pass ran.
type Place string

// Places.
const (
	AtTurnStart Place = "turn_start"
	AtStep      Place = "step"
	AtIdle      Place = "idle"
)

// Kind says what took the span's place.
type Kind string

// Kinds.
const (
	KindSemantic   Kind = "semantic"
	KindMechanical Kind = "mechanical"
	KindTruncation Kind = "truncation"
	KindElision    Kind = "elision"
)

// Outcome of an attempt; empty while it is open.
type Outcome string

// Outcomes.
const (
	OutcomeOpen      Outcome = ""
	OutcomeCompleted Outcome = "completed"
	OutcomeFailed    Outcome = "failed"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeUndone    Outcome = "undone"
)

// FailureMode is the closed set of requirements A10.5.
type FailureMode string

// Failure modes.
const (
	FailAdapterError     FailureMode = "adapter_error"
	FailNoValidBoundary  FailureMode = "no_valid_boundary"
	FailBudgetForced     FailureMode = "budget_exhausted_forced"
	FailValidationFailed FailureMode = "validation_failed"
)

// Pass is one attempt at compaction: the compaction record of the protocol, with the same names on every surface.
type Pass struct {
	ID                      string          `json:"id"`
	SessionID               string          `json:"session_id"`
	TurnID                  string          `json:"turn_id"`
	Trigger                 Trigger         `json:"trigger"`
	At                      Place           `json:"at"`
	Attempt                 int             `json:"attempt"`
	Kind                    Kind            `json:"kind"`
	WatermarkBefore         message.Seq     `json:"watermark_before"`
	WatermarkAfter          message.Seq     `json:"watermark_after"`
	SpanStart               message.Seq     `json:"span_start"`
	SpanEnd                 message.Seq     `json:"span_end"`
	SpanMessageCount        int             `json:"span_message_count"`
	SpanTokenCountIn        int             `json:"span_token_count_in"`
	SpanTokenCountOut       int             `json:"span_token_count_out"`
	ElidedSeqs              []message.Seq   `json:"elided_seqs"`
	Threshold               int             `json:"threshold"`
	Estimator               model.Estimator `json:"estimator"`
	TokensBefore            int             `json:"tokens_before"`
	TokensAfterEstimate     int             `json:"tokens_after_estimate"`
	TokensAfterMeasured     *int            `json:"tokens_after_measured"`
	CacheHit                bool            `json:"cache_hit"`
	CacheKey                string          `json:"cache_key"`
	Model                   string          `json:"model"`
	PromptVersion           string          `json:"prompt_version"`
	CostUSD                 *pricing.USD    `json:"cost_usd"` // null = unpriced
	Usage                   message.Usage   `json:"usage"`
	LatencyMS               int64           `json:"latency_ms"`
	PrefixInvalidatedTokens int             `json:"prefix_invalidated_tokens"`
	BreakEvenTurns          *float64        `json:"break_even_turns"`
	Outcome                 Outcome         `json:"outcome"`
	FailureMode             FailureMode     `json:"failure_mode"`
	ErrorClass              string          `json:"error_class"`
	ErrorMessage            string          `json:"error_message"` // redacted
	TruncatedMessageCount   int             `json:"truncated_message_count"`
	Futile                  bool            `json:"futile"`
	Gate                    *GateVerdict    `json:"gate"`
	Candidate               *Candidate      `json:"candidate"`
	FoldedInto              string          `json:"folded_into"`
	CreatedAt               time.Time       `json:"created_at"`

	// Version is the session's compaction version after this pass was applied, 0 when it was not. It orders the
	// applied passes; it is not part of the record on the wire.
	Version int64 `json:"-"`
}

// Span is what the pass covers.
func (p Pass) Span() message.Span { return message.Span{Start: p.SpanStart, End: p.SpanEnd} }

// Applied reports whether the pass is part of the view: it has a version and was not undone. A truncation is an applied
// pass whose outcome is failed (spec 4.5).
func (p Pass) Applied() bool { return p.Version > 0 && p.Outcome != OutcomeUndone }

// GateVerdict is what the retention check found (spec 6.3).
type GateVerdict struct {
	Accepted bool                     `json:"accepted"`
	Reason   string                   `json:"reason"`
	Classes  map[FactClass]GateCounts `json:"classes"`
	Missing  []string                 `json:"missing"`
}

// GateCounts are facts kept of facts demanded, for one class.
type GateCounts struct {
	Kept  int `json:"kept"`
	Total int `json:"total"`
}

// CandidateState is what became of a semantic text (spec 6.4).
type CandidateState string

// Candidate states.
const (
	CandidateRunning  CandidateState = "running"
	CandidateReady    CandidateState = "ready"
	CandidateAccepted CandidateState = "accepted"
	CandidateRejected CandidateState = "rejected"
	CandidateStale    CandidateState = "stale"
	CandidateFailed   CandidateState = "failed"
)

// Candidate is a semantic text for a pass, its child (spec 6.4).
type Candidate struct {
	State         CandidateState `json:"state"`
	Reason        string         `json:"reason,omitempty"` // a posture reason when there is none to buy or it was turned down
	Model         string         `json:"model"`
	PromptVersion string         `json:"prompt_version"`
	CacheKey      string         `json:"cache_key"`
	CacheHit      bool           `json:"cache_hit"`
	CostUSD       *pricing.USD   `json:"cost_usd"`
	LatencyMS     int64          `json:"latency_ms"`
	TokensOut     int            `json:"tokens_out"`
	Gate          *GateVerdict   `json:"gate"`
	ErrorClass    string         `json:"error_class"`
}

// Summary is the text that stands for a span in the view. Its id is that of the pass that made it.
type Summary struct {
	ID       string       `json:"id"`
	Span     message.Span `json:"span"`
	Kind     Kind         `json:"kind"`
	Model    string       `json:"model"` // "mechanical", or provider:model
	Text     string       `json:"text"`  // raw; escaped when it is put into its envelope (spec 4.7)
	Hash     string       `json:"hash"`  // hex SHA-256 of Text, for the link check (spec 6.8)
	CacheKey string       `json:"cache_key"`
	// Request are the blocks of the row that opened the running turn, when the pass covered it (spec 4.9).
	Request    message.Blocks `json:"request,omitempty"`
	RequestSeq message.Seq    `json:"request_seq,omitempty"`
	// Digest is the bounded merge of the covered rows' digests, so that a fold merges parents instead of rows.
	Digest Digest `json:"digest"`
}
