package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// post sends JSON and returns status and body.
func post(t testing.TB, url string, body any) (int, []byte) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(raw))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+adminKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, out
}

// dialogue is a history of n questions and answers, ending with a question.
func dialogue(n int) []map[string]any {
	var out []map[string]any
	for i := range n {
		out = append(out,
			map[string]any{"role": "user", "content": fmt.Sprintf("Question %d: never push to main. %s", i, strings.Repeat("details of the retry queue ", 60))},
			map[string]any{"role": "assistant", "content": fmt.Sprintf("Answer %d: see internal/queue/retry_%d.go. %s", i, i, strings.Repeat("the worker backs off ", 60))})
	}
	return append(out, map[string]any{"role": "user", "content": "And now?"})
}

// TestCompactWithoutASession runs the engine over plain message arrays (protocol, `POST /api/v1/compact`).
func TestCompactWithoutASession(t *testing.T) {
	a := openApp(t, nil)
	url := a.URL() + "/api/v1/compact"
	knobs := map[string]any{"threshold_tokens": 3000, "hard_cap_tokens": 9000, "tail_max_tokens": 2000}
	type answer struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Summary *string `json:"summary"`
		Record  *struct {
			Kind     string `json:"kind"`
			Outcome  string `json:"outcome"`
			CacheHit bool   `json:"cache_hit"`
			CostUSD  string `json:"cost_usd"`
		} `json:"record"`
		Facts   map[string][]string `json:"facts"`
		Repairs []json.RawMessage   `json:"repairs"`
	}
	ask := func(body map[string]any) answer {
		status, raw := post(t, url, body)
		require.Equal(t, http.StatusOK, status, string(raw))
		var out answer
		require.NoError(t, json.Unmarshal(raw, &out))
		return out
	}
	first := ask(map[string]any{"messages": dialogue(12), "compaction": knobs})
	require.NotNil(t, first.Record)
	require.Equal(t, "completed", first.Record.Outcome)
	require.NotNil(t, first.Summary)
	require.Contains(t, string(first.Messages[0].Content), "COMPACTION_SUMMARY")
	require.Equal(t, "user", first.Messages[len(first.Messages)-1].Role)
	require.NotEmpty(t, first.Facts["user_constraint"])
	require.Less(t, len(first.Messages), 20)

	again := ask(map[string]any{"messages": dialogue(12), "compaction": knobs})
	require.True(t, again.Record.CacheHit)
	require.Equal(t, "0", again.Record.CostUSD)

	short := ask(map[string]any{"messages": dialogue(1)})
	require.Nil(t, short.Record)
	require.Len(t, short.Messages, 3)

	messy := append([]map[string]any{{"role": "assistant", "content": "I begin."}}, dialogue(1)...)
	require.NotEmpty(t, ask(map[string]any{"messages": messy}).Repairs)

	for name, body := range map[string]map[string]any{
		"no messages":   {},
		"bad format":    {"messages": dialogue(1), "format": "xml"},
		"bad knob":      {"messages": dialogue(1), "compaction": map[string]any{"threshold_tokens": -1}},
		"unknown knob":  {"messages": dialogue(1), "compaction": map[string]any{"treshold": 1}},
		"unknown model": {"messages": dialogue(1), "model": "acme:x"},
		"unknown field": {"messages": dialogue(1), "mesages": 1},
		"not a list":    {"messages": "hello", "format": "canonical"},
	} {
		status, raw := post(t, url, body)
		require.Equal(t, http.StatusBadRequest, status, "%s: %s", name, raw)
		require.Contains(t, string(raw), `"code"`, name)
	}
}
