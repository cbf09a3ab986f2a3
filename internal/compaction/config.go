package compaction

import (
	"time"

	"tidemark/internal/pricing"
)

// Profile selects a set of defaults: the project's own rules, or the source rules to the letter (spec 2.3).
type Profile string

// Profiles.
const (
	ProfileTidemark Profile = "tidemark"
	ProfileSource   Profile = "source"
)

// Mode says how a span gets its summary (spec 4.1).
type Mode string

// Modes.
const (
	ModeSemantic   Mode = "semantic"
	ModeTwoPhase   Mode = "two_phase"
	ModeMechanical Mode = "mechanical"
)

// Check says where a session looks whether to compact (spec 4.9).
type Check string

// Checks.
const (
	CheckTurn Check = "turn"
	CheckStep Check = "step"
)

// SwapRule says when a late semantic summary may take its place (spec 6.4).
type SwapRule string

// Swap rules.
const (
	SwapFree     SwapRule = "free"
	SwapNextTurn SwapRule = "next_turn"
)

// Config is the effective set of compaction knobs of one session, stored with it (spec 2.3). Its JSON is the nested
// form of the configuration file; durations are whole seconds there.
type Config struct {
	Enabled              bool        `json:"enabled"`
	Profile              Profile     `json:"profile"`
	Mode                 Mode        `json:"mode"`
	ThresholdTokens      int         `json:"threshold_tokens"`
	HardCapTokens        int         `json:"hard_cap_tokens"`
	PreserveRecentTurns  int         `json:"preserve_recent_turns"`
	TailMaxTokens        int         `json:"tail_max_tokens"` // 0 = no bound
	Check                Check       `json:"check"`
	Fold                 bool        `json:"fold"`
	Model                string      `json:"model"` // "" = the small model of the session's model
	MaxTokens            int         `json:"max_tokens"`
	MaxCostPerSessionUSD pricing.USD `json:"max_cost_per_session_usd"`
	SummaryPromptVersion string      `json:"summary_prompt_version"`
	CacheMaxRows         int         `json:"cache_max_rows"`
	ReserveTokens        int         `json:"reserve_tokens"` // 0 = the request's max output + 2 % of the window
	Streaming            Streaming   `json:"streaming"`

	// The window trigger and the switches of the source's `summarization` group (spec 4.1, requirements D1).
	Auto                bool    `json:"auto"` // summarization.enabled and enable_auto_summarize, both true
	ContextWindowBuffer int     `json:"context_window_buffer"`
	ContextWindowRatio  float64 `json:"context_window_ratio"`
}

// Streaming are the knobs of the two-phase contract (spec section 6).
type Streaming struct {
	LatencyBudgetSeconds   int      `json:"latency_budget_seconds"`
	PrecompactThreshold    float64  `json:"precompact_threshold"`
	PrecompactWindow       int      `json:"precompact_window"`
	SemanticTimeoutSeconds int      `json:"semantic_timeout_seconds"`
	SemanticEnabled        bool     `json:"semantic_enabled"`
	Swap                   SwapRule `json:"swap"`
}

// LatencyBudget is how long a turn start waits inline for a candidate.
func (s Streaming) LatencyBudget() time.Duration {
	return time.Duration(s.LatencyBudgetSeconds) * time.Second
}

// SemanticTimeout limits one summarization call.
func (s Streaming) SemanticTimeout() time.Duration {
	return time.Duration(s.SemanticTimeoutSeconds) * time.Second
}

// DefaultConfig is spec 2.3.
func DefaultConfig() Config {
	return Config{
		Enabled: true, Profile: ProfileTidemark, Mode: ModeTwoPhase,
		ThresholdTokens: 30_000, HardCapTokens: 80_000, PreserveRecentTurns: 5, TailMaxTokens: 20_000,
		Check: CheckStep, Fold: true, MaxTokens: 4096, MaxCostPerSessionUSD: pricing.Must("0.20"),
		SummaryPromptVersion: "1.0.0", CacheMaxRows: 1000,
		Streaming: Streaming{
			LatencyBudgetSeconds: 5, PrecompactThreshold: 0.7, PrecompactWindow: 20,
			SemanticTimeoutSeconds: 120, SemanticEnabled: true, Swap: SwapFree,
		},
		Auto: true, ContextWindowBuffer: 20_000, ContextWindowRatio: 0.2,
	}
}

// SourceDefaults are the knobs that `compaction.profile: source` sets unless they are set apart (spec 2.3).
func SourceDefaults(c Config) Config {
	c.Profile, c.Mode, c.TailMaxTokens, c.Check, c.Fold = ProfileSource, ModeSemantic, 0, CheckTurn, false
	return c
}

// PromptVersions are the versions of the summary prompt that exist in the code; others are refused (spec 2.3).
var PromptVersions = []string{"1.0.0"}
