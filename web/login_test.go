package web_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/web"
)

// login signs a browser in and returns its cookie header.
func login(t *testing.T, h *harness, body string) string {
	t.Helper()
	resp := h.request(http.MethodPost, "/login", "", body, "Content-Type", "application/json", "Origin", h.http.URL)
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	require.Len(t, resp.Cookies(), 1)
	c := resp.Cookies()[0]
	require.Equal(t, "__Host-tidemark", c.Name)
	require.True(t, c.Secure && c.HttpOnly)
	require.Equal(t, "/", c.Path)
	require.Empty(t, c.Domain)
	require.NotEqual(t, http.SameSiteNoneMode, c.SameSite)
	return c.Name + "=" + c.Value
}

func TestLogin_TicketOfALinkWorksOnce(t *testing.T) {
	h := newHarness(t, web.Config{})
	ticket, err := h.auth.SignInTicket()
	require.NoError(t, err)
	cookie := login(t, h, `{"ticket":"`+ticket+`"}`)
	status, body := h.get("/api/v1/keys", "", "Cookie", cookie)
	require.Equal(t, http.StatusOK, status, "owner admin, role admin: %s", body)
	_, code := problem(t, h.request(http.MethodPost, "/login", "", `{"ticket":"`+ticket+`"}`, "Content-Type", "application/json", "Origin", h.http.URL))
	require.Equal(t, "auth_required", code)
}

func TestLogin_Refusals(t *testing.T) {
	h := newHarness(t, web.Config{})
	for name, tc := range map[string]struct{ body, origin, code string }{
		"wrong key":    {`{"key":"tmk_x"}`, h.http.URL, "auth_required"},
		"nothing":      {`{}`, h.http.URL, "invalid_request"},
		"not JSON":     {`{`, h.http.URL, "invalid_request"},
		"foreign page": {`{"key":"` + h.keys["alice"] + `"}`, "https://evil.example", "forbidden"},
		"no origin":    {`{"key":"` + h.keys["alice"] + `"}`, "", "forbidden"},
	} {
		resp := h.request(http.MethodPost, "/login", "", tc.body, "Content-Type", "application/json", "Origin", tc.origin)
		require.Empty(t, resp.Cookies(), name)
		_, code := problem(t, resp)
		require.Equal(t, tc.code, code, name)
	}
}

func TestLogin_FormGoesOn(t *testing.T) {
	h := newHarness(t, web.Config{})
	resp := h.request(http.MethodPost, "/login", "", "key="+h.keys["alice"], "Content-Type", "application/x-www-form-urlencoded", "Origin", h.http.URL)
	require.Equal(t, http.StatusSeeOther, resp.StatusCode)
	require.Equal(t, "/", resp.Header.Get("Location"))
}

// Whoever comes with a cookie changes state only from a page of ours.
func TestCookie_NeedsAnOriginToChangeState(t *testing.T) {
	h := newHarness(t, web.Config{})
	h.fake.add("s", "alice")
	cookie := login(t, h, `{"key":"`+h.keys["alice"]+`"}`)
	for origin, ok := range map[string]bool{"": false, "https://evil.example": false, "null": false, h.http.URL: true} {
		resp := h.request(http.MethodPost, "/api/v1/sessions/s/compact", "", "", "Cookie", cookie, "Origin", origin)
		require.Equal(t, ok, resp.StatusCode == http.StatusOK, origin)
	}
	status, _ := h.get("/api/v1/sessions", "", "Cookie", cookie)
	require.Equal(t, http.StatusOK, status, "reading needs none")
}

func TestCookie_OpensASocketFromOurPage(t *testing.T) {
	h := newHarness(t, web.Config{})
	cookie := login(t, h, `{"key":"`+h.keys["alice"]+`"}`)
	header := http.Header{"Cookie": {cookie}, "Origin": {h.http.URL}}
	c := acptest.Dial(t, h.wsURL(), acptest.Options{Header: header})
	c.Initialize(acptest.Full())
	c.NewSession(nil)
	_, resp, err := acptest.TryDial(t, h.wsURL(), acptest.Options{Header: http.Header{"Cookie": {cookie}, "Origin": {"https://evil.example"}}})
	require.Error(t, err)
	require.Equal(t, http.StatusForbidden, resp.StatusCode)

	out := h.request(http.MethodPost, "/logout", "", "", "Cookie", cookie, "Origin", h.http.URL)
	require.Equal(t, http.StatusNoContent, out.StatusCode)
	require.Equal(t, websocket.StatusCode(4003), c.CloseCode(), "signing out ends the login's sockets")
	status, _ := h.get("/api/v1/sessions", "", "Cookie", cookie)
	require.Equal(t, http.StatusUnauthorized, status)
}

func TestTicket_IsBoundToAnAllowedOrigin(t *testing.T) {
	h := newHarness(t, web.Config{Origins: []string{"https://tide.example"}})
	_, code := problem(t, h.request(http.MethodPost, "/ws-ticket", "alice", `{"origin":"https://evil.example"}`))
	require.Equal(t, "invalid_params", code)
	_, code = problem(t, h.request(http.MethodPost, "/ws-ticket", "", `{}`))
	require.Equal(t, "auth_required", code)
	status, body := readAll(t, h.request(http.MethodPost, "/ws-ticket", "alice", `{"origin":"https://tide.example"}`))
	require.Equal(t, http.StatusOK, status)
	var made struct {
		Ticket string `json:"ticket"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &made))
	offer := []string{"acp.v1", "ticket." + made.Ticket}
	c := acptest.Dial(t, h.wsURL(), acptest.Options{Header: http.Header{"Origin": {"https://tide.example"}}, Subprotocols: offer})
	c.Initialize(acp.ClientCapabilities{})
}

func TestPolicyHeaders(t *testing.T) {
	h := newHarness(t, web.Config{})
	for _, path := range []string{"/healthz", "/api/v1/sessions", "/nothing"} {
		resp := h.request(http.MethodGet, path, "alice", "")
		require.Contains(t, resp.Header.Get("Content-Security-Policy"), "default-src 'none'", path)
		require.NotContains(t, resp.Header.Get("Content-Security-Policy"), "unsafe", path)
		require.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"), path)
		require.Equal(t, "DENY", resp.Header.Get("X-Frame-Options"), path)
		require.NotEmpty(t, resp.Header.Get("X-Request-Id"), path)
	}
}
