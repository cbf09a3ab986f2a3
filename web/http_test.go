package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/auth"
	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
	"tidemark/web"
)

// filled is a server with one session of alice that has one of everything.
func filled(t *testing.T) *harness {
	h := newHarness(t, web.Config{})
	s := h.fake.add("s", "alice")
	s.rec.Title, s.rec.CostUSD = "What Alice said", pricing.Must("0.5")
	h.fake.say("s", message.NewUser(message.Text{Text: "a secret <b>"}), time.Unix(0, 0))
	h.fake.say("s", message.NewAssistant(message.Text{Text: "=1+1"}), time.Unix(1, 0))
	gate := compaction.GateVerdict{Missing: []string{"quotes the transcript"}}
	s.passes = []compaction.Pass{{ID: "P1", SessionID: "s", Outcome: compaction.OutcomeCompleted, Gate: &gate, Candidate: &compaction.Candidate{Gate: &gate}}}
	s.turns = []session.Turn{{ID: "T1", SessionID: "s", State: session.TurnFailed, ErrorMessage: "@SUM(1)"}}
	cost := pricing.Must("0.000000000001")
	s.ledger = []session.LedgerRow{{ID: "L1", SessionID: "s", Usage: message.Usage{Input: 7}, CostUSD: &cost}, {ID: "L2", SessionID: "s"}}
	h.fake.event(event.SessionCreated, "s", event.SessionCreatedPayload{SessionID: "s", Model: "sim:assistant"})
	return h
}

func TestAPI_Reads(t *testing.T) {
	h := filled(t)
	for path, want := range map[string]string{
		"/api/v1/sessions":               `"cost_usd":"0.5"`,
		"/api/v1/sessions/s":             `"title":"What Alice said"`,
		"/api/v1/sessions/s/messages":    `"text":"a secret <b>"`,
		"/api/v1/sessions/s/turns":       `"id":"T1"`,
		"/api/v1/sessions/s/compactions": `"missing":["quotes the transcript"]`,
		"/api/v1/sessions/s/ledger":      `"cost_usd":"0.000000000001"`,
		"/api/v1/sessions/s/events":      `"type":"session.created"`,
		"/api/v1/sessions/s/posture":     `"summary_link":"ok"`,
	} {
		for _, who := range []string{"alice", "operator", "admin"} {
			status, body := h.get(path, who)
			require.Equal(t, http.StatusOK, status, path)
			require.Contains(t, body, want, path)
		}
		if path != "/api/v1/sessions" {
			status, code := problem(t, h.request(http.MethodGet, path, "bob", ""))
			require.Equal(t, http.StatusNotFound, status, path)
			require.Equal(t, "not_found", code)
		}
		status, code := problem(t, h.request(http.MethodGet, path, "", ""))
		require.Equal(t, http.StatusUnauthorized, status, path)
		require.Equal(t, "auth_required", code)
	}
	_, body := h.get("/api/v1/sessions", "bob")
	require.JSONEq(t, `{"items":[],"next_cursor":null}`, body)
}

// A viewer sees numbers and no text.
func TestAPI_ViewerSeesNumbers(t *testing.T) {
	h := filled(t)
	for _, path := range []string{"/api/v1/sessions", "/api/v1/sessions/s", "/api/v1/sessions/s/compactions", "/api/v1/sessions/s/posture", "/api/v1/sessions/s/ledger"} {
		status, body := h.get(path, "viewer")
		require.Equal(t, http.StatusOK, status, path)
		require.NotContains(t, body, "What Alice said", path)
		require.NotContains(t, body, "quotes the transcript", path)
	}
	for _, r := range [][2]string{
		{http.MethodGet, "/api/v1/sessions/s/messages"}, {http.MethodPost, "/api/v1/sessions/s/compact"}, {http.MethodPost, "/api/v1/sessions/s/undo"},
		{http.MethodPost, "/api/v1/sessions/s/cancel"}, {http.MethodPost, "/api/v1/sessions/s/close"}, {http.MethodDelete, "/api/v1/sessions/s"},
		{http.MethodGet, "/api/v1/keys"}, {http.MethodPost, "/ws-ticket"},
	} {
		status, code := problem(t, h.request(r[0], r[1], "viewer", ""))
		require.Equal(t, http.StatusForbidden, status, r)
		require.Equal(t, "forbidden", code)
	}
	require.Empty(t, h.fake.called())
}

func TestAPI_PagesAndLimits(t *testing.T) {
	h := filled(t)
	var page struct {
		Items []struct {
			Seq int `json:"seq"`
		} `json:"items"`
		Next *string `json:"next_cursor"`
	}
	_, body := h.get("/api/v1/sessions/s/messages?limit=1", "alice")
	require.NoError(t, json.Unmarshal([]byte(body), &page))
	require.Len(t, page.Items, 1)
	_, body = h.get("/api/v1/sessions/s/messages?limit=5&cursor="+*page.Next, "alice")
	require.NoError(t, json.Unmarshal([]byte(body), &page))
	require.Equal(t, 1, page.Items[0].Seq)
	require.Nil(t, page.Next)
	for _, bad := range []string{"?limit=0", "?limit=5001", "?limit=x", "?cursor=x"} {
		status, code := problem(t, h.request(http.MethodGet, "/api/v1/sessions/s/messages"+bad, "alice", ""))
		require.Equal(t, http.StatusBadRequest, status)
		require.Equal(t, "invalid_params", code)
	}
}

func TestAPI_CSVAndJSONLines(t *testing.T) {
	h := filled(t)
	status, body := h.get("/api/v1/sessions/s/ledger.csv", "alice")
	require.Equal(t, http.StatusOK, status)
	lines := strings.Split(strings.TrimSpace(body), "\n")
	require.Len(t, lines, 3)
	require.Contains(t, lines[0], "usage.input,usage.cache_read")
	require.Contains(t, lines[1], "0.000000000001")
	require.Contains(t, lines[2], "L2")

	_, byAccept := h.get("/api/v1/sessions/s/ledger", "alice", "Accept", "text/csv")
	require.Equal(t, body, byAccept)

	_, turns := h.get("/api/v1/sessions/s/turns.csv", "alice")
	require.Contains(t, turns, "'@SUM(1)", "a text is no formula")

	resp := h.request(http.MethodGet, "/api/v1/sessions/s/messages.jsonl?limit=1", "alice", "")
	require.Equal(t, "0", resp.Header.Get("Next-Cursor"))
	_, lined := readAll(t, resp)
	require.Equal(t, 1, strings.Count(lined, "\n"))
	_, lined = h.get("/api/v1/sessions/s/messages", "alice", "Accept", "application/jsonl")
	require.Equal(t, 2, strings.Count(lined, "\n"))
	require.True(t, json.Valid([]byte(strings.Split(lined, "\n")[0])))

	status, code := problem(t, h.request(http.MethodGet, "/api/v1/sessions/s/turns", "alice", "", "Accept", "image/png"))
	require.Equal(t, http.StatusNotAcceptable, status)
	require.Equal(t, "not_acceptable", code)
	status, _ = problem(t, h.request(http.MethodGet, "/api/v1/sessions/s/messages.csv", "viewer", ""))
	require.Equal(t, http.StatusForbidden, status, "every form asks the same question")
}

func TestAPI_Actions(t *testing.T) {
	h := filled(t)
	status, body := readAll(t, h.request(http.MethodPost, "/api/v1/sessions/s/compact", "operator", `{"focus":"tests"}`))
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"outcome":"completed"`)
	status, code := problem(t, h.request(http.MethodPost, "/api/v1/sessions/s/undo", "alice", ""))
	require.Equal(t, http.StatusConflict, status)
	require.Equal(t, "nothing_to_undo", code)
	status, _ = readAll(t, h.request(http.MethodPost, "/api/v1/sessions/s/cancel", "alice", ""))
	require.Equal(t, http.StatusNoContent, status)
	status, _ = readAll(t, h.request(http.MethodPost, "/api/v1/sessions/s/close", "alice", ""))
	require.Equal(t, http.StatusNoContent, status)
	status, _ = readAll(t, h.request(http.MethodDelete, "/api/v1/sessions/s", "alice", ""))
	require.Equal(t, http.StatusNoContent, status)
	require.Equal(t, []string{`compact s "tests"`, "undo s", "cancel s", "close s", "delete s"}, h.fake.called())
	status, _ = problem(t, h.request(http.MethodGet, "/api/v1/sessions/s", "alice", ""))
	require.Equal(t, http.StatusNotFound, status)

	for body, want := range map[string]string{`{"focsu":"x"}`: "invalid_request", `{`: "invalid_request", `"` + strings.Repeat("x", 5<<20) + `"`: "payload_too_large"} {
		h.fake.add("t", "alice")
		_, code := problem(t, h.request(http.MethodPost, "/api/v1/sessions/t/compact", "alice", body))
		require.Equal(t, want, code)
	}
	h.fake.compact = nil
	status, code = problem(t, h.request(http.MethodPut, "/api/v1/sessions/t", "alice", ""))
	require.Equal(t, http.StatusMethodNotAllowed, status)
	require.Equal(t, "method_not_found", code)
	status, code = problem(t, h.request(http.MethodGet, "/api/v1/nothing", "alice", ""))
	require.Equal(t, http.StatusNotFound, status)
	require.Equal(t, "not_found", code)
}

func TestAPI_Keys(t *testing.T) {
	h := newHarness(t, web.Config{})
	status, body := readAll(t, h.request(http.MethodPost, "/api/v1/keys", "admin", `{"name":"carol","role":"client"}`))
	require.Equal(t, http.StatusCreated, status)
	var made struct {
		Key    auth.Key `json:"key"`
		Secret string   `json:"secret"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &made))
	h.keys["carol"] = made.Secret
	status, _ = h.get("/api/v1/sessions", "carol")
	require.Equal(t, http.StatusOK, status)
	_, list := h.get("/api/v1/keys", "admin")
	require.Contains(t, list, made.Key.ID)
	require.NotContains(t, list, made.Secret)
	status, _ = readAll(t, h.request(http.MethodDelete, "/api/v1/keys/"+made.Key.ID, "admin", ""))
	require.Equal(t, http.StatusOK, status)
	status, _ = h.get("/api/v1/sessions", "carol")
	require.Equal(t, http.StatusUnauthorized, status)

	for body, param := range map[string]string{`{"name":"../x","role":"client"}`: "name", `{"name":"x","role":"king"}`: "role"} {
		resp := h.request(http.MethodPost, "/api/v1/keys", "admin", body)
		_, text := readAll(t, resp)
		require.Equal(t, http.StatusBadRequest, resp.StatusCode)
		require.Contains(t, text, `"param":"`+param+`"`)
	}
	_, code := problem(t, h.request(http.MethodDelete, "/api/v1/keys/none", "admin", ""))
	require.Equal(t, "not_found", code)
	for _, who := range []string{"alice", "operator"} {
		status, _ := problem(t, h.request(http.MethodGet, "/api/v1/keys", who, ""))
		require.Equal(t, http.StatusForbidden, status)
	}
}

func TestHealth_DetailsNeedARole(t *testing.T) {
	h := newHarness(t, web.Config{})
	for path, word := range map[string]string{"/healthz": "ok", "/readyz": "ready"} {
		status, body := h.get(path, "")
		require.Equal(t, http.StatusOK, status)
		require.JSONEq(t, fmt.Sprintf(`{"status":%q}`, word), body)
		_, body = h.get(path, "viewer")
		require.Contains(t, body, `"version":"test"`)
	}
	status, _ := problem(t, h.request(http.MethodGet, "/metrics", "alice", ""))
	require.Equal(t, http.StatusForbidden, status)
	_, body := h.get("/metrics", "viewer")
	require.Contains(t, body, "tidemark_model_calls_total 2")
	require.Contains(t, body, "tidemark_spend_usd_total 0.00125")
	require.Contains(t, body, `tidemark_http_requests_total{method="GET",route="/readyz",status="200"} 2`)
	status, body = h.get("/asyncapi.json", "")
	require.Equal(t, http.StatusOK, status)
	require.True(t, json.Valid([]byte(body)))
}

func TestErrors_UnknownSayNothing(t *testing.T) {
	h := newHarness(t, web.Config{})
	h.fake.add("s", "alice")
	h.fake.broken = fmt.Errorf("a secret path: /data/tidemark.db")
	status, body := h.get("/api/v1/sessions/s", "alice")
	require.Equal(t, http.StatusInternalServerError, status)
	require.NotContains(t, body, "/data")
	h.fake.broken = fmt.Errorf("/data/tidemark.db: %w", session.ErrStorage)
	status, body = h.get("/api/v1/sessions/s", "alice")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, body, "storage_unavailable")
	h.fake.broken = nil
}
