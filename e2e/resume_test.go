package e2e_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/internal/app"
	"tidemark/internal/config"
)

// adminKey signs the tests in.
const adminKey = "tmk_e2e_0123456789abcdef0123456789abcdef"

// proving runs the long forms.
func proving() bool { return os.Getenv("TIDEMARK_PROVE") != "" }

// openApp starts the program on a free port with a folder of its own.
func openApp(t testing.TB, change func(*config.Config), list ...app.Override) *app.App {
	t.Helper()
	cfg := config.Default()
	cfg.Addr, cfg.Data, cfg.AdminKey = "127.0.0.1:0", filepath.Join(t.TempDir(), "data"), config.NewSecret(adminKey)
	if change != nil {
		change(&cfg)
	}
	a, err := app.Open(t.Context(), cfg, list...)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(t, a.Close(ctx))
	})
	return a
}

// chattyTurns is a conversation with text, tools and compactions in it.
var chattyTurns = []string{
	"first [[say 300]]", `look [[tools look {"n":1} look {"n":2}]] [[steps 2]]`, "more [[say 900]]", "and [[say 900]]",
	"again [[say 900]]", `once [[tools look {"n":3}]] [[say 700]]`, "last [[say 600]]",
}

// smallKnobs compact within a few turns.
func smallKnobs() acp.Meta {
	return lookTool(acp.Meta{}.With(acp.MetaConfig, json.RawMessage(`{"compaction":{"threshold_tokens":2000,"hard_cap_tokens":4000,"tail_max_tokens":1500,"max_tokens":500}}`)))
}

// lookTool registers the tool that toolClient runs.
func lookTool(m acp.Meta) acp.Meta {
	return m.With(acp.MetaTools, json.RawMessage(`[{"name":"look","description":"looks","inputSchema":{"type":"object"}}]`))
}

func toolClient(key string) acptest.Options {
	return acptest.Options{Key: key, OnRequest: func(_ context.Context, method string, params json.RawMessage) (any, *acp.Error) {
		return json.RawMessage(`{"content":[{"type":"text","text":"seen it, all of it"}],"isError":false}`), nil
	}}
}

// TestKilledSocketResumesToTheSameBytes kills one of two sockets at frames of its choosing and resumes it: in the end both
// have seen the same rows, byte for byte, ts included (protocol section 6).
func TestKilledSocketResumesToTheSameBytes(t *testing.T) {
	runs := 24
	if proving() {
		runs = 1000
	}
	a := openApp(t, func(c *config.Config) { c.Limits.RequestsPerSecond, c.Limits.RequestBurst = 100_000, 100_000 })
	url := a.URL() + "/acp"
	kills := 0
	for run := range runs {
		rng := rand.New(rand.NewPCG(uint64(run), 7))
		kills += killRun(t, url, rng)
	}
	require.GreaterOrEqual(t, kills, runs)
	t.Logf("%d sockets killed", kills)
}

// killRun plays one conversation with a socket that stays and one that is killed again and again.
func killRun(t *testing.T, url string, rng *rand.Rand) (kills int) {
	t.Helper()
	stays := acptest.Dial(t, url, toolClient(adminKey))
	stays.Initialize(acptest.Full())
	id := stays.NewSession(smallKnobs())
	seen := make(map[int64][]byte)
	after := int64(0)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for _, text := range chattyTurns[:3+rng.IntN(len(chattyTurns)-2)] {
			if _, rpc := stays.Prompt(id, text, nil); rpc != nil {
				t.Errorf("prompt: %v", rpc)
				return
			}
		}
	}()
	for running := true; running; {
		c := acptest.Dial(t, url, acptest.Options{Key: adminKey})
		c.Initialize(acptest.Full())
		c.Must(acp.MethodSessionResume, acp.ResumeSessionRequest{SessionID: id, CWD: "/", Meta: acp.Meta{}.With(acp.MetaAfter, after)}, nil)
		if running = c.AwaitFrames(3+rng.IntN(25), over); running {
			kills++
		} else {
			head := atRest(t, stays, id)
			stays.AwaitSeq(head)
			if head > after {
				c.AwaitSeq(head)
			}
		}
		c.Kill()
		after = collect(t, seen, c, after)
	}
	want, clash := acptest.Rows(stays.Raw())
	require.Empty(t, clash)
	require.NotZero(t, len(want))
	for seq, raw := range want {
		if seq > after {
			continue // what came after the last socket was closed
		}
		require.Equal(t, string(raw), string(seen[seq]), "row %d", seq)
	}
	stays.Close()
	return kills
}

// collect adds the rows of a dead socket and returns the last one without a hole before it.
func collect(t *testing.T, seen map[int64][]byte, c *acptest.Client, after int64) int64 {
	t.Helper()
	rows, clash := acptest.Rows(c.Raw())
	require.Empty(t, clash)
	for seq, raw := range rows {
		require.NotContains(t, seen, seq, "row %d came twice", seq)
		seen[seq] = raw
	}
	for seen[after+1] != nil {
		after++
	}
	require.Equal(t, int(after), len(seen), "a hole in what arrived")
	return after
}

// atRest waits until nothing more comes of a session and returns its head.
func atRest(t *testing.T, c *acptest.Client, id string) int64 {
	t.Helper()
	var out acp.ResumeSessionResponse
	c.Must(acp.MethodSessionResume, acp.ResumeSessionRequest{SessionID: id, CWD: "/"}, &out)
	var r acp.Resume
	require.Nil(t, out.Meta.Read(acp.MetaResume, &r))
	return r.Head
}
