package replay

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tidemark/internal/acp"
)

// twoTurns is a recording with one tool call in each of its two turns.
const twoTurns = `{"type":"session","id":"r","source":"test","system":"be brief","tools":["ls"]}
{"role":"user","content":"list the files"}
{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ls","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"a.txt"}]}
{"role":"assistant","content":"a.txt"}
{"role":"user","content":"again"}
{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"ls","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"2","content":"a.txt"}]}
{"role":"assistant","content":"still a.txt"}
`

func writeFile(t testing.TB, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
	return path
}

func TestRun(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	f := newFakeServer(t)
	var seen []Progress
	r, err := Run(t.Context(), Config{
		URL: f.URL, Key: "good", Window: 5000, Settings: json.RawMessage(`{"mode":"mechanical"}`),
		Progress: func(p Progress) { seen = append(seen, p) },
	}, []string{writeFile(t, twoTurns)})
	require.NoError(t, err)
	require.True(t, r.OK(), "%+v", r.Files)
	require1Each(t, f, 2)
	require.Equal(t, Progress{Files: 1, FilesDone: 1, Turns: 2, TurnsDone: 2, File: "r.jsonl"}, seen[len(seen)-1])
	require.Len(t, seen, 3)

	require.Len(t, f.created, 1)
	require.JSONEq(t, `{"model":"sim:replay","system":"be brief","compaction":{"mode":"mechanical"},"window":5000}`, string(f.created[0].Meta[acp.MetaConfig]))
	require.JSONEq(t, `[{"name":"ls","description":"","inputSchema":{"type":"object"}}]`, string(f.created[0].Meta[acp.MetaTools]))
	require.JSONEq(t, `{"content":[{"type":"text","text":"a.txt"}],"isError":false}`, f.answers[0])
	require.JSONEq(t, `{"outcome":{"outcome":"selected","optionId":"allow_always"}}`, f.allowed[0])
	f.Close()
}

// However often the socket is cut, each turn runs once and no stream row is missed.
func TestRun_SurvivesCutSockets(t *testing.T) {
	file := writeFile(t, twoTurns)
	for frame := range 14 {
		f := newFakeServer(t)
		var cuts atomic.Int32
		cfg := Config{URL: f.URL, Key: "good", drop: func(n int) bool { return n == frame && cuts.Add(1) <= 2 }}
		r, err := Run(t.Context(), cfg, []string{file})
		require.NoError(t, err)
		require.Empty(t, r.Files[0].Error, "cut at frame %d", frame)
		require1Each(t, f, 2)
		for _, v := range r.Files[0].Violations {
			require.NotContains(t, v, "stream row", "cut at frame %d", frame)
		}
	}
}

func TestRun_WaitsWhenAsked(t *testing.T) {
	f := newFakeServer(t)
	var asked atomic.Int32
	f.refuse = func(method string) *acp.Error {
		if method != acp.MethodPrompt || asked.Add(1) > 2 {
			return nil
		}
		e := acp.NewError(acp.CodeRateLimited, "rate_limited", "slow down")
		e.Data.RetryAfterMS = 5
		return e
	}
	r, err := Run(t.Context(), Config{URL: f.URL, Key: "good"}, []string{writeFile(t, twoTurns)})
	require.NoError(t, err)
	require.True(t, r.OK(), "%+v", r.Files)
	require1Each(t, f, 2)
}

func TestRun_FailedTurnIsAViolation(t *testing.T) {
	f := newFakeServer(t)
	var asked atomic.Int32
	f.refuse = func(method string) *acp.Error {
		if method == acp.MethodPrompt && asked.Add(1) == 1 {
			return acp.NewError(acp.CodeProviderError, "provider_error", "the provider is down")
		}
		return nil
	}
	r, err := Run(t.Context(), Config{URL: f.URL, Key: "good"}, []string{writeFile(t, twoTurns)})
	require.NoError(t, err)
	require.Empty(t, r.Files[0].Error)
	require.Contains(t, r.Files[0].Violations[0], "turn 1 failed: the provider is down")
	require1Each(t, f, 1)
}

func TestRun_HoleInTheStream(t *testing.T) {
	f := newFakeServer(t)
	f.skip = true
	r, err := Run(t.Context(), Config{URL: f.URL, Key: "good"}, []string{writeFile(t, twoTurns)})
	require.NoError(t, err)
	require.Contains(t, r.Files[0].Violations, "stream row 4 came after row 2")
	require.False(t, r.OK())
}

func TestRun_Refused(t *testing.T) {
	f := newFakeServer(t)
	file := writeFile(t, twoTurns)
	r, err := Run(t.Context(), Config{URL: f.URL, Key: "bad"}, []string{file})
	require.NoError(t, err)
	require.Contains(t, r.Files[0].Error, "does not accept this key; make one with `tidemark key create")

	f.refuse = func(method string) *acp.Error {
		if method == acp.MethodSessionNew {
			return acp.InvalidParams("compaction.threshold_tokens", "0 is not allowed")
		}
		return nil
	}
	r, err = Run(t.Context(), Config{URL: f.URL, Key: "good"}, []string{file})
	require.NoError(t, err)
	require.Contains(t, r.Files[0].Error, "open a session: compaction.threshold_tokens: 0 is not allowed")

	f.Close()
	r, err = Run(t.Context(), Config{URL: f.URL, Key: "good"}, []string{file})
	require.NoError(t, err)
	require.Contains(t, r.Files[0].Error, "connect to "+f.URL)
	require.Equal(t, 1, r.Total.Errors)
}

func TestRun_Cancelled(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	f := newFakeServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Run(ctx, Config{URL: f.URL, Key: "good", Progress: func(p Progress) { cancel() }}, []string{writeFile(t, twoTurns)})
	require.ErrorIs(t, err, context.Canceled)
	require.NotEmpty(t, r.Files[0].Error)
	f.Close()
}

func TestReport_Table(t *testing.T) {
	f := newFakeServer(t)
	r, err := Run(t.Context(), Config{URL: f.URL, Key: "good"}, []string{writeFile(t, twoTurns)})
	require.NoError(t, err)
	r.Files[0].Violations = make([]string, 12)
	var out strings.Builder
	require.NoError(t, r.WriteTable(&out))
	require.Contains(t, out.String(), "r.jsonl: and 2 more")
	require.Contains(t, out.String(), "violations")
	require.Contains(t, out.String(), "total")
	b, err := json.Marshal(r)
	require.NoError(t, err)
	require.Contains(t, string(b), `"cost_usd":"0"`)
}
