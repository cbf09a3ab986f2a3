package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/e2e"
	"tidemark/internal/replay"
)

// longTranscript is a recording of many small tool cycles, so that a kill lands anywhere in a turn.
func longTranscript(t *testing.T, turns, cycles int) string {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	line := func(v any) { require.NoError(t, enc.Encode(v)) }
	line(map[string]any{"type": "session", "id": "long", "source": "test", "system": "be brief", "tools": []string{"read"}})
	for i := range turns {
		line(map[string]any{"role": "user", "content": fmt.Sprintf("Look at part %d of internal/part%d.go.", i, i)})
		for j := range cycles {
			id := fmt.Sprintf("call-%d-%d", i, j)
			line(map[string]any{"role": "assistant", "content": []any{map[string]any{
				"type": "tool_use", "id": id, "name": "read", "input": map[string]any{"path": fmt.Sprintf("internal/part%d.go", i), "line": j},
			}}})
			line(map[string]any{"role": "user", "content": []any{map[string]any{
				"type": "tool_result", "tool_use_id": id, "content": strings.Repeat(fmt.Sprintf("line %d of part %d\n", j, i), 30),
			}}})
		}
		line(map[string]any{"role": "assistant", "content": fmt.Sprintf("Part %d is in order.", i)})
	}
	path := filepath.Join(t.TempDir(), "long.jsonl")
	require.NoError(t, os.WriteFile(path, buf.Bytes(), 0o600))
	return path
}

// inTheMiddle waits until the turn after n whole ones has made some of its calls.
func inTheMiddle(t *testing.T, p *e2e.Process, n int) {
	t.Helper()
	const perTurn, some = 26, 7 // rows of a turn of longTranscript with 12 cycles; odd and even rows both get their turn
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		var list struct {
			Items []struct {
				Messages int `json:"messages"`
			} `json:"items"`
		}
		_, body := p.Get("/api/v1/sessions")
		require.NoError(t, json.Unmarshal([]byte(body), &list))
		if len(list.Items) == 1 && list.Items[0].Messages >= n*perTurn+some {
			return
		}
	}
	t.Fatal("the session does not move on")
}

// kill -9 in the middle of turns, again and again: the client comes back by itself, no number is reused, each turn is
// there once, and every call that reached the ledger is counted once (spec section 9).
func TestReplay_SurvivesKills(t *testing.T) {
	p := e2e.Start(t, filepath.Join(t.TempDir(), "data"), nil)
	const turns, kills = 24, 4
	moved := make(chan int, turns+1)
	type outcome struct {
		report replay.Report
		err    error
	}
	done := make(chan outcome, 1)
	file := longTranscript(t, turns, 12)
	go func() {
		r, err := replay.Run(t.Context(), replay.Config{
			URL: p.URL, Key: e2e.AdminKey, Settings: json.RawMessage(`{"threshold_tokens": 4000, "hard_cap_tokens": 9000, "tail_max_tokens": 2000}`),
			Progress: func(at replay.Progress) { moved <- at.TurnsDone },
		}, []string{file})
		done <- outcome{r, err}
	}()

	for next := 3; next < 3+4*kills; next += 4 {
		for at := range moved {
			if at >= next {
				break
			}
		}
		inTheMiddle(t, p, next)
		p.CrashAndRestart()
	}
	out := <-done
	require.NoError(t, out.err)
	f := out.report.Files[0]
	require.Empty(t, f.Error)
	require.Equal(t, turns, f.Turns, "each prompt became one turn")
	require.NotEmpty(t, f.Violations, "some turn was cut")
	require.NotZero(t, f.Passes.Mechanical+f.Passes.Semantic, "there was something to compact")
	for _, v := range f.Violations {
		// A turn that was killed ends interrupted, and shorter than recorded. Nothing else may differ.
		require.Regexp(t, `^turn \d+ (failed: .*|ended (interrupted|failed).*|took \d+ steps, the recording \d+)$`, v)
	}
	t.Logf("%.1fs: %d turns, %d steps, passes %+v, violations %v", f.Seconds, f.Turns, f.Steps, f.Passes, f.Violations)
}
