package web_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/web"
)

func TestHandshake_PlainGetIsToldToUpgrade(t *testing.T) {
	h := newHarness(t, web.Config{})
	resp := h.request(http.MethodGet, "/acp", "alice", "")
	require.Equal(t, "websocket", resp.Header.Get("Upgrade"))
	status, code := problem(t, resp)
	require.Equal(t, http.StatusUpgradeRequired, status)
	require.Equal(t, "upgrade_required", code)
}

func TestHandshake_Credentials(t *testing.T) {
	h := newHarness(t, web.Config{Origins: []string{"https://tide.example"}})
	ticket, _, err := h.auth.SocketTicket(mustPrincipal(t, h, "alice"), "https://tide.example")
	require.NoError(t, err)
	bearer := "bearer." + base64.RawURLEncoding.EncodeToString([]byte(h.keys["alice"]))
	page := http.Header{"Origin": {"https://tide.example"}}

	for _, tc := range []struct {
		name   string
		opts   acptest.Options
		status int // of a refusal; 0 = accepted
		chosen string
	}{
		{"bearer", acptest.Options{Key: h.keys["alice"]}, 0, ""},
		{"bearer with subprotocol", acptest.Options{Key: h.keys["alice"], Subprotocols: []string{"other", "acp.v1"}}, 0, "acp.v1"},
		{"none", acptest.Options{}, http.StatusUnauthorized, ""}, // no Origin either
		{"key in the subprotocols, no page", acptest.Options{Subprotocols: []string{"acp.v1", bearer}}, 0, "acp.v1"},
		{"ticket without a page", acptest.Options{Subprotocols: []string{"acp.v1", "ticket.x"}}, http.StatusForbidden, ""},
		{"none from our page", acptest.Options{Header: page}, http.StatusUnauthorized, ""},
		{"wrong key", acptest.Options{Key: "tmk_wrong"}, http.StatusUnauthorized, ""},
		{"case D7 #64: foreign page with a key", acptest.Options{Key: h.keys["alice"], Header: http.Header{"Origin": {"https://evil.example"}}}, http.StatusForbidden, ""},
		{"case D7 #64: another local port", acptest.Options{Key: h.keys["alice"], Header: http.Header{"Origin": {"http://127.0.0.1:1"}}}, http.StatusForbidden, ""},
		{"case D7 #66: key in the subprotocols", acptest.Options{Header: page, Subprotocols: []string{"acp.v1", bearer}}, 0, "acp.v1"},
		{"case D7 #66: undecodable", acptest.Options{Header: page, Subprotocols: []string{"acp.v1", "bearer.%"}}, http.StatusUnauthorized, ""},
		{"ticket", acptest.Options{Header: page, Subprotocols: []string{"acp.v1", "ticket." + ticket}}, 0, "acp.v1"},
		{"ticket again", acptest.Options{Header: page, Subprotocols: []string{"acp.v1", "ticket." + ticket}}, http.StatusUnauthorized, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, resp, err := acptest.TryDial(t, h.wsURL(), tc.opts)
			if tc.status != 0 {
				require.Error(t, err)
				require.Equal(t, tc.status, resp.StatusCode)
				return
			}
			require.NoError(t, err)
			defer c.Close()
			require.NotEmpty(t, c.Headers.Get("Acp-Connection-Id"))
			require.Equal(t, tc.chosen, c.Headers.Get("Sec-WebSocket-Protocol"), "only the marker is echoed")
			require.Empty(t, c.Headers.Get("Sec-WebSocket-Extensions"), "case D7 #70: compression is off")
		})
	}
}

// TestCaseD7_64: a name that points to loopback is not loopback.
func TestCaseD7_64_DNSRebinding(t *testing.T) {
	h := newHarness(t, web.Config{})
	resp := h.request(http.MethodGet, "/acp", "alice", "", "Host", "evil.example", "Upgrade", "websocket", "Connection", "Upgrade")
	status, code := problem(t, resp)
	require.Equal(t, http.StatusForbidden, status)
	require.Equal(t, "forbidden", code)
}

// TestCaseD7_65: a token in the URL is refused everywhere, and the answer says why.
func TestCaseD7_65_CredentialInURL(t *testing.T) {
	h := newHarness(t, web.Config{})
	for _, path := range []string{"/acp?token=x", "/ops/events?access_token=x", "/api/v1/sessions?API_KEY=x", "/?ticket=x"} {
		status, code := problem(t, h.request(http.MethodGet, path, "admin", ""))
		require.Equal(t, http.StatusBadRequest, status, path)
		require.Equal(t, "credential_in_url", code, path)
	}
}

func TestHandshake_ViewerOpensNoSession(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := acptest.Dial(t, h.wsURL(), acptest.Options{Key: h.keys["viewer"]})
	require.Equal(t, websocket.StatusCode(4502), c.CloseCode())
}

func TestHandshake_TooManyConnections(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{SocketsPerOwner: 2}})
	a, b := h.dial("alice"), h.dial("alice")
	c := acptest.Dial(t, h.wsURL(), acptest.Options{Key: h.keys["alice"]})
	require.Equal(t, websocket.StatusCode(4504), c.CloseCode())
	h.dial("bob") // others are not affected
	a.Close()
	b.Close()
	eventually(t, "a free place", func() bool {
		d, _, err := acptest.TryDial(t, h.wsURL(), acptest.Options{Key: h.keys["alice"]})
		if err != nil {
			return false
		}
		v := acp.ProtocolVersion
		p := d.Start(acp.MethodInitialize, acp.InitializeRequest{ProtocolVersion: &v})
		_, rpc := p.Wait()
		return rpc == nil
	})
}

func TestInitialize_Capabilities(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := acptest.Dial(t, h.wsURL(), acptest.Options{Key: h.keys["alice"], Schema: acptest.LoadSchema(t)})
	out := c.Initialize(acptest.Full())
	require.Equal(t, 1, out.ProtocolVersion)
	require.True(t, out.AgentCapabilities.LoadSession)
	require.NotNil(t, out.AgentCapabilities.SessionCapabilities.Resume)
	require.Equal(t, "tidemark", out.AgentInfo.Name)
	var ext acp.Ext
	require.Nil(t, out.AgentCapabilities.Meta.Read(acp.MetaExt, &ext))
	require.Equal(t, acp.Ext{Version: 1, Seq: true, ResumeAfter: true, Idempotency: true, Tools: true, Budgets: true}, ext)

	v := acp.ProtocolVersion
	rpc := c.Refused(acp.MethodInitialize, acp.InitializeRequest{ProtocolVersion: &v})
	require.Equal(t, acp.CodeInvalidRequest, rpc.Code, "twice")
}

func TestInitialize_UnknownVersionGetsOurs(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := acptest.Dial(t, h.wsURL(), acptest.Options{Key: h.keys["alice"]})
	v := 99
	var out acp.InitializeResponse
	c.Must(acp.MethodInitialize, acp.InitializeRequest{ProtocolVersion: &v}, &out)
	require.Equal(t, 1, out.ProtocolVersion)
}

func TestInitialize_MustComeFirstAndInTime(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{InitializeWithin: 50 * time.Millisecond}})
	late := acptest.Dial(t, h.wsURL(), acptest.Options{Key: h.keys["alice"]})
	require.Equal(t, websocket.StatusCode(4503), late.CloseCode())

	h = newHarness(t, web.Config{})
	early := acptest.Dial(t, h.wsURL(), acptest.Options{Key: h.keys["alice"]})
	rpc := early.Refused(acp.MethodSessionList, acp.Empty{})
	require.Equal(t, acp.CodeInvalidRequest, rpc.Code)
	require.Equal(t, websocket.StatusCode(4503), early.CloseCode())
}

func TestAuthenticate_AfterLogout(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	require.Equal(t, 1, h.fake.Attached(id))
	c.Must(acp.MethodLogout, acp.Empty{}, nil)
	require.Equal(t, 0, h.fake.Attached(id))
	rpc := c.Refused(acp.MethodSessionList, acp.Empty{})
	require.Equal(t, acp.CodeAuthRequired, rpc.Code)
	rpc = c.Refused(acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: "other"})
	require.Equal(t, acp.CodeInvalidParams, rpc.Code)
	c.Must(acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: "tidemark-key"}, nil)
	c.Must(acp.MethodSessionList, acp.Empty{}, nil)
}

func TestSocket_EndsWithItsCredential(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	keys, err := h.auth.Keys(t.Context())
	require.NoError(t, err)
	for _, k := range keys {
		if k.Name == "alice" {
			resp := h.request(http.MethodDelete, "/api/v1/keys/"+k.ID, "admin", "")
			require.Equal(t, http.StatusOK, resp.StatusCode)
		}
	}
	require.Equal(t, websocket.StatusCode(4003), c.CloseCode())
}

// Token expiry is noticed at the next ping, whoever ended it.
func TestSocket_RechecksItsCredential(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{PingEvery: 10 * time.Millisecond}})
	c := h.dial("alice")
	keys, err := h.auth.Keys(t.Context())
	require.NoError(t, err)
	for _, k := range keys {
		_, err := h.auth.RevokeKey(t.Context(), k.ID)
		require.NoError(t, err)
	}
	require.Equal(t, websocket.StatusCode(4003), c.CloseCode())
}

func TestSocket_MaxAgeHandsOver(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{SocketAge: 100 * time.Millisecond}})
	c := h.dial("alice")
	require.Equal(t, websocket.StatusCode(4004), c.CloseCode())
}

func TestSocket_ServerRestart(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	require.NoError(t, h.srv.Close(t.Context()))
	require.Equal(t, websocket.StatusServiceRestart, c.CloseCode())
	status, body := h.get("/readyz", "")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.JSONEq(t, `{"status":"unavailable"}`, body)
	_, resp, err := acptest.TryDial(t, h.wsURL(), acptest.Options{Key: h.keys["alice"]})
	require.Error(t, err)
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
}

// TestCaseD4_36: a balancer that counts only data frames is kept content.
func TestCaseD4_36_DataKeepalive(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{DataKeepalive: 5 * time.Millisecond}})
	c := h.dial("alice")
	c.Await("a keepalive", func(e acp.Envelope) bool { return e.Method == acp.MethodExtKeepalive })
}

func mustJSON(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return raw
}
