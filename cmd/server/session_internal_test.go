package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/app"
	"tidemark/internal/message"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
)

// talk makes a session of some turns that is worth compacting, but does not do so by itself.
func talk(t testing.TB, a *app.App) string {
	t.Helper()
	rec, err := a.Sessions().Create(t.Context(), session.NewSession{
		Owner: "ada", CWD: "/", Title: "a \x1b[31mred\x1b[0m title", Overrides: json.RawMessage(`{"preserve_recent_turns": 1, "mode": "mechanical"}`),
	})
	require.NoError(t, err)
	for _, turn := range sim.SampleSession(6) {
		acc, err := a.Sessions().Prompt(t.Context(), rec.ID, session.Prompt{Blocks: message.Blocks{message.Text{Text: turn.Prompt}}})
		require.NoError(t, err)
		<-acc.Done()
		require.Nil(t, acc.Result().Err)
	}
	return rec.ID
}

// The same commands answer alike against a running server and its folder at rest.
func TestRun_Session(t *testing.T) {
	a, data := serving(t)
	id := talk(t, a)
	for _, when := range []string{"running", "at rest"} {
		t.Run(when, func(t *testing.T) {
			list := tidemark(t, nil, "session", "list", "--data", data)
			require.Zero(t, list.code, list.stderr)
			require.Contains(t, list.stdout, id)
			require.NotContains(t, list.stdout, "\x1b")
			var rows []sessionRow
			require.NoError(t, json.Unmarshal([]byte(tidemark(t, nil, "session", "list", "--json", "--data", data).stdout), &rows))
			require.Len(t, rows, 1)
			require.Equal(t, 6, rows[0].Turns)

			compact := tidemark(t, nil, "session", "compact", id, "--focus", "parcels", "--data", data)
			require.Zero(t, compact.code, compact.stderr)
			require.Contains(t, compact.stdout, "mechanical completed (manual): watermark 0 -> ")

			status := tidemark(t, nil, "session", "status", id, "--data", data)
			require.Zero(t, status.code, status.stderr)
			require.Contains(t, status.stdout, "mechanical_active")
			require.Contains(t, status.stdout, "mechanical completed (manual)")
			var p postureRow
			require.NoError(t, json.Unmarshal([]byte(tidemark(t, nil, "session", "status", id, "--json", "--data", data).stdout), &p))
			require.Equal(t, id, p.SessionID)
			require.NotZero(t, p.Watermark)

			undo := tidemark(t, nil, "session", "undo", id, "--json", "--data", data)
			require.Zero(t, undo.code, undo.stderr)
			require.Contains(t, undo.stdout, `"outcome": "undone"`)
			again := tidemark(t, nil, "session", "undo", id, "--data", data)
			require.Equal(t, 1, again.code)
			requireOneLine(t, again.stderr)
			require.Contains(t, again.stderr, "no compaction to undo")

			missing := tidemark(t, nil, "session", "status", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--data", data)
			require.Equal(t, 1, missing.code)
			requireOneLine(t, missing.stderr)
			require.Contains(t, missing.stderr, "session 01ARZ3NDEKTSV4RRFFQ69G5FAV: not found; tidemark session list")
			revoked := tidemark(t, nil, "key", "revoke", "nope", "--data", data)
			require.Equal(t, 1, revoked.code)
			require.Contains(t, revoked.stderr, "key nope: not found; tidemark key list")
		})
		require.NoError(t, a.Close(context.Background()))
	}
}

const tinyTranscript = `{"type":"session","id":"r","source":"test","system":"be brief","tools":["ls"]}
{"role":"user","content":"list the files"}
{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ls","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"a.txt"}]}
{"role":"assistant","content":"a.txt"}
{"role":"user","content":"thank you"}
`

// Without a server, replay serves the folder itself for the time it takes.
func TestRun_Replay(t *testing.T) {
	dir := t.TempDir()
	file, data := filepath.Join(dir, "tiny.jsonl"), filepath.Join(dir, "data")
	require.NoError(t, os.WriteFile(file, []byte(tinyTranscript), 0o600))
	r := tidemark(t, nil, "replay", "--data", data, "--settings", "threshold_tokens=1000", file)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "tiny.jsonl")
	require.Contains(t, r.stderr, "serving it on http://127.0.0.1:")

	kept := tidemark(t, nil, "session", "list", "--data", data)
	require.Equal(t, 2, strings.Count(kept.stdout, "\n"), "the session stays to be looked at")

	asJSON := tidemark(t, nil, "replay", "--json", "--data", data, "--window", "50000", file)
	require.Zero(t, asJSON.code, asJSON.stderr)
	var report struct {
		Files []struct {
			Turns, Steps int
			Violations   []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(asJSON.stdout), &report))
	require.Equal(t, 2, report.Files[0].Turns)
	require.Equal(t, 3, report.Files[0].Steps)
	require.Empty(t, report.Files[0].Violations)

	bad := tidemark(t, nil, "replay", "--data", data, "--settings", "threshold_tokens=0", file)
	require.Equal(t, 1, bad.code)
	require.Contains(t, bad.stdout, "threshold_tokens: 0 is not allowed")
	odd := tidemark(t, nil, "replay", "--data", data, "--model", "sim:assistant", "--window", "5", file)
	require.Equal(t, 1, odd.code)
	require.Contains(t, odd.stderr, "only sim:replay")

	require.NoError(t, os.WriteFile(file, []byte("{\"type\":\"session\"}\nnot json\n"), 0o600))
	broken := tidemark(t, nil, "replay", "--data", data, file)
	require.Equal(t, 1, broken.code)
	requireOneLine(t, strings.TrimPrefix(broken.stderr, strings.SplitAfter(broken.stderr, "for this run.\n")[0]))
	require.Contains(t, broken.stderr, file)
}

func TestRun_BenchFidelity(t *testing.T) {
	dir := t.TempDir()
	none := tidemark(t, nil, "bench", "fidelity", dir)
	require.Equal(t, 1, none.code)
	require.Contains(t, none.stderr, "holds no transcripts")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "tiny.jsonl"), []byte(tinyTranscript), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.csv"), []byte("a,b"), 0o600))
	r := tidemark(t, nil, "bench", "fidelity", "--json", dir)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, `"files": 1`)
	require.Zero(t, tidemark(t, nil, "bench", "fidelity", dir).code)
	require.Equal(t, 2, tidemark(t, nil, "bench", "fidelity", filepath.Join(dir, "nowhere")).code)
}

func TestRun_ServeDrains(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	ctx, cancel := context.WithCancel(t.Context())
	stdout, stderr := &lineWaiter{want: "Sign in", seen: cancel}, &strings.Builder{}
	require.NoError(t, run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--data", data}, nil, stdout, stderr))
	require.Contains(t, stdout.got.String(), "Tidemark is listening on http://127.0.0.1:")
	require.Contains(t, stdout.got.String(), "/login#ticket=")
	require.Contains(t, stderr.String(), "draining")
}

// lineWaiter calls seen when a text was written.
type lineWaiter struct {
	got  strings.Builder
	want string
	seen func()
}

func (l *lineWaiter) Write(p []byte) (int, error) {
	n, err := l.got.Write(p)
	if strings.Contains(l.got.String(), l.want) {
		l.seen()
	}
	return n, err
}
