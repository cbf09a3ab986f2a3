package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/web"
)

// Spec section 9: whatever a frame holds, it is answered and the socket stays up.
func TestBadFrames(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	for name, tc := range map[string]struct {
		frame string
		code  acp.Code
		name  string
	}{
		"not JSON":       {`{`, acp.CodeParseError, "parse_error"},
		"batch":          {`[{"jsonrpc":"2.0","id":1,"method":"session/list"}]`, acp.CodeInvalidRequest, "invalid_request"},
		"too deep":       {`{"jsonrpc":"2.0","id":9001,"method":"session/list","params":` + deep + `}`, acp.CodeInvalidRequest, "invalid_request"},
		"unknown method": {`{"jsonrpc":"2.0","id":9002,"method":"session/fork","params":{}}`, acp.CodeMethodNotFound, "method_not_found"},
		"wrong type":     {`{"jsonrpc":"2.0","id":9003,"method":"session/prompt","params":{"sessionId":3}}`, acp.CodeInvalidParams, "invalid_params"},
		"params a list":  {`{"jsonrpc":"2.0","id":9004,"method":"session/list","params":[1]}`, acp.CodeInvalidParams, "invalid_params"},
		"long id":        {`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 129) + `","method":"session/list"}`, acp.CodeInvalidRequest, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := len(c.Frames())
			c.Send(tc.frame)
			n := 0
			e := c.Await("the refusal", func(e acp.Envelope) bool { n++; return n > seen && e.Error != nil })
			require.Equal(t, tc.code, e.Error.Code)
			require.Equal(t, tc.name, e.Error.Data.Code)
		})
	}
	c.Send(`{"jsonrpc":"2.0","id":4242,"result":{}}`)                   // an answer to nothing
	c.Send(`{"jsonrpc":"2.0","method":"session/unknown"}`)              // a notification nobody knows
	c.Send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{}}`) // of nothing
	c.Must(acp.MethodSessionList, acp.Empty{}, nil)
}

// TestCaseD4_34: messages up to the limit pass, one beyond it ends the socket with 1009.
func TestCaseD4_34_MessageSize(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{MessageBytes: 100_000}})
	c := h.dial("alice")
	id := c.NewSession(nil)
	_, rpc := c.Prompt(id, strings.Repeat("a", 99_000), nil)
	require.Nil(t, rpc, "far beyond the library's 32 768")
	c.Send(`{"jsonrpc":"2.0","id":1,"method":"x","params":"` + strings.Repeat("a", 100_000) + `"}`)
	require.Equal(t, websocket.StatusMessageTooBig, c.CloseCode())
}

func TestRateLimit_RequestsAreRefusedCancelsCount(t *testing.T) {
	now := time.Now()
	h := newHarness(t, web.Config{Now: func() time.Time { return now }, Limits: web.Limits{RequestsPerSecond: 20, RequestBurst: 5}})
	c := h.dial("alice") // one
	id := c.NewSession(nil)
	for range 3 {
		c.Must(acp.MethodSessionList, acp.Empty{}, nil)
	}
	rpc := c.Refused(acp.MethodSessionList, acp.Empty{})
	require.Equal(t, acp.CodeRateLimited, rpc.Code)
	require.True(t, rpc.Data.Retryable)
	require.Equal(t, int64(50), rpc.Data.RetryAfterMS)
	c.Notify(acp.MethodCancel, acp.SessionRequest{SessionID: id})
	eventually(t, "the cancel", func() bool { return len(h.fake.called()) == 1 })
	c.Send(`{`)
	require.Equal(t, websocket.StatusPolicyViolation, c.CloseCode(), "malformed messages beyond the rate")
}

func TestRequests_InFlightAndIDs(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{RequestsInFlight: 2}})
	c := h.dial("alice")
	id := c.NewSession(nil)
	h.fake.compact = func(ctx context.Context, _, _ string) (p compaction.Pass, err error) {
		<-ctx.Done()
		return p, ctx.Err()
	}
	a := c.Start(acp.MethodExtCompact, acp.CompactRequest{SessionID: id})
	b := c.Start(acp.MethodExtCompact, acp.CompactRequest{SessionID: id})
	eventually(t, "both run", func() bool { return len(h.fake.called()) == 2 })
	require.Equal(t, acp.CodeRateLimited, c.Refused(acp.MethodSessionList, acp.Empty{}).Code)
	c.Notify(acp.MethodCancelRequest, acp.CancelRequestNotification{RequestID: b.ID})
	_, rpc := b.Wait()
	require.Equal(t, acp.CodeCancelled, rpc.Code)

	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/list"}`, a.ID))
	refused := c.Await("the refusal of a second use", func(e acp.Envelope) bool { return e.ID == a.ID })
	require.Equal(t, acp.CodeInvalidRequest, refused.Error.Code)
	c.Notify(acp.MethodCancelRequest, acp.CancelRequestNotification{RequestID: a.ID})
}

// TestCaseD4_29 and #30: a client that stops reading costs only itself, and not for long.
func TestCaseD4_29_30_SlowClient(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{QueueMessages: 64, QueueBytes: 1 << 20, WriteWithin: 200 * time.Millisecond}})
	h.fake.add("s", "alice")
	fast := h.dial("alice")
	fast.Must(acp.MethodSessionResume, resume("s", nil), nil)

	h.dialRaw()
	eventually(t, "attached", func() bool { return h.fake.Attached("s") == 2 })

	text, n := strings.Repeat("x", 64<<10), 0
	for h.fake.Attached("s") == 2 && n < 2000 { // it never reads: the buffers fill, then the queue
		n++
		h.fake.row("s", "T", event.StreamText, event.Text{MessageID: "m", Text: text})
		fast.AwaitSeq(int64(n))
	}
	require.Less(t, n, 2000, "the slow one was let go")
	fast.Must(acp.MethodSessionList, acp.Empty{}, nil)
}

// dialRaw opens a socket that reads nothing by itself, attached to session "s".
func (h *harness) dialRaw() *websocket.Conn {
	h.t.Helper()
	ws, _, err := websocket.Dial(h.t.Context(), h.wsURL(), &websocket.DialOptions{
		HTTPHeader: map[string][]string{"Authorization": {"Bearer " + h.keys["alice"]}},
	})
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = ws.CloseNow() })
	ws.SetReadLimit(-1)
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}`,
	} {
		require.NoError(h.t, ws.Write(h.t.Context(), websocket.MessageText, []byte(frame)))
	}
	return ws
}

// A client too slow for its queue, but alive, reads the code that tells it to come back.
func TestSlowClient_IsTold4001(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{QueueMessages: 4, WriteWithin: time.Minute}})
	h.fake.add("s", "alice")
	slow := h.dialRaw()
	eventually(t, "attached", func() bool { return h.fake.Attached("s") == 1 })
	text := strings.Repeat("x", 1<<20)
	for closed := false; !closed; {
		h.fake.row("s", "T", event.StreamText, event.Text{MessageID: "m", Text: text})
		_, body := h.get("/metrics", "viewer")
		closed = contains(body, `tidemark_socket_closes_total{code="4001"} 1`)
	}
	for {
		if _, _, err := slow.Read(t.Context()); err != nil {
			require.Equal(t, websocket.StatusCode(4001), websocket.CloseStatus(err))
			return
		}
	}
}

// TestCaseD4_33: a peer that no longer answers pings is found.
func TestCaseD4_33_NoPong(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{PingEvery: 20 * time.Millisecond, PongWithin: 50 * time.Millisecond}})
	h.fake.add("s", "alice")
	h.dialRaw()
	// Nobody reads here, so no pong goes out.
	eventually(t, "no pong", func() bool {
		_, body := h.get("/metrics", "viewer")
		return contains(body, `tidemark_socket_closes_total{code="4002"} 1`)
	})
}

// TestCaseD4_32: connecting and leaving again and again leaves nothing behind; the harness checks for leaks.
func TestCaseD4_32_Churn(t *testing.T) {
	h := newHarness(t, web.Config{})
	h.fake.add("s", "alice")
	for i := range 50 {
		c := h.dial("alice")
		c.Must(acp.MethodSessionLoad, load("s"), nil)
		if i%2 == 0 {
			c.Kill()
		} else {
			c.Close()
		}
	}
	eventually(t, "all detached", func() bool { return h.fake.Attached("s") == 0 })
	_, body := h.get("/metrics", "viewer")
	require.Contains(t, body, "tidemark_sockets 0")
}

func TestBinaryFrames_AreIgnored(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	c.SendBinary([]byte{1, 2, 3})
	c.Must(acp.MethodSessionList, acp.Empty{}, nil)
}

func TestPanic_IsAnAnswer(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	h.fake.compact = func(context.Context, string, string) (compaction.Pass, error) { panic("boom") }
	rpc := c.Refused(acp.MethodExtCompact, acp.CompactRequest{SessionID: id})
	require.Equal(t, acp.CodeInternal, rpc.Code)
	require.NotContains(t, string(mustJSON(t, rpc)), "boom", "unknown errors say nothing")
	status, code := problem(t, h.request(http.MethodPost, "/api/v1/sessions/"+id+"/compact", "alice", ""))
	require.Equal(t, http.StatusInternalServerError, status)
	require.Equal(t, "internal", code)
	c.Must(acp.MethodSessionList, json.RawMessage(`{}`), nil)
}
