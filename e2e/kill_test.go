package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/e2e"
	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
)

// TestKilledServerLosesNothingAcknowledged ends the server with kill -9 in the middle of turns. After each restart every
// prompt that a client saw accepted is in the transcript, once; numbers go on without a hole; nothing is left running;
// the books are exact; the same key does not run or bill again (spec section 9).
func TestKilledServerLosesNothingAcknowledged(t *testing.T) {
	runs := 20
	if proving() {
		runs = 1000
	}
	p := e2e.Start(t, filepath.Join(t.TempDir(), "data"), nil)
	rng := rand.New(rand.NewPCG(9, 9))
	client := dialProcess(t, p)
	id := client.NewSession(smallKnobs())
	var accepted []string
	for run := range runs {
		text := fmt.Sprintf("prompt %d of the session [[tools look {\"n\":%d}]] [[say %d]]", run, run, 200+rng.IntN(900))
		seen := startedBeforeCrash(client, id, text, fmt.Sprintf("key-%d", run), 1+rng.IntN(14))
		if seen {
			accepted = append(accepted, text)
		}
		p.CrashAndRestart()
		client.Close()
		client = dialProcess(t, p)
		checkAfterCrash(t, p, id, accepted)
		if seen {
			again := promptWithKey(client, id, text, fmt.Sprintf("key-%d", run))
			require.Contains(t, []acp.Code{0, acp.CodeInterrupted}, again, "a retry gets the stored answer")
		}
	}
	require.NotEmpty(t, accepted)
	t.Logf("%d kills, %d prompts acknowledged before one", runs, len(accepted))
	_, rpc := client.Prompt(id, "are you well?", nil)
	require.Nil(t, rpc)
}

func dialProcess(t *testing.T, p *e2e.Process) *acptest.Client {
	t.Helper()
	c := acptest.Dial(t, p.URL+"/acp", toolClient(e2e.AdminKey))
	c.Initialize(acptest.Full())
	return c
}

// startedBeforeCrash sends a prompt and waits for some frames of its turn; it reports whether the turn was seen to begin.
func startedBeforeCrash(c *acptest.Client, id, text, key string, frames int) bool {
	before := len(c.Frames())
	c.Start(acp.MethodSessionResume, acp.ResumeSessionRequest{SessionID: id, CWD: "/", Meta: lookTool(acp.Meta{})})
	pending := c.Start(acp.MethodPrompt, acptest.Text(id, text, acp.Meta{}.With(acp.MetaIdempotencyKey, key)))
	c.AwaitThat("frames of a turn", func(all []acp.Envelope) bool {
		return len(all) >= before+1+frames || slices.ContainsFunc(all[before:], func(e acp.Envelope) bool { return e.ID == pending.ID })
	})
	for _, f := range c.Frames()[before:] {
		if f.Method == acp.MethodExtTurn {
			return true
		}
	}
	return false
}

func promptWithKey(c *acptest.Client, id, text, key string) acp.Code {
	_, rpc := c.Prompt(id, text, acp.Meta{}.With(acp.MetaIdempotencyKey, key))
	if rpc == nil {
		return 0
	}
	return rpc.Code
}

// checkAfterCrash reads the session over HTTP.
func checkAfterCrash(t *testing.T, p *e2e.Process, id string, accepted []string) {
	t.Helper()
	var msgs struct {
		Items []struct {
			Seq    int             `json:"seq"`
			Role   string          `json:"role"`
			Blocks json.RawMessage `json:"blocks"`
		} `json:"items"`
	}
	read(t, p, "/api/v1/sessions/"+id+"/messages?limit=5000", &msgs)
	count := make(map[string]int)
	for i, m := range msgs.Items {
		require.Equal(t, i, m.Seq)
		var blocks []struct {
			Text string `json:"text"`
		}
		if m.Role == "user" && json.Unmarshal(m.Blocks, &blocks) == nil && len(blocks) == 1 {
			count[blocks[0].Text]++
		}
	}
	for _, text := range accepted {
		require.Equal(t, 1, count[text], text)
	}
	if n := len(msgs.Items); n > 0 {
		require.Equal(t, "assistant", msgs.Items[n-1].Role)
	}
	var s struct {
		State   string `json:"state"`
		CostUSD string `json:"cost_usd"`
	}
	read(t, p, "/api/v1/sessions/"+id, &s)
	require.Equal(t, "idle", s.State)
	checkSums(t, p, id, s.CostUSD)
}

func read(t *testing.T, p *e2e.Process, path string, v any) {
	t.Helper()
	status, body := p.Get(path)
	require.Equal(t, http.StatusOK, status, body)
	require.NoError(t, json.Unmarshal([]byte(body), v))
}
