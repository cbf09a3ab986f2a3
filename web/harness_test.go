package web_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/internal/auth"
	"tidemark/internal/auth/authtest"
	"tidemark/web"
)

// harness is a real server on port 0 over fake sessions, with a key a role.
type harness struct {
	t    *testing.T
	fake *fake
	auth *auth.Service
	srv  *web.Server
	http *httptest.Server
	keys map[string]string // alice and bob are clients; viewer, operator and admin have their names' roles
}

func newHarness(t *testing.T, cfg web.Config) *harness {
	t.Helper()
	return newHarnessOn(t, cfg, func(*http.Server) {})
}

func newHarnessOn(t *testing.T, cfg web.Config, tune func(*http.Server)) *harness {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaks) })
	h := &harness{t: t, fake: newFake(), auth: auth.NewService(new(authtest.Store), auth.Config{}), keys: make(map[string]string)}
	for name, role := range map[string]auth.Role{
		"alice": auth.RoleClient, "bob": auth.RoleClient, "viewer": auth.RoleViewer, "operator": auth.RoleOperator, "admin": auth.RoleAdmin,
	} {
		_, secret, err := h.auth.CreateKey(t.Context(), name, role, 0)
		require.NoError(t, err)
		h.keys[name] = secret
	}
	h.srv = web.New(web.Deps{Sessions: h.fake, Reader: h.fake, Bus: &h.fake.bus, Auth: h.auth, Version: "test"}, cfg)
	h.http = httptest.NewUnstartedServer(h.srv.Handler())
	tune(h.http.Config)
	h.http.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = h.srv.Close(ctx)
		h.http.CloseClientConnections()
		h.http.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return h
}

func (h *harness) wsURL() string { return "ws" + strings.TrimPrefix(h.http.URL, "http") + "/acp" }

// dial opens an initialized socket of somebody that knows all extensions and has every frame validated.
func (h *harness) dial(name string) *acptest.Client {
	return h.dialWith(name, acptest.Full(), nil)
}

func (h *harness) dialWith(name string, caps acp.ClientCapabilities, onRequest func(context.Context, string, json.RawMessage) (any, *acp.Error)) *acptest.Client {
	h.t.Helper()
	c := acptest.Dial(h.t, h.wsURL(), acptest.Options{Key: h.keys[name], Schema: acptest.LoadSchema(h.t), OnRequest: onRequest})
	c.Initialize(caps)
	return c
}

// request sends an HTTP request as somebody; name "" sends no credential.
func (h *harness) request(method, path, name, body string, header ...string) *http.Response {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.http.URL+path, strings.NewReader(body))
	require.NoError(h.t, err)
	if name != "" {
		req.Header.Set("Authorization", "Bearer "+h.keys[name])
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// get reads a whole answer.
func (h *harness) get(path, name string, header ...string) (int, string) {
	h.t.Helper()
	return readAll(h.t, h.request(http.MethodGet, path, name, "", header...))
}

func readAll(t *testing.T, resp *http.Response) (int, string) {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode, string(body)
}

// problem reads a problem+json answer and returns status and code.
func problem(t *testing.T, resp *http.Response) (int, string) {
	t.Helper()
	require.Equal(t, "application/problem+json", resp.Header.Get("Content-Type"))
	status, body := readAll(t, resp)
	var p struct {
		Code   string `json:"code"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
		ID     string `json:"request_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &p))
	require.Equal(t, status, p.Status)
	require.NotEmpty(t, p.ID)
	return status, p.Code
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, 10*time.Second, time.Millisecond, what)
}

func mustPrincipal(t *testing.T, h *harness, name string) auth.Principal {
	t.Helper()
	who, err := h.auth.Authenticate(t.Context(), h.keys[name])
	require.NoError(t, err)
	return who
}

func contains(s, part string) bool { return strings.Contains(s, part) }
