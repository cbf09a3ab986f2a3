package compaction

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/pricing"
)

// Every knob with its edges: what is just inside and just outside its range (spec 2.3).
func TestKnobs_Edges(t *testing.T) {
	num := func(s string) any { return json.Number(s) }
	for key, tc := range map[string]struct{ good, bad []any }{
		"compaction.enabled":                            {[]any{true, false, Untyped("true")}, []any{"true", num("1"), nil, Untyped("yes")}},
		"compaction.profile":                            {[]any{"tidemark", "source"}, []any{"", "Source", "metis", true, nil}},
		"compaction.mode":                               {[]any{"semantic", "two_phase", "mechanical"}, []any{"", "two-phase", "SEMANTIC", num("1")}},
		"compaction.threshold_tokens":                   {[]any{num("1"), num("79999"), Untyped("30000"), num("3e4"), num("30000.0")}, []any{num("0"), num("-1"), num("1.5"), num("1e30"), "30000", true, nil, []any{num("1")}}},
		"compaction.hard_cap_tokens":                    {[]any{num("30001"), num("1000000000")}, []any{num("1"), num("0"), num("1000000001")}},
		"compaction.preserve_recent_turns":              {[]any{num("1"), num("100000")}, []any{num("0"), num("-5"), num("100001")}},
		"compaction.tail_max_tokens":                    {[]any{num("0"), num("1000000000")}, []any{num("-1"), num("1000000001")}},
		"compaction.check":                              {[]any{"turn", "step"}, []any{"", "steps"}},
		"compaction.fold":                               {[]any{true, false}, []any{"false", nil}},
		"compaction.model":                              {[]any{"", "sim:summarizer", "openrouter:anthropic/claude-haiku-4.5"}, []any{"haiku", ":x", "x:", "a:b c", "a:\x1b[31m", "a:" + strings.Repeat("b", 200), num("1")}},
		"compaction.max_tokens":                         {[]any{num("1"), num("1000000")}, []any{num("0"), num("1000001")}},
		"compaction.max_cost_per_session_usd":           {[]any{"0", "0.20", "0.000000000001", Untyped("0.2")}, []any{"-0.01", "", "a", "1e3", "0.0000000000001", num("0.2"), "99999999999"}},
		"compaction.summary_prompt_version":             {[]any{"1.0.0"}, []any{"", "9.9.9", "1.0"}},
		"compaction.cache_max_rows":                     {[]any{num("1"), num("100000000")}, []any{num("0"), num("-1")}},
		"compaction.reserve_tokens":                     {[]any{num("0"), num("10000")}, []any{num("-1")}},
		"compaction.streaming.latency_budget_seconds":   {[]any{num("0"), num("3600")}, []any{num("-1"), num("0.5"), num("3601")}},
		"compaction.streaming.precompact_threshold":     {[]any{num("0.01"), num("1")}, []any{num("0"), num("1.01"), "0.7", Untyped("NaN")}},
		"compaction.streaming.precompact_window":        {[]any{num("1"), num("10000")}, []any{num("0"), num("10001")}},
		"compaction.streaming.semantic_timeout_seconds": {[]any{num("1"), num("3600")}, []any{num("0"), num("3601")}},
		"compaction.streaming.semantic_enabled":         {[]any{true, false}, []any{"on"}},
		"compaction.streaming.swap":                     {[]any{"free", "next_turn"}, []any{"", "never"}},
		"summarization.enabled":                         {[]any{true, false}, []any{"x"}},
		"enable_auto_summarize":                         {[]any{true, false}, []any{"x"}},
		"summarization.context_window_buffer":           {[]any{num("0"), num("20000")}, []any{num("-1")}},
		"summarization.context_window_ratio":            {[]any{num("0.01"), num("0.99")}, []any{num("0"), num("1"), num("-0.1")}},
	} {
		t.Run(key, func(t *testing.T) {
			k, ok := LookupKnob(key)
			require.True(t, ok)
			for _, v := range tc.good {
				require.NoError(t, k.Check(key, v), "%v", v)
			}
			for _, v := range tc.bad {
				var ke *KnobError
				require.ErrorAs(t, k.Check(key, v), &ke, "%v", v)
				require.Equal(t, key, ke.Key)
				require.Contains(t, ke.Error(), ke.Allowed)
			}
		})
	}
}

func TestKnobs_TableIsWhole(t *testing.T) {
	require.Len(t, Knobs(), 25)
	for _, k := range Knobs() {
		require.NoError(t, k.Check(k.Key, k.get(DefaultConfig())), "default of %s", k.Key)
		require.NotEmpty(t, k.Allowed)
	}
	require.NoError(t, Validate(DefaultConfig()))
	require.NoError(t, Validate(SourceDefaults(DefaultConfig())))
}

// The spellings of the source documents reach the same knobs (requirements A2, D1.3, D6.2).
func TestLookupKnob_SourceSpellings(t *testing.T) {
	for spelling, key := range map[string]string{
		"compaction_threshold_tokens":                           "compaction.threshold_tokens",
		"compaction_hard_cap_tokens":                            "compaction.hard_cap_tokens",
		"compaction_preserve_recent_turns":                      "compaction.preserve_recent_turns",
		"compaction_model":                                      "compaction.model",
		"compaction_max_cost_per_session_usd":                   "compaction.max_cost_per_session_usd",
		"compaction_summary_prompt_version":                     "compaction.summary_prompt_version",
		"compaction_cache_max_rows":                             "compaction.cache_max_rows",
		"compaction_enabled":                                    "compaction.enabled",
		"options.enable_auto_summarize":                         "enable_auto_summarize",
		"options.summarization.enabled":                         "summarization.enabled",
		"options.summarization.context_window_buffer":           "summarization.context_window_buffer",
		"options.summarization.context_window_ratio":            "summarization.context_window_ratio",
		"options.compaction.streaming.latency_budget_seconds":   "compaction.streaming.latency_budget_seconds",
		"options.compaction.streaming.precompact_threshold":     "compaction.streaming.precompact_threshold",
		"options.compaction.streaming.precompact_window":        "compaction.streaming.precompact_window",
		"options.compaction.streaming.semantic_timeout_seconds": "compaction.streaming.semantic_timeout_seconds",
		"options.compaction.streaming.semantic_enabled":         "compaction.streaming.semantic_enabled",
	} {
		k, ok := LookupKnob(spelling)
		require.True(t, ok, spelling)
		require.Equal(t, key, k.Key)
	}
	for _, spelling := range []string{"options.compaction.streaming.swap", "options.compaction.mode", "threshold_tokens", ""} {
		_, ok := LookupKnob(spelling)
		require.False(t, ok, spelling)
	}
}

func TestApply_SetsEachKnob(t *testing.T) {
	raw := `{"compaction": {
		"enabled": false, "profile": "tidemark", "mode": "mechanical", "threshold_tokens": 1000, "hard_cap_tokens": 2000,
		"preserve_recent_turns": 2, "tail_max_tokens": 0, "check": "turn", "fold": false, "model": "sim:free",
		"max_tokens": 512, "max_cost_per_session_usd": "1.5", "summary_prompt_version": "1.0.0", "cache_max_rows": 7,
		"reserve_tokens": 99,
		"streaming": {"latency_budget_seconds": 0, "precompact_threshold": 0.5, "precompact_window": 3,
			"semantic_timeout_seconds": 9, "semantic_enabled": false, "swap": "next_turn"}},
		"summarization": {"enabled": false, "context_window_buffer": 5, "context_window_ratio": 0.1},
		"enable_auto_summarize": true}`
	got, err := ApplyJSON(DefaultConfig(), json.RawMessage(raw))
	require.NoError(t, err)
	want := Config{
		Profile: ProfileTidemark, Mode: ModeMechanical, ThresholdTokens: 1000, HardCapTokens: 2000, PreserveRecentTurns: 2,
		Check: CheckTurn, Model: "sim:free", MaxTokens: 512, MaxCostPerSessionUSD: pricing.Must("1.5"),
		SummaryPromptVersion: "1.0.0", CacheMaxRows: 7, ReserveTokens: 99,
		Streaming:           Streaming{PrecompactThreshold: 0.5, PrecompactWindow: 3, SemanticTimeoutSeconds: 9, Swap: SwapNextTurn},
		ContextWindowBuffer: 5, ContextWindowRatio: 0.1,
	}
	require.Equal(t, want, got)
}

func TestApply_Spellings(t *testing.T) {
	for name, overrides := range map[string]string{
		"nested":   `{"compaction": {"streaming": {"swap": "next_turn"}, "threshold_tokens": 100}}`,
		"dotted":   `{"compaction.streaming.swap": "next_turn", "compaction.threshold_tokens": 100}`,
		"relative": `{"streaming": {"swap": "next_turn"}, "threshold_tokens": 100}`,
		"mixed":    `{"streaming.swap": "next_turn", "compaction_threshold_tokens": 100}`,
		"agreeing": `{"streaming.swap": "next_turn", "compaction_threshold_tokens": 100, "threshold_tokens": 1e2}`,
	} {
		t.Run(name, func(t *testing.T) {
			c, err := ApplyJSON(DefaultConfig(), json.RawMessage(overrides))
			require.NoError(t, err)
			require.Equal(t, 100, c.ThresholdTokens)
			require.Equal(t, SwapNextTurn, c.Streaming.Swap)
		})
	}
}

func TestApply_Refuses(t *testing.T) {
	for overrides, want := range map[string]string{
		`{"treshold_tokens": 1}`:                                    `treshold_tokens: unknown key; did you mean threshold_tokens?`,
		`{"compaction": {"mood": "x"}}`:                             `compaction.mood: unknown key; did you mean compaction.fold?`,
		`{"nothing_like_it": 1}`:                                    `nothing_like_it: unknown key`,
		`{"threshold_tokens": 0}`:                                   `threshold_tokens: 0 is not allowed; allowed: a whole number from 1 to 1000000000`,
		`{"threshold_tokens": 80000}`:                               `threshold_tokens: 80000 is not allowed; allowed: less than compaction.hard_cap_tokens, which is 80000`,
		`{"hard_cap_tokens": 30000}`:                                `compaction.hard_cap_tokens: 30000 is not allowed; allowed: more than compaction.threshold_tokens, which is 30000`,
		`{"compaction_threshold_tokens": 1, "threshold_tokens": 2}`: `threshold_tokens: 2 is not allowed; compaction_threshold_tokens, which is the same setting, says 1`,
		`{"compaction.fold": true, "compaction": {"fold": false}}`:  `compaction.fold: true is not allowed; the same key says false`,
		`{"compaction": 5}`:                                         `compaction: is a group of settings, not one`,
		`{"max_cost_per_session_usd": 0.2}`:                         `max_cost_per_session_usd: 0.2 is not allowed; allowed: a decimal string of "0" or more with at most 12 decimals, like "0.20"`,
		`{"mode": {"a": 1}}`:                                        `mode.a: unknown key; did you mean mode?`,
		`{"mode": null}`:                                            `mode: null is not allowed; allowed: two_phase, semantic, mechanical`,
		`[1]`:                                                       `compaction: [1] is not allowed; allowed: an object of knobs`,
		`{} {}`:                                                     `compaction: {} {} is not allowed; allowed: an object of knobs`,
	} {
		c, err := ApplyJSON(DefaultConfig(), json.RawMessage(overrides))
		var ke *KnobError
		require.ErrorAs(t, err, &ke, overrides)
		require.Equal(t, want, err.Error())
		require.Equal(t, DefaultConfig(), c, "a refusal changes nothing")
	}
}

func TestApply_NothingGiven(t *testing.T) {
	for _, raw := range []string{"", " ", "null", "{}"} {
		c, err := ApplyJSON(DefaultConfig(), json.RawMessage(raw))
		require.NoError(t, err)
		require.Equal(t, DefaultConfig(), c)
	}
}

// The profile's defaults hold unless a knob is set apart (spec 2.3).
func TestApply_Profile(t *testing.T) {
	source, err := Apply(DefaultConfig(), map[string]any{"profile": "source"})
	require.NoError(t, err)
	require.Equal(t, SourceDefaults(DefaultConfig()), source)

	apart, err := Apply(DefaultConfig(), map[string]any{"profile": "source", "mode": "mechanical", "fold": true})
	require.NoError(t, err)
	require.Equal(t, ModeMechanical, apart.Mode)
	require.True(t, apart.Fold)
	require.Equal(t, CheckTurn, apart.Check)

	back, err := Apply(source, map[string]any{"profile": "tidemark"})
	require.NoError(t, err)
	require.Equal(t, DefaultConfig(), back)

	kept, err := Apply(apart, map[string]any{"profile": "source"})
	require.NoError(t, err)
	require.Equal(t, apart, kept, "naming the profile in force resets nothing")
}

// Both switches must be on for automatic passes.
func TestApply_Auto(t *testing.T) {
	for _, tc := range []struct{ enabled, auto, want bool }{{true, true, true}, {true, false, false}, {false, true, false}, {false, false, false}} {
		c, err := Apply(DefaultConfig(), map[string]any{"summarization.enabled": tc.enabled, "enable_auto_summarize": tc.auto})
		require.NoError(t, err)
		require.Equal(t, tc.want, c.Auto)
	}
}

func TestApply_HostileInput(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	long := `{"` + strings.Repeat("k", 1<<20) + `": 1}`
	for _, raw := range []string{deep, long} {
		_, err := ApplyJSON(DefaultConfig(), json.RawMessage(raw))
		var ke *KnobError
		require.ErrorAs(t, err, &ke)
		require.Less(t, len(err.Error()), 500)
	}
}

func TestValidate_StoredConfig(t *testing.T) {
	c := DefaultConfig()
	c.SummaryPromptVersion = "0.0.1"
	require.ErrorContains(t, Validate(c), "compaction.summary_prompt_version")
	c = DefaultConfig()
	c.HardCapTokens = c.ThresholdTokens
	require.ErrorContains(t, Validate(c), "compaction.hard_cap_tokens")
}

func TestOverride_Limits(t *testing.T) {
	limits := OverrideLimits{
		"compaction.threshold_tokens":         {Min: "1000", Max: "40000"},
		"compaction.max_cost_per_session_usd": {Max: "0.50"},
		"compaction_model":                    {Only: []string{"sim:summarizer"}},
		"compaction.profile":                  {Locked: true},
	}
	require.NoError(t, limits.Validate())
	for raw, want := range map[string]string{
		`{"threshold_tokens": 1000}`:            "",
		`{"threshold_tokens": 999}`:             "at least 1000",
		`{"threshold_tokens": 40001}`:           "at most 40000",
		`{"max_cost_per_session_usd": "0.5"}`:   "",
		`{"max_cost_per_session_usd": "0.51"}`:  "at most 0.50",
		`{"model": "sim:summarizer"}`:           "",
		`{"model": "sim:free"}`:                 "only sim:summarizer",
		`{"profile": "source"}`:                 "does not let sessions change it",
		`{"profile": "tidemark"}`:               "",
		`{"cache_max_rows": 5}`:                 "whole server",
		`{"cache_max_rows": 1000}`:              "",
		`{"mode": "mechanical", "fold": false}`: "",
	} {
		c, err := Override(DefaultConfig(), json.RawMessage(raw), limits)
		if want == "" {
			require.NoError(t, err, raw)
			continue
		}
		require.ErrorContains(t, err, want, raw)
		require.Equal(t, DefaultConfig(), c)
	}
}

func TestOverrideLimits_Validate(t *testing.T) {
	for want, l := range map[string]OverrideLimits{
		"unknown key":         {"compaction.nope_not_here": {Max: "1"}},
		"has no order":        {"compaction.mode": {Max: "semantic"}},
		"0 is not allowed":    {"compaction.threshold_tokens": {Min: "0"}},
		"lazy is not allowed": {"compaction.mode": {Only: []string{"lazy"}}},
	} {
		require.ErrorContains(t, l.Validate(), want)
	}
}

func FuzzApplyJSON(f *testing.F) {
	f.Add(`{"compaction": {"threshold_tokens": 100}}`)
	f.Add(`{"profile": "source", "mode": "semantic"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		c, err := ApplyJSON(DefaultConfig(), json.RawMessage(raw))
		if err == nil {
			require.NoError(t, Validate(c))
		} else {
			require.Equal(t, DefaultConfig(), c)
		}
	})
}
