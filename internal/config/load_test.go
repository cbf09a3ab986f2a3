package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/config"
)

// write puts a config.yaml into a fresh data folder and returns the folder.
func write(t *testing.T, body string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName), []byte(body), 0o600))
	return dir
}

func load(t *testing.T, yaml string, env ...string) (config.Config, error) {
	t.Helper()
	return config.Load(config.Sources{Environ: env, Flags: map[string]string{"data": write(t, yaml)}})
}

func TestLoad_Defaults(t *testing.T) {
	c, err := config.Load(config.Sources{Flags: map[string]string{"data": t.TempDir()}})
	require.NoError(t, err)
	require.Empty(t, c.File)
	require.Equal(t, "127.0.0.1:8080", c.Addr)
	require.Equal(t, compaction.DefaultConfig(), c.Compaction)
	require.Equal(t, 1<<20, c.Limits.MessageBytes)
	require.Equal(t, 30, c.Retention.EventsDays)
	require.Equal(t, 24, c.Retention.IdempotencyHours)
	require.Empty(t, c.Warnings)
}

// flag, environment, file, default (spec 2.2).
func TestLoad_Precedence(t *testing.T) {
	const key, env = "compaction.threshold_tokens", "TIDEMARK_COMPACTION_THRESHOLD_TOKENS=2"
	dir := write(t, "compaction: {threshold_tokens: 1}")
	for _, tc := range []struct {
		name   string
		flag   bool
		env    []string
		want   int
		origin string
	}{
		{"file", false, nil, 1, "file " + filepath.Join(dir, "config.yaml") + " line 1"},
		{"environment", false, []string{env}, 2, "environment TIDEMARK_COMPACTION_THRESHOLD_TOKENS"},
		{"flag", true, []string{env}, 3, "flag --set compaction.threshold_tokens"},
		{"empty variable", false, []string{"TIDEMARK_COMPACTION_THRESHOLD_TOKENS="}, 1, "file " + filepath.Join(dir, "config.yaml") + " line 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			flags := map[string]string{"data": dir}
			if tc.flag {
				flags[key] = "3"
			}
			c, err := config.Load(config.Sources{Flags: flags, Environ: tc.env})
			require.NoError(t, err)
			require.Equal(t, tc.want, c.Compaction.ThresholdTokens)
			require.Equal(t, tc.origin, c.Origin(key))
		})
	}
}

// A higher source wins also when it spells the setting another way.
func TestLoad_PrecedenceAcrossSpellings(t *testing.T) {
	c, err := load(t, "compaction_threshold_tokens: 1\noptions: {summarization: {enabled: false}}",
		"TIDEMARK_COMPACTION_THRESHOLD_TOKENS=2", "TIDEMARK_SUMMARIZATION_ENABLED=true")
	require.NoError(t, err)
	require.Equal(t, 2, c.Compaction.ThresholdTokens)
	require.True(t, c.Compaction.Auto)
}

func TestLoad_File(t *testing.T) {
	c, err := load(t, `
# a comment
addr: 127.0.0.1:0
model: sim:free
allowed_origins: [https://chat.example, "http://localhost:3000"]
log: {level: debug}
admin_key: " a-long-enough-admin-key\n"
compaction:
  threshold_tokens: 30_000
  max_cost_per_session_usd: 0.20
  summary_prompt_version: 1.0.0
  streaming.swap: next_turn
options.compaction.streaming.latency_budget_seconds: 0
limits:
  message_bytes: 2097152
  socket_max_age_minutes: 5
  keepalive_seconds: 15
  overrides:
    compaction.max_cost_per_session_usd: {max: "1.00"}
    compaction.threshold_tokens: {min: 1000, max: 50000}
    compaction.model: {only: [sim:summarizer]}
    compaction.profile: {locked: true}
retention: {events_days: 7}
summarization:
`)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:0", c.Addr)
	require.Equal(t, []string{"https://chat.example", "http://localhost:3000"}, c.AllowedOrigins)
	require.Equal(t, "a-long-enough-admin-key", c.AdminKey.Reveal())
	require.Equal(t, "0.2", c.Compaction.MaxCostPerSessionUSD.String())
	require.Equal(t, 0, c.Compaction.Streaming.LatencyBudgetSeconds)
	require.Equal(t, compaction.SwapNextTurn, c.Compaction.Streaming.Swap)
	require.Equal(t, 5*time.Minute, c.Limits.SocketMaxAge)
	require.Equal(t, 15*time.Second, c.Limits.Keepalive)
	require.Equal(t, 7, c.Retention.EventsDays)
	require.Equal(t, compaction.OverrideLimits{
		"compaction.max_cost_per_session_usd": {Max: "1.00"},
		"compaction.threshold_tokens":         {Min: "1000", Max: "50000"},
		"compaction.model":                    {Only: []string{"sim:summarizer"}},
		"compaction.profile":                  {Locked: true},
	}, c.OverrideLimits)
}

func TestLoad_FileRefused(t *testing.T) {
	for body, want := range map[string]string{
		"compaction: {treshold_tokens: 1}":                                  `compaction.treshold_tokens: unknown key; did you mean compaction.threshold_tokens? (file`,
		"nonsense: 1":                                                       `nonsense: unknown key (file`,
		"threshold_tokens: 5":                                               `threshold_tokens: unknown key`,
		"\n\ncompaction.threshold_tokens: 0":                                `line 3)`,
		"compaction: {threshold_tokens: 0}":                                 `compaction.threshold_tokens: 0 is not allowed; allowed: a whole number from 1 to 1000000000 (file`,
		"compaction: {threshold_tokens: \"5\"}":                             `compaction.threshold_tokens: "5" is not allowed`,
		"compaction: {mode: lazy}":                                          `compaction.mode: "lazy" is not allowed; allowed: two_phase, semantic, mechanical`,
		"compaction: {threshold_tokens: 80000}":                             `compaction.threshold_tokens: 80000 is not allowed; allowed: less than compaction.hard_cap_tokens, which is 80000 (file`,
		"compaction: {threshold_tokens: 1}\ncompaction_threshold_tokens: 2": `which is the same setting, says 1`,
		"compaction: {threshold_tokens: 1, threshold_tokens: 1}":            `compaction.threshold_tokens: stands on line 1 too; keep one`,
		"compaction: 5":                                                     `compaction: is a group`,
		"compaction: [1]":                                                   `compaction: is a group`,
		"- a\n- b":                                                          `must hold settings`,
		"just words":                                                        `must hold settings`,
		"a: &x 1\nb: *x":                                                    ``,
		"addr: *x":                                                          ``,
		"{":                                                                 `is not valid YAML`,
		"addr: 127.0.0.1:1\n---\naddr: 127.0.0.1:2":                         `more than one document`,
		"addr: nowhere":                                                     `addr: "nowhere" is not allowed; allowed: host:port`,
		"addr: 127.0.0.1:70000":                                             `addr:`,
		"addr: 127.0.0.1:http":                                              `addr:`,
		"model: best":                                                       `model: "best" is not allowed`,
		"public_url: https://u:p@host":                                      `public_url:`,
		"public_url: https://host/path":                                     `public_url:`,
		"allowed_origins: [ftp://x]":                                        `allowed_origins:`,
		"allowed_origins: [{a: 1}]":                                         `of a kind`,
		"anthropic.base_url: file:///etc":                                   `anthropic.base_url:`,
		"log.level: loud":                                                   `log.level: "loud" is not allowed; allowed: debug, info, warn, error`,
		"limits: {message_bytes: 12}":                                       `limits.message_bytes: 12 is not allowed; allowed: a whole number from 1024`,
		"limits: {message_bytes: 1.5}":                                      `limits.message_bytes: 1.5`,
		"retention: {events_days: 0}":                                       `retention.events_days: 0 is not allowed; allowed: a whole number from 1 to 36500`,
		"retention: {idempotency_hours: -1}":                                `retention.idempotency_hours: -1`,
		"limits.overrides.compaction.mode.max: semantic":                    `limits.overrides.compaction.mode: has no order`,
		"limits.overrides.compaction.threshold_tokens.most: 1":              `min and max (a value), only (a list of values), locked`,
		"limits.overrides.compaction.threshold_tokens.min: 0":               `limits.overrides.compaction.threshold_tokens: 0 is not allowed`,
		"limits.overrides.compaction.nope_never.min: 1":                     `limits.overrides.compaction.nope_never: unknown key`,
		"data: elsewhere":                                                   `data: elsewhere is not allowed; this file was found through the data folder`,
		"admin_key: \"a\\nb\"":                                              `admin_key: ******** is not allowed`,
		"addr: 2026-01-01":                                                  `of a kind`,
	} {
		_, err := load(t, body)
		require.Error(t, err, body)
		require.Contains(t, err.Error(), want, body)
		require.NotContains(t, err.Error(), "\n", body)
	}
}

func TestLoad_EnvironmentRefused(t *testing.T) {
	for env, want := range map[string]string{
		"TIDEMARK_COMPACTION_THRESHOLD_TOKENS=zero": `compaction.threshold_tokens: zero is not allowed; allowed: a whole number from 1 to 1000000000 (environment TIDEMARK_COMPACTION_THRESHOLD_TOKENS)`,
		"TIDEMARK_COMPACTION_TRESHOLD_TOKENS=1":     `TIDEMARK_COMPACTION_TRESHOLD_TOKENS: unknown key; did you mean TIDEMARK_COMPACTION_THRESHOLD_TOKENS?`,
		"TIDEMARK_LIMITS_NOTHING=1":                 `TIDEMARK_LIMITS_NOTHING: unknown key`,
		"TIDEMARK_ADDR=x":                           `addr: x is not allowed`,
		"ANTHROPIC_BASE_URL=nope":                   `anthropic.base_url: nope is not allowed`,
		"ANTHROPIC_API_KEY=sk-\x01secret":           `anthropic.api_key: ******** is not allowed`,
	} {
		_, err := load(t, "", env)
		require.Error(t, err, env)
		require.Contains(t, err.Error(), want)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := load(t, "", "TIDEMARK_COMPACTION_STREAMING_SWAP=free", "TIDEMARK_OPTIONS_SUMMARIZATION_ENABLED=true", "TIDEMARK_SUMMARIZATION_ENABLED=false")
	require.ErrorContains(t, err, "which is the same setting, says")
}

// What an orchestrator sets for a service of this name must not stop the program.
func TestLoad_ForeignVariables(t *testing.T) {
	c, err := load(t, "", "TIDEMARK_PORT=tcp://10.0.0.1:80", "TIDEMARK_SERVICE_HOST=10.0.0.1", "TIDEMARK_PROVE=1", "PATH=/bin", "=::=x", "nothing")
	require.NoError(t, err)
	require.Empty(t, c.Warnings)
	c, err = load(t, "", "TIDEMARK_ADMINKEY=0123456789abcdef")
	require.NoError(t, err)
	require.Equal(t, []string{"TIDEMARK_ADMINKEY names no setting; did you mean TIDEMARK_ADMIN_KEY?"}, c.Warnings)
}

func TestLoad_FlagsRefused(t *testing.T) {
	for key, value := range map[string]string{"addr": "x", "compaction.mode": "x", "nope": "1", "data": ""} {
		_, err := config.Load(config.Sources{Flags: map[string]string{key: value}})
		var ce *config.Error
		require.ErrorAs(t, err, &ce, key)
		require.Equal(t, key, ce.Key)
		require.Contains(t, ce.Origin, "flag --")
	}
}

func TestLoad_NamedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.yaml")
	_, err := config.Load(config.Sources{File: path})
	require.ErrorContains(t, err, path)
	_, err = config.Load(config.Sources{Environ: []string{"TIDEMARK_CONFIG=" + path}})
	require.ErrorContains(t, err, path)

	require.NoError(t, os.WriteFile(path, []byte("data: there\naddr: 127.0.0.1:9"), 0o600))
	c, err := config.Load(config.Sources{File: path})
	require.NoError(t, err)
	require.Equal(t, path, c.File)
	require.Equal(t, "there", c.Data)
}

func TestLoad_FolderInPlaceOfTheFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, config.FileName), 0o700))
	_, err := config.Load(config.Sources{Flags: map[string]string{"data": dir}})
	require.ErrorContains(t, err, config.FileName)
}

// Neither printing nor JSON nor an error shows a secret.
func TestConfig_MasksSecrets(t *testing.T) {
	const secret = "sk-ant-very-secret"
	c, err := load(t, "", "ANTHROPIC_API_KEY="+secret, "TIDEMARK_ADMIN_KEY="+secret)
	require.NoError(t, err)
	require.Equal(t, secret, c.Anthropic.APIKey.Reveal())
	var table strings.Builder
	require.NoError(t, c.Render(&table))
	lines, err := json.Marshal(c.Lines())
	require.NoError(t, err)
	whole, err := json.Marshal(c)
	require.NoError(t, err)
	for _, shown := range []string{table.String(), string(lines), string(whole), fmt.Sprintf("%v %+v %#v", c, c, c)} {
		require.NotContains(t, shown, secret)
		require.Contains(t, shown, "********")
	}
}

func TestConfig_Lines(t *testing.T) {
	c, err := load(t, "compaction: {profile: source}\nenable_auto_summarize: false", "TIDEMARK_RETENTION_EVENTS_DAYS=3")
	require.NoError(t, err)
	got := make(map[string]config.Line)
	for _, l := range c.Lines() {
		require.NotContains(t, got, l.Key)
		got[l.Key] = l
	}
	require.Equal(t, "semantic", got["compaction.mode"].Value)
	require.Equal(t, "default of profile source", got["compaction.mode"].Origin)
	require.Equal(t, config.Line{Key: "retention.events_days", Value: "3", Origin: "environment TIDEMARK_RETENTION_EVENTS_DAYS"}, got["retention.events_days"])
	require.Equal(t, "true", got["summarization.enabled"].Value)
	require.Equal(t, "false", got["enable_auto_summarize"].Value)
	require.False(t, c.Compaction.Auto)
	require.Equal(t, "default", got["limits.body_bytes"].Origin)
	require.Equal(t, "60", got["limits.socket_max_age_minutes"].Value)
	for _, k := range compaction.Knobs() {
		require.Contains(t, got, k.Key)
	}
}

func TestConfig_RenderNeutralisesTerminalText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	c := config.Default()
	c.Data = dir + "\x1b[31m"
	var out strings.Builder
	require.NoError(t, c.Render(&out))
	require.NotContains(t, out.String(), "\x1b")
}

func TestConfig_WeakAdminKey(t *testing.T) {
	c, err := load(t, "", "TIDEMARK_ADMIN_KEY=short")
	require.NoError(t, err)
	require.Len(t, c.Warnings, 1)
	require.NotContains(t, c.Warnings[0], "short")
}
