package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/web"
)

// withPages is a server with one session of alice's that has been compacted.
func withPages(t *testing.T) *harness {
	h := newHarness(t, web.Config{})
	s := h.fake.add("s", "alice")
	s.rec.Title, s.rec.NextSeq, s.rec.Watermark, s.rec.CostUSD = "The <b>secret</b> plan", 8, 4, pricing.Must("1.25")
	pass := compaction.Pass{
		ID: "p1", SessionID: "s", Trigger: compaction.TriggerThreshold, At: compaction.AtTurnStart, Kind: compaction.KindMechanical, SpanEnd: 4,
		WatermarkAfter: 4, SpanMessageCount: 4, TokensBefore: 58_214, TokensAfterEstimate: 21_930, Outcome: compaction.OutcomeCompleted,
		Version: 1, CreatedAt: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}
	s.passes = []compaction.Pass{pass}
	s.sums["p1"] = compaction.Summary{ID: "p1", Text: "the secret <i>summary</i>"}
	h.fake.say("s", message.NewUser(message.Text{Text: "the secret request"}), pass.CreatedAt)
	h.fake.turnStarted(1)
	return h
}

const wantHTML = "text/html,application/xhtml+xml"

// forbidden is what the content policy would refuse and what a hidden load would need.
var forbidden = regexp.MustCompile(`(?i)\s(on[a-z]+|style)\s*=|<style|javascript:|(src|href)="(https?:)?//`)

func TestPagesHoldNothingThatThePolicyRefuses(t *testing.T) {
	h := withPages(t)
	for path, name := range map[string]string{
		"/login": "", "/": "alice", "/s/s": "alice", "/ops": "operator", "/ops?from=1": "operator", "/ops/s/s": "operator", "/nowhere": "alice",
		"/fragments/sessions": "alice", "/fragments/s/s/context": "alice", "/fragments/s/s/pass/p1": "operator",
	} {
		_, body := h.get(path, name, "Accept", wantHTML)
		require.Empty(t, forbidden.FindAllString(body, -1), path)
		require.NotContains(t, body, "<b>secret", path+": a title is text")
		require.NotContains(t, body, "<i>summary", path+": a summary is text")
	}
}

func TestPagesByRole(t *testing.T) {
	h := withPages(t)
	for _, tc := range []struct {
		path, name string
		status     int
		location   string
	}{
		{"/login", "", 200, ""},
		{"/login", "alice", 303, "/"},
		{"/", "", 303, "/login"},
		{"/ops", "", 303, "/login"},
		{"/ops/s/s", "", 303, "/login"},
		{"/", "alice", 200, ""},
		{"/", "viewer", 303, "/ops"},
		{"/s/s", "alice", 200, ""},
		{"/s/s", "operator", 200, ""},
		{"/s/s", "bob", 404, ""},
		{"/s/none", "alice", 404, ""},
		{"/s/s", "viewer", 403, ""},
		{"/ops", "alice", 403, ""},
		{"/ops", "viewer", 200, ""},
		{"/ops/s/s", "viewer", 200, ""},
		{"/ops/s/s", "alice", 200, ""},
		{"/ops/s/s", "bob", 404, ""},
		{"/fragments/s/s/context", "bob", 404, ""},
		{"/fragments/s/s/pass/p1", "viewer", 200, ""},
		{"/fragments/sessions", "viewer", 403, ""},
		{"/fragments/sessions", "", 401, ""},
	} {
		resp := h.request(http.MethodGet, tc.path, tc.name, "", "Accept", wantHTML)
		require.Equal(t, tc.status, resp.StatusCode, "%s as %s", tc.path, tc.name)
		require.Equal(t, tc.location, resp.Header.Get("Location"), "%s as %s", tc.path, tc.name)
	}
}

func TestViewerIsShownNoText(t *testing.T) {
	h := withPages(t)
	for _, path := range []string{"/ops", "/ops?q=plan", "/ops?from=1", "/ops/s/s", "/fragments/s/s/context", "/fragments/s/s/pass/p1"} {
		_, body := h.get(path, "viewer", "Accept", wantHTML)
		require.NotContains(t, body, "secret", path)
		_, body = h.get(path, "operator", "Accept", wantHTML)
		if path == "/ops" || path == "/ops/s/s" || strings.Contains(path, "pass") {
			require.Contains(t, body, "secret", path+" as operator")
		}
	}
	s := h.stream("/ops/stream?after=e1-0", "viewer")
	defer s.close()
	s.next() // retry
	require.NotContains(t, s.next()["data"], "secret")
}

func TestErrorPages(t *testing.T) {
	h := withPages(t)
	status, body := h.get("/s/none", "alice", "Accept", wantHTML)
	require.Equal(t, 404, status)
	require.Contains(t, body, `data-testid="error-page"`)
	require.Contains(t, body, "not_found")
	// A program gets the same as a document, whatever the address.
	resp := h.request(http.MethodGet, "/s/none", "alice", "")
	st, code := problem(t, resp)
	require.Equal(t, 404, st)
	require.Equal(t, "not_found", code)
}

// A refused sign-in without script shows the form again, with the reason in it.
func TestLoginFormWithoutScript(t *testing.T) {
	h := newHarness(t, web.Config{})
	resp := h.request(http.MethodPost, "/login", "", "key=tmk_wrong", "Content-Type", "application/x-www-form-urlencoded",
		"Accept", wantHTML, "Origin", h.http.URL)
	status, body := readAll(t, resp)
	require.Equal(t, 401, status)
	require.Contains(t, body, "That key is not valid here")
	require.Contains(t, body, `id="login-form"`)
	require.Contains(t, body, `name="referrer" content="same-origin"`, "else the browser would send the form without an origin")
}

// TestCaseD3_22: all panels of a page live on one event stream.
func TestCaseD3_22_OneStreamAPage(t *testing.T) {
	h := withPages(t)
	for _, path := range []string{"/ops", "/ops/s/s"} {
		_, body := h.get(path, "operator", "Accept", wantHTML)
		require.Equal(t, 1, strings.Count(body, "hx-sse:connect"), path)
		require.Contains(t, body, "after=e1-1", "the stream starts at the place the page was drawn at")
	}
}

// TestCaseD7_72: the conversation is not read out while it grows; one polite line tells boundaries.
func TestCaseD7_72_OnePoliteLine(t *testing.T) {
	h := withPages(t)
	_, body := h.get("/s/s", "alice", "Accept", wantHTML)
	require.Contains(t, body, `role="log" aria-live="off"`)
	require.Equal(t, 1, strings.Count(body, `role="status"`))
}

func TestOpsStream(t *testing.T) {
	h := withPages(t)
	s := h.stream("/ops/stream?after=e1-1", "operator")
	defer s.close()
	require.Equal(t, "3000", s.next()["retry"])
	id := h.fake.turnStarted(2)
	frame := s.next()
	require.Empty(t, frame["event"], "htmx swaps unnamed events only")
	require.Equal(t, "e1-2", frame["id"])
	require.EqualValues(t, 2, id)
	for _, part := range []string{`hx-target="#feed-items" hx-swap="upsert"`, `id="event-2"`, `hx-target="#session-rows" hx-swap="upsert"`, `id="session-s"`, `hx-target="#live-head"`} {
		require.Contains(t, frame["data"], part)
	}
	require.Contains(t, s.next()["data"], `hx-target="#figures"`, "the cards follow within a second")
}

func TestOpsStreamKeepsTheFilter(t *testing.T) {
	h := withPages(t)
	s := h.stream("/ops/stream?after=e1-1&q=nothing-like-it", "operator")
	defer s.close()
	s.next()
	h.fake.turnStarted(2)
	data := s.next()["data"]
	require.NotContains(t, data, "#session-rows", "a session that the filter leaves out is not added")
	require.Contains(t, data, `hx-target="#session-s"`, "but its row is kept true where it stands")
}

func TestOpsStreamOfOneSession(t *testing.T) {
	h := withPages(t)
	h.fake.add("other", "bob")
	s := h.stream("/ops/stream?session=s&after=e1-1", "alice")
	defer s.close()
	s.next()
	h.fake.event(event.TurnStarted, "other", event.TurnStartedPayload{SessionID: "other"})
	h.fake.turnStarted(2)
	frame := s.next()
	require.Equal(t, "e1-3", frame["id"])
	for _, part := range []string{"#figures", "#context-chart", "#watermark-card", "#posture-card", "#passes-card", "#turns-card", "#ledger-card", "#actions"} {
		require.Contains(t, frame["data"], `hx-target="`+part+`"`)
	}
	status, code := problem(t, h.request(http.MethodGet, "/ops/stream?session=s", "bob", ""))
	require.Equal(t, 404, status)
	require.Equal(t, "not_found", code)
	status, _ = problem(t, h.request(http.MethodGet, "/ops/stream", "alice", ""))
	require.Equal(t, 403, status, "all sessions are for who may see the figures")
}

func TestOpsStreamGapReloads(t *testing.T) {
	h := withPages(t)
	s := h.stream("/ops/stream", "operator", "Last-Event-ID", "e0-7")
	defer s.close()
	s.next()
	frame := s.next()
	require.Equal(t, "gap", frame["event"], "a named event becomes an event of the page, which reloads")
}

func TestMarkdownFragment(t *testing.T) {
	h := newHarness(t, web.Config{})
	resp := h.request(http.MethodPost, "/fragments/markdown", "alice", `{"texts":["**a**","<script>x</script>"]}`, "Content-Type", "application/json")
	status, body := readAll(t, resp)
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"html":["<p><strong>a</strong></p>\n","\n"]}`, body)
	status, _ = problem(t, h.request(http.MethodPost, "/fragments/markdown", "", `{"texts":[]}`))
	require.Equal(t, 401, status)
	many := `{"texts":[` + strings.TrimSuffix(strings.Repeat(`"",`, 201), ",") + `]}`
	status, code := problem(t, h.request(http.MethodPost, "/fragments/markdown", "alice", many, "Content-Type", "application/json"))
	require.Equal(t, 400, status)
	require.Equal(t, "invalid_params", code)
}

func TestSampleIsOfferedOnlyWhereThereIsOne(t *testing.T) {
	h := newHarness(t, web.Config{})
	_, body := h.get("/ops", "operator", "Accept", wantHTML)
	require.Contains(t, body, "No sessions yet")
	require.NotContains(t, body, "Play a sample session")
	status, code := problem(t, h.request(http.MethodPost, "/ops/sample", "operator", ""))
	require.Equal(t, 404, status)
	require.Equal(t, "not_found", code)
	status, _ = problem(t, h.request(http.MethodPost, "/ops/sample", "viewer", ""))
	require.Equal(t, 403, status, "a viewer has no sessions")
}

// The modules of a page must be of one version: a browser asks whether it still has them, and is told so cheaply.
func TestStaticFilesAreAskedForAgain(t *testing.T) {
	h := newHarness(t, web.Config{})
	resp := h.request(http.MethodGet, "/static/app/chat/main.js", "", "")
	require.Equal(t, 200, resp.StatusCode)
	require.Equal(t, "no-cache", resp.Header.Get("Cache-Control"))
	require.Contains(t, resp.Header.Get("Content-Type"), "javascript")
	again := h.request(http.MethodGet, "/static/app/chat/main.js", "", "", "If-None-Match", resp.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, again.StatusCode)
}
