package compaction

import (
	"slices"
	"strings"

	"tidemark/internal/pricing"
)

// Knob is one setting of spec 2.3: how it is spelled, what it may be, where it stands in a Config.
type Knob struct {
	Key     string   // "compaction.threshold_tokens"
	Aliases []string // spellings of the source documents
	Allowed string   // the allowed range, in words that follow "is not allowed;"
	// ServerWide knobs hold for the whole server; a session cannot set them apart.
	ServerWide bool

	parse func(v any) (any, bool)
	set   func(c *Config, v any)
	get   func(c Config) any
}

// The two switches that Config keeps only as one, Auto.
const (
	keySummarization = "summarization.enabled"
	keyAutoSummarize = "enable_auto_summarize"
)

const (
	keyProfile   = "compaction.profile"
	keyThreshold = "compaction.threshold_tokens"
	keyHardCap   = "compaction.hard_cap_tokens"
)

// maxTokens bounds every knob that counts tokens: far above any window, far below what sums of them could overflow.
const maxTokens = 1_000_000_000

// knobs is the one table of them, in the order of spec 2.3.
var knobs = []Knob{
	boolKnob("compaction.enabled", func(c *Config) *bool { return &c.Enabled }),
	enumKnob(keyProfile, func(c *Config) *Profile { return &c.Profile }, ProfileTidemark, ProfileSource),
	enumKnob("compaction.mode", func(c *Config) *Mode { return &c.Mode }, ModeTwoPhase, ModeSemantic, ModeMechanical),
	intKnob(keyThreshold, 1, maxTokens, func(c *Config) *int { return &c.ThresholdTokens }),
	intKnob(keyHardCap, 2, maxTokens, func(c *Config) *int { return &c.HardCapTokens }),
	intKnob("compaction.preserve_recent_turns", 1, 100_000, func(c *Config) *int { return &c.PreserveRecentTurns }),
	intKnob("compaction.tail_max_tokens", 0, maxTokens, func(c *Config) *int { return &c.TailMaxTokens }),
	enumKnob("compaction.check", func(c *Config) *Check { return &c.Check }, CheckStep, CheckTurn),
	boolKnob("compaction.fold", func(c *Config) *bool { return &c.Fold }),
	modelKnob("compaction.model", func(c *Config) *string { return &c.Model }),
	intKnob("compaction.max_tokens", 1, 1_000_000, func(c *Config) *int { return &c.MaxTokens }),
	moneyKnob("compaction.max_cost_per_session_usd", func(c *Config) *pricing.USD { return &c.MaxCostPerSessionUSD }),
	enumKnob("compaction.summary_prompt_version", func(c *Config) *string { return &c.SummaryPromptVersion }, PromptVersions...),
	serverWide(intKnob("compaction.cache_max_rows", 1, 100_000_000, func(c *Config) *int { return &c.CacheMaxRows })),
	intKnob("compaction.reserve_tokens", 0, maxTokens, func(c *Config) *int { return &c.ReserveTokens }),

	intKnob("compaction.streaming.latency_budget_seconds", 0, 3600, func(c *Config) *int { return &c.Streaming.LatencyBudgetSeconds }),
	ratioKnob("compaction.streaming.precompact_threshold", func(c *Config) *float64 { return &c.Streaming.PrecompactThreshold }),
	intKnob("compaction.streaming.precompact_window", 1, 10_000, func(c *Config) *int { return &c.Streaming.PrecompactWindow }),
	intKnob("compaction.streaming.semantic_timeout_seconds", 1, 3600, func(c *Config) *int { return &c.Streaming.SemanticTimeoutSeconds }),
	boolKnob("compaction.streaming.semantic_enabled", func(c *Config) *bool { return &c.Streaming.SemanticEnabled }),
	enumKnob("compaction.streaming.swap", func(c *Config) *SwapRule { return &c.Streaming.Swap }, SwapFree, SwapNextTurn),

	switchKnob(keySummarization),
	switchKnob(keyAutoSummarize),
	intKnob("summarization.context_window_buffer", 0, maxTokens, func(c *Config) *int { return &c.ContextWindowBuffer }),
	openRatioKnob("summarization.context_window_ratio", func(c *Config) *float64 { return &c.ContextWindowRatio }),
}

// Knobs lists all knobs in the order of spec 2.3.
func Knobs() []Knob { return slices.Clone(knobs) }

// bySpelling finds a knob by its key or an alias.
var bySpelling = func() map[string]*Knob {
	m := make(map[string]*Knob)
	for i := range knobs {
		k := &knobs[i]
		k.Aliases = aliases(k.Key)
		for _, spelling := range append([]string{k.Key}, k.Aliases...) {
			m[spelling] = k
		}
	}
	return m
}()

// aliases are the spellings of the source documents: the first wrote keyword arguments, "compaction_threshold_tokens",
// the second a tree below "options" (requirements A2, D1.3, D6.2).
func aliases(key string) []string {
	rest, ours := strings.CutPrefix(key, "compaction.")
	switch {
	case !ours, strings.HasPrefix(rest, "streaming.") && !strings.HasSuffix(rest, ".swap"):
		return []string{"options." + key}
	case strings.HasPrefix(rest, "streaming."):
		return nil // the swap rule is ours; no source names it
	}
	return []string{"compaction_" + rest}
}

// LookupKnob finds a knob by any of its full spellings.
func LookupKnob(spelling string) (Knob, bool) {
	k, ok := bySpelling[spelling]
	if !ok {
		return Knob{}, false
	}
	return *k, true
}

// Check reports whether a value, spelled as given, is in range; the error is a *KnobError. An Untyped is read as the type
// of the knob, other values must have it.
func (k Knob) Check(spelling string, v any) error {
	_, err := k.read(spelling, v)
	return err
}

func (k Knob) read(spelling string, v any) (any, error) {
	parsed, ok := k.parse(v)
	if !ok {
		return nil, &KnobError{Key: spelling, Value: show(v), Allowed: k.Allowed}
	}
	return parsed, nil
}

// Show is the knob's value in a configuration, as text. The two switches are kept as one, so each shows both.
func (k Knob) Show(c Config) string {
	v := k.get(c)
	if s, ok := v.(string); ok {
		return s
	}
	return show(v)
}
