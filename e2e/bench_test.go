package e2e_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"tidemark/internal/acp/acptest"
	"tidemark/internal/config"
)

// BenchmarkTurn is one turn through the whole stack: frame in, stored, planned, answered by the simulated model, stored,
// streamed, answer out. Compare it with BenchmarkEcho of the same run.
func BenchmarkTurn(b *testing.B) {
	a := openApp(b, func(c *config.Config) { c.Limits.RequestsPerSecond, c.Limits.RequestBurst = 1_000_000, 1_000_000 })
	c := acptest.Dial(b, a.URL()+"/acp", acptest.Options{Key: adminKey})
	c.Initialize(acptest.Full())
	id := c.NewSession(nil)
	var took []time.Duration
	b.ResetTimer()
	for range b.N {
		began := time.Now()
		if _, rpc := c.Prompt(id, "How are you?", nil); rpc != nil {
			b.Fatal(rpc)
		}
		took = append(took, time.Since(began))
	}
	report(b, took)
}

// BenchmarkEcho is a bare WebSocket round trip of a message of about the same size: the floor of this machine.
func BenchmarkEcho(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer ws.CloseNow()
		for {
			kind, data, err := ws.Read(r.Context())
			if err != nil || ws.Write(r.Context(), kind, data) != nil {
				return
			}
		}
	}))
	defer srv.Close()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	ws, _, err := websocket.Dial(ctx, srv.URL, nil)
	require.NoError(b, err)
	defer ws.CloseNow()
	msg := make([]byte, 200)
	var took []time.Duration
	b.ResetTimer()
	for range b.N {
		began := time.Now()
		require.NoError(b, ws.Write(ctx, websocket.MessageText, msg))
		_, _, err := ws.Read(ctx)
		require.NoError(b, err)
		took = append(took, time.Since(began))
	}
	report(b, took)
}

// report adds median and 99th percentile.
func report(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
