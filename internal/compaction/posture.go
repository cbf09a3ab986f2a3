package compaction

import (
	"time"

	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// PostureState is the one compaction state a session reports; a closed set in precedence order (spec 6.6).
type PostureState string

// States, highest precedence first.
const (
	StateSummaryLinkBroken PostureState = "summary_link_broken"
	StateSwapDeferred      PostureState = "swap_deferred"
	StateSemanticRunning   PostureState = "semantic_running"
	StateSemanticReady     PostureState = "semantic_ready"
	StateSemanticCommitted PostureState = "semantic_committed"
	StateSemanticRejected  PostureState = "semantic_rejected"
	StateMechanicalActive  PostureState = "mechanical_active"
	StatePrecompactStaged  PostureState = "precompact_staged"
	StateDisabled          PostureState = "disabled"
	StateUnavailable       PostureState = "unavailable"
	StateIdle              PostureState = "idle"
)

// Reason is why; a closed set (spec 6.6, requirements D7.4).
type Reason string

// Reasons.
const (
	ReasonNoActiveCompaction     Reason = "no_active_compaction"
	ReasonAutoTrigger            Reason = "auto_trigger"
	ReasonManualRequest          Reason = "manual_request"
	ReasonBurnRate               Reason = "burn_rate"
	ReasonCooldownActive         Reason = "cooldown_active"
	ReasonMechanicalOnly         Reason = "mechanical_only"
	ReasonSemanticDisabled       Reason = "semantic_disabled"
	ReasonSemanticInFlight       Reason = "semantic_in_flight"
	ReasonSemanticTimeout        Reason = "semantic_timeout"
	ReasonSemanticCancelled      Reason = "semantic_cancelled"
	ReasonSemanticProviderError  Reason = "semantic_provider_error"
	ReasonSemanticEmpty          Reason = "semantic_empty"
	ReasonSemanticTruncated      Reason = "semantic_truncated"
	ReasonSemanticTurnRange      Reason = "semantic_turn_range_mismatch"
	ReasonSemanticZeroTokens     Reason = "semantic_zero_tokens"
	ReasonSemanticRatioExceeded  Reason = "semantic_ratio_exceeded"
	ReasonSemanticWrongLanguage  Reason = "semantic_wrong_language"
	ReasonSemanticUnclassifiable Reason = "semantic_unclassifiable"
	ReasonSemanticRetryWait      Reason = "semantic_retry_wait"
	ReasonStaleVersion           Reason = "stale_version"
	ReasonPersistFailed          Reason = "persist_failed"
	ReasonSummaryLinkMissing     Reason = "summary_link_missing"
	ReasonSummaryLinkCorrupt     Reason = "summary_link_corrupt"
	ReasonSwapCommitted          Reason = "swap_committed"
	ReasonSwapNotFree            Reason = "swap_not_free"
	ReasonConfigDisabled         Reason = "config_disabled"
	ReasonWindowUnknown          Reason = "window_unknown"
	ReasonBudgetExhausted        Reason = "budget_exhausted"
	ReasonThrashPaused           Reason = "thrash_paused"
	ReasonNoValidBoundary        Reason = "no_valid_boundary"
	ReasonOverflowRecovery       Reason = "overflow_recovery"
	ReasonTruncated              Reason = "truncated"
	ReasonElided                 Reason = "elided"
	ReasonFolded                 Reason = "folded"
	ReasonUndone                 Reason = "undone"
	ReasonPrepared               Reason = "prepared"
	ReasonTriggerUnreachable     Reason = "trigger_unreachable"
	ReasonSpanTooLarge           Reason = "span_too_large"
)

// RetentionDrop is the reason for a class the gate found wanting: retention_drop_<class> for a fail-closed one,
// retention_majority_<class> for the other two.
func RetentionDrop(c FactClass) Reason {
	if c.FailClosed() {
		return Reason("retention_drop_" + string(c))
	}
	return Reason("retention_majority_" + string(c))
}

// Posture is the state and its reason: metadata only.
type Posture struct {
	State  PostureState `json:"state"`
	Reason Reason       `json:"reason"`
}

// IdlePosture is where every session starts.
var IdlePosture = Posture{StateIdle, ReasonNoActiveCompaction}

// PostureRecord is the one record that the command line, HTTP, the protocol's extension method and the agent tool return
// alike (spec 6.6, requirements D7.5). Metadata only: no transcript text, no provider bodies.
type PostureRecord struct {
	SessionID          string                   `json:"session_id"`
	State              PostureState             `json:"state"`
	Reason             Reason                   `json:"reason"`
	Version            int64                    `json:"version"`
	TurnRange          *message.Span            `json:"turn_range"` // span of the newest applied pass
	Watermark          message.Seq              `json:"watermark"`
	Messages           message.Seq              `json:"messages"`
	UsedTokens         int                      `json:"used_tokens"` // of the next request, estimated or measured
	WindowTokens       int                      `json:"window_tokens"`
	UsageRatio         *float64                 `json:"usage_ratio"`
	Estimated          bool                     `json:"estimated"`
	PrefixTokens       int                      `json:"prefix_tokens"`
	SummaryTokens      int                      `json:"summary_tokens"`
	PendingTokens      int                      `json:"pending_tokens"` // what the next pass would cover
	TailTokens         int                      `json:"tail_tokens"`
	ThresholdTokens    int                      `json:"threshold_tokens"`
	HardCapTokens      int                      `json:"hard_cap_tokens"`
	ElidedResults      int                      `json:"elided_results"`
	PinnedBy           *message.Seq             `json:"pinned_by"` // an unanswered call that holds the watermark
	MechanicalTokens   int                      `json:"mechanical_tokens"`
	SemanticTokens     int                      `json:"semantic_tokens"`
	Retention          map[FactClass]GateCounts `json:"retention"`
	LastCompactionAt   *time.Time               `json:"last_compaction_at"`
	CooldownRemainingS int                      `json:"cooldown_remaining_s"`
	SummaryLink        string                   `json:"summary_link"` // ok, missing or broken
	CompactionCostUSD  pricing.USD              `json:"compaction_cost_usd"`
	CompactionBudget   pricing.USD              `json:"compaction_budget_usd"`
	SessionCostUSD     *pricing.USD             `json:"session_cost_usd"`
	Recent             []Pass                   `json:"recent"` // the last five records, newest first
}
