package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/app"
	"tidemark/internal/config"
)

// result is what a command did.
type result struct {
	stdout, stderr string
	code           int
}

// tidemark runs a command line like main does.
func tidemark(t testing.TB, environ []string, args ...string) result {
	t.Helper()
	var stdout, stderr strings.Builder
	err := run(t.Context(), args, environ, &stdout, &stderr)
	code := report(&stderr, err)
	return result{stdout.String(), stderr.String(), code}
}

func requireOneLine(t testing.TB, s string) {
	t.Helper()
	require.True(t, strings.HasPrefix(s, "tidemark: "), s)
	require.Equal(t, 1, strings.Count(s, "\n"), s)
	require.NotContains(t, s, "goroutine")
}

func TestRun_Usage(t *testing.T) {
	data := filepath.Join(t.TempDir(), "none")
	for _, args := range [][]string{
		{}, {"nope"}, {"serve", "--nope"}, {"serve", "--set", "novalue", "--data", data}, {"key", "create"},
		{"key", "create", "--role", "root", "--name", "x"}, {"session", "status"}, {"replay"}, {"replay", "/nowhere.jsonl"}, {"replay", "--sample", "run.go"},
		{"serve", "--set", "compaction.fold=true", "--set", "compaction.fold=false"},
		{"session", "list", "--server", "127.0.0.1:1"}, {"session", "list", "--server", "http://127.0.0.1:1"},
	} {
		r := tidemark(t, nil, args...)
		require.Equal(t, 2, r.code, "%v: %s", args, r.stderr)
		requireOneLine(t, r.stderr)
		require.Empty(t, r.stdout)
	}
	require.NoDirExists(t, data)
}

func TestRun_BadSettings(t *testing.T) {
	for _, tc := range []struct {
		args    []string
		environ []string
		want    string
	}{
		{[]string{"serve", "--addr", "x"}, nil, "addr: x is not allowed; allowed: host:port"},
		{[]string{"serve", "--set", "compaction.threshold_tokens=0"}, nil, "compaction.threshold_tokens: 0 is not allowed; allowed: a whole number from 1"},
		{[]string{"serve"}, []string{"TIDEMARK_COMPACTION_MODE=lazy"}, "compaction.mode: lazy is not allowed; allowed: two_phase, semantic, mechanical (environment TIDEMARK_COMPACTION_MODE)"},
		{[]string{"serve"}, []string{"TIDEMARK_MODEL=anthropic:claude-sonnet-4-6"}, "it needs ANTHROPIC_API_KEY to be set"},
		{[]string{"config", "--set", "nope=1"}, nil, "nope: unknown key"},
	} {
		args := append(tc.args, "--data", filepath.Join(t.TempDir(), "d"))
		r := tidemark(t, tc.environ, args...)
		require.Equal(t, 2, r.code, r.stderr)
		requireOneLine(t, r.stderr)
		require.Contains(t, r.stderr, tc.want)
	}
}

func TestRun_Help(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"session", "compact", "--help"}, {"replay", "-h"}} {
		r := tidemark(t, nil, args...)
		require.Zero(t, r.code)
		require.Contains(t, r.stdout, "Usage: tidemark")
	}
}

func TestRun_Version(t *testing.T) {
	r := tidemark(t, nil, "version", "--json")
	require.Zero(t, r.code)
	var f buildFacts
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &f))
	require.NotEmpty(t, f.Go)
	require.NotEmpty(t, f.PriceTable)
	require.Contains(t, tidemark(t, nil, "version").stdout, f.PriceTable)
}

func TestRun_Config(t *testing.T) {
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, config.FileName), []byte("compaction: {threshold_tokens: 20000}"), 0o600))
	environ := []string{"TIDEMARK_DATA=" + data, "ANTHROPIC_API_KEY=sk-secret-key", "TIDEMARK_RETENTION_EVENTS_DAYS=3"}
	r := tidemark(t, environ, "config", "--json", "--set", "log.level=warn")
	require.Zero(t, r.code, r.stderr)
	var lines []config.Line
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &lines))
	got := make(map[string]config.Line)
	for _, l := range lines {
		got[l.Key] = l
	}
	require.Equal(t, "20000", got["compaction.threshold_tokens"].Value)
	require.Contains(t, got["compaction.threshold_tokens"].Origin, "config.yaml line 1")
	require.Equal(t, "flag --set log.level", got["log.level"].Origin)
	require.Equal(t, "environment TIDEMARK_RETENTION_EVENTS_DAYS", got["retention.events_days"].Origin)
	table := tidemark(t, environ, "config").stdout
	require.NotContains(t, r.stdout+table, "sk-secret-key")
	require.Contains(t, table, "********")
}

// Keys at rest: made, shown once, listed without the secret, revoked.
func TestRun_Keys(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	made := tidemark(t, nil, "key", "create", "--role", "client", "--name", "ada", "--data", data)
	require.Zero(t, made.code, made.stderr)
	secret := strings.TrimSpace(made.stdout)
	require.True(t, strings.HasPrefix(secret, "tmk_"))
	require.Contains(t, made.stderr, "shown this once")

	listed := tidemark(t, nil, "key", "list", "--data", data)
	require.Zero(t, listed.code)
	require.Contains(t, listed.stdout, "ada")
	require.NotContains(t, listed.stdout, secret)
	var keys []keyRow
	require.NoError(t, json.Unmarshal([]byte(tidemark(t, nil, "key", "list", "--json", "--data", data).stdout), &keys))
	require.Len(t, keys, 1)
	require.Nil(t, keys[0].ExpiresAt)

	revoked := tidemark(t, nil, "key", "revoke", keys[0].ID, "--data", data)
	require.Zero(t, revoked.code, revoked.stderr)
	require.Contains(t, revoked.stdout, "is revoked")
	gone := tidemark(t, nil, "key", "revoke", "nope", "--data", data)
	require.Equal(t, 1, gone.code)
	requireOneLine(t, gone.stderr)

	bad := tidemark(t, nil, "key", "create", "--role", "client", "--name", "../up", "--data", data)
	require.Equal(t, 1, bad.code)
	requireOneLine(t, bad.stderr)
	require.Contains(t, bad.stderr, "name")
}

func TestRun_NoDataFolder(t *testing.T) {
	data := filepath.Join(t.TempDir(), "typo")
	for _, args := range [][]string{{"session", "list"}, {"session", "status", "x"}, {"key", "list"}, {"signin"}} {
		r := tidemark(t, nil, append(args, "--data", data)...)
		require.Equal(t, 1, r.code)
		requireOneLine(t, r.stderr)
		require.Contains(t, r.stderr, "holds no sessions yet")
	}
	require.NoDirExists(t, data, "a look must not make folders")
}

func TestRun_SigninNeedsAServer(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	require.Zero(t, tidemark(t, nil, "key", "create", "--role", "admin", "--name", "a", "--data", data).code)
	r := tidemark(t, nil, "signin", "--data", data)
	require.Equal(t, 1, r.code)
	require.Contains(t, r.stderr, "start one with tidemark serve")
}

// serving opens a server on a fresh folder.
func serving(t testing.TB) (*app.App, string) {
	t.Helper()
	cfg := config.Default()
	cfg.Addr, cfg.Data = "127.0.0.1:0", filepath.Join(t.TempDir(), "data")
	a, err := app.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(context.Background())) })
	return a, cfg.Data
}

func TestRun_SigninFindsTheServer(t *testing.T) {
	a, data := serving(t)
	r := tidemark(t, nil, "signin", "--data", data)
	require.Zero(t, r.code, r.stderr)
	require.True(t, strings.HasPrefix(r.stdout, a.URL()+"/login#ticket="), r.stdout)

	_, secret, err := a.Auth().CreateKey(t.Context(), "boss", "admin", 0)
	require.NoError(t, err)
	named := tidemark(t, []string{"TIDEMARK_SERVER=" + a.URL(), "TIDEMARK_KEY=" + secret}, "signin")
	require.Zero(t, named.code, named.stderr)
	require.NotEqual(t, r.stdout, named.stdout)

	wrong := tidemark(t, nil, "signin", "--server", a.URL(), "--key", "wrong")
	require.Equal(t, 1, wrong.code)
	require.Contains(t, wrong.stderr, "does not accept this key")
}

func TestRun_ServerGone(t *testing.T) {
	a, _ := serving(t)
	url := a.URL()
	require.NoError(t, a.Close(context.Background()))
	r := tidemark(t, nil, "session", "list", "--server", url, "--key", "x")
	require.Equal(t, 1, r.code)
	requireOneLine(t, r.stderr)
	require.Contains(t, r.stderr, "no answer from "+url)
}

func TestReport(t *testing.T) {
	var out strings.Builder
	require.Equal(t, 0, report(&out, nil))
	require.Empty(t, out.String())
	require.Equal(t, 1, report(&out, errors.Join(errors.New("a"), errors.New("b\x1b[31m"))))
	require.Equal(t, "tidemark: a; b?[31m\n", out.String())
	require.Equal(t, 2, report(&out, usageError{errors.New("x")}))
	require.Equal(t, 2, report(&out, &config.Error{}))
}
