package web

import (
	"encoding/json"
	"fmt"
	"net/url"
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
	"tidemark/views"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func asRole(role auth.Role, owner string) reader {
	return reader{auth.Principal{Owner: owner, Role: role}, noon}
}

func usd(s string) *pricing.USD {
	u := pricing.Must(s)
	return &u
}

func TestFormats(t *testing.T) {
	for got, want := range map[string]string{
		number(0): "0", number(999): "999", number(1000): "1,000", number(-1234567): "-1,234,567",
		kilo(999): "999", kilo(1000): "1k", kilo(9949): "9.9k", kilo(9950): "10k", kilo(58214): "58k", kilo(999_499): "999k",
		kilo(999_500): "1M", kilo(1_250_000): "1.2M",
		percent(0.914): "91.4 %", percent(1): "100 %", percentOf(0, 0): unknown, percentOf(1, 3): "33.3 %",
		money(nil): "unpriced", money(usd("0")): "$0.00", money(usd("7.902")): "$7.90", picoMoney(61_200_000_000): "$0.0612",
		took(41 * time.Millisecond): "41 ms", took(1240 * time.Millisecond): "1.2 s", took(75 * time.Second): "1 min",
		age(0): "now", age(8 * time.Second): "8 s", age(4 * time.Minute): "4 min", age(25 * time.Hour): "25 h", age(50 * time.Hour): "2 d",
		shortID("01M8Q9YZM5VBHG3TE9DGJBA6X1"): "01M8…JBA6X1", shortID("s1"): "s1",
		pct(0.5): "50.00%", pct(2): "100.00%", pct(-1): "0.00%", cut("añb", 2): "añ…", cut("ab", 2): "ab",
		plural(1, "turn", "turns"): "1 turn", plural(1200, "turn", "turns"): "1,200 turns", sentence("no such thing"): "No such thing.",
		sentence(""): "",
	} {
		require.Equal(t, want, got)
	}
}

// Every state, reason, trigger, place, failure and event type has words of its own: nobody reads codes.
func TestEveryCodeHasWords(t *testing.T) {
	for _, p := range compaction.LegalPostures() {
		require.NotEmpty(t, postureWords[p.State].words, p.State)
		text := reasonText(p.Reason)
		require.NotContains(t, text, "_", p.Reason)
		require.NotEqual(t, words(string(p.Reason))+".", text, "the reason %s has no words", p.Reason)
	}
	for _, c := range compaction.FactClasses {
		require.Contains(t, reasonText(compaction.RetentionDrop(c)), words(string(c)))
	}
	for _, spec := range event.Catalog {
		payload, err := json.Marshal(spec.New())
		require.NoError(t, err)
		l := describeEvent(event.Event{Type: spec.Kind, Payload: payload})
		require.NotEmpty(t, l.chip.Text, spec.Kind)
		require.NotEqual(t, string(spec.Kind), l.chip.Text, "the event %s has no words", spec.Kind)
		require.NotContains(t, l.text, "{", spec.Kind)
	}
	require.Equal(t, "unreadable payload", describeEvent(event.Event{Type: event.TurnFailed, Payload: json.RawMessage(`[]`)}).text)
	require.Equal(t, "future.thing", describeEvent(event.Event{Type: "future.thing", Payload: json.RawMessage(`{}`)}).chip.Text)
}

func TestFigures(t *testing.T) {
	byID := func(o session.Overview) map[string]views.Figure {
		out := make(map[string]views.Figure)
		for _, f := range newFigures(o) {
			require.NotEmpty(t, f.About, "every figure is explained")
			out[f.ID] = f
		}
		return out
	}
	empty := byID(session.Overview{})
	require.Equal(t, "$0.00", empty["spend"].Value)
	require.Equal(t, unknown, empty["cache-read"].Value, "no calls is no share, not 0 %")
	require.Equal(t, unknown, empty["priced"].Value)

	full := byID(session.Overview{
		Sessions: 3, Running: 1, Calls: 10, UnpricedCalls: 1, CostPico: 2_000_000_000_000, CompactionPico: 100_000_000_000,
		Usage: message.Usage{Input: 100, CacheRead: 900}, Passes: 4, PassesFailed: 1, SummaryCacheHits: 1, TokensCompacted: 58_000, TokensSummaries: 2_000,
	})
	require.Equal(t, "$2.00", full["spend"].Value)
	require.Equal(t, "of which compaction $0.1000 (5 %)", full["spend"].Note)
	require.Equal(t, "90 %", full["cache-read"].Value)
	require.Equal(t, "1 / 4", full["summary-cache"].Value)
	require.Equal(t, "58k → 2k tokens · 1 failed", full["passes"].Note)
	require.Equal(t, "90 %", full["priced"].Value)
	require.Equal(t, views.ToneSand, full["priced"].Tone)
}

func someRecord(id, owner, title string) session.Record {
	return session.Record{
		ID: id, Owner: owner, Title: title, Model: "sim:assistant", State: session.StateIdle, Turns: 3, NextSeq: 498, Watermark: 412,
		CostUSD: pricing.Must("7.902"), CompactionCostUSD: pricing.Must("0.118"), Passes: 5, SummaryCacheHits: 2,
		Usage: message.Usage{Input: 12, CacheRead: 88}, ContextTokens: 21_930, WindowTokens: 200_000, UpdatedAt: noon.Add(-8 * time.Second),
		Compaction: compaction.DefaultConfig(), Posture: compaction.IdlePosture,
	}
}

func TestSessionRow(t *testing.T) {
	rec := someRecord("01M8Q9YZM5VBHG3TE9DGJBA6X1", "ada", "Incident 4411")
	row := newSessionRow(asRole(auth.RoleOperator, "op"), rec, rowFacts{attached: 2})
	require.Equal(t, "Incident 4411", row.Title)
	require.True(t, row.Simulated)
	require.Equal(t, "$7.90", row.Spend)
	require.Equal(t, "$0.1180", row.Compact)
	require.Equal(t, "88 %", row.CacheHit)
	require.Equal(t, "2 / 5", row.Summaries)
	require.Equal(t, "412 of 498", row.Mark.Text)
	require.Equal(t, "22k of 200k", row.Context.Text)
	require.Equal(t, "25.00%", row.Context.Tick, "threshold and tail of the defaults")
	require.Equal(t, "8 s", row.Last.Text)
	require.Equal(t, "2 clients", row.Attached)
	require.Empty(t, row.Posture.Text, "an idle posture is not worth a word")

	rec.UnpricedCalls, rec.CostUSD = 2, pricing.USD{}
	rec.Posture = compaction.Posture{State: compaction.StateSummaryLinkBroken, Reason: compaction.ReasonSummaryLinkMissing}
	row = newSessionRow(asRole(auth.RoleOperator, "op"), rec, rowFacts{compacting: true})
	require.Equal(t, "unpriced", row.Spend, "nothing could be priced: that is not $0")
	require.Equal(t, "2 unpriced", row.Unpriced)
	require.Equal(t, "compacting", row.State.Text)
	require.Equal(t, "summary link broken", row.Posture.Text)
}

func TestGauge(t *testing.T) {
	for _, tc := range []struct {
		used, window, tick int
		estimated          bool
		text, tone         string
	}{
		{0, 200_000, 50_000, false, "not measured", ""},
		{20_000, 0, 50_000, false, "20k, window unknown", ""},
		{20_000, 200_000, 50_000, true, "≈ 20k of 200k", ""},
		{50_000, 200_000, 50_000, false, "50k of 200k", views.ToneSand},
		{180_000, 200_000, 50_000, false, "180k of 200k", views.ToneCoral},
	} {
		g := newGauge(tc.used, tc.window, tc.tick, tc.estimated)
		require.Equal(t, tc.text, g.Text)
		require.Equal(t, tc.tone, g.Tone)
	}
	require.Empty(t, newGauge(1, 10, 50, false).Tick, "a tick beyond the window is not drawn")
}

// A title is made of what somebody said: a viewer sees numbers, and cannot find a session by it either.
func TestViewerSeesNoText(t *testing.T) {
	rec := someRecord("01M8Q9YZM5VBHG3TE9DGJBA6X1", "ada", "Incident 4411")
	for _, tc := range []struct {
		r     reader
		reads bool
	}{
		{asRole(auth.RoleViewer, "val"), false}, {asRole(auth.RoleViewer, "ada"), false}, {asRole(auth.RoleOperator, "op"), true},
		{asRole(auth.RoleClient, "ada"), true}, {asRole(auth.RoleClient, "bob"), false},
	} {
		_, titled := tc.r.sessionName(rec)
		require.Equal(t, tc.reads, titled, tc.r.who)
		require.Equal(t, tc.reads, opsQuery{Q: "incident"}.matches(tc.r, rec), tc.r.who)
		require.True(t, opsQuery{Q: "01m8q9"}.matches(tc.r, rec), "an id is no text")
	}
}

func parseQuery(s string) (opsQuery, error) {
	v, err := url.ParseQuery(s)
	return readOpsQuery(v), err
}

func TestSessionTable(t *testing.T) {
	r := asRole(auth.RoleOperator, "op")
	var recs []session.Record
	for i := range 120 {
		rec := someRecord(fmt.Sprintf("s%03d", i), "ada", fmt.Sprintf("Session %03d", i))
		rec.Turns = i % 3
		rec.UpdatedAt = noon.Add(-time.Duration(i) * time.Second)
		recs = append(recs, rec)
	}
	recs[7].State = session.StateRunning
	facts := func(session.Record) rowFacts { return rowFacts{} }
	ids := func(q string) (out []string, summary string) {
		v, err := parseQuery(q)
		require.NoError(t, err)
		table := newSessionTable(r, recs, v, facts)
		for _, row := range table.Rows {
			out = append(out, row.ID)
		}
		return out, table.Summary
	}
	got, summary := ids("")
	require.Equal(t, "s000", got[0], "the newest event comes first")
	require.Len(t, got, maxRows)
	require.Equal(t, "100 of 120 shown; narrow the filter to see others", summary)

	got, _ = ids("sort=turns")
	require.Equal(t, []string{"s119", "s116", "s113"}, got[:3], "equals stand newest first, so that a reload keeps the order")
	got, _ = ids("sort=turns&dir=asc")
	require.Equal(t, "s117", got[0])
	got, summary = ids("state=running")
	require.Equal(t, []string{"s007"}, got)
	require.Equal(t, "1 of 120 sessions", summary)
	got, _ = ids("q=Session+04")
	require.Len(t, got, 10)
	got, _ = ids("sort=nonsense&range=nonsense&dir=nonsense")
	require.Equal(t, "s000", got[0])
}

func TestOpsQueryKeepsItsParts(t *testing.T) {
	q, err := parseQuery("range=7d&q=a+b&state=idle&sort=spend&dir=asc&from=17")
	require.NoError(t, err)
	again, err := parseQuery(strings.TrimPrefix(q.href(), "/ops?"))
	require.NoError(t, err)
	require.Equal(t, q, again)
	require.Equal(t, "/ops", opsQuery{Range: defaultRange, Sort: defaultSort, Desc: true}.href())
	for _, head := range sessionHeads(q) {
		require.Contains(t, head.Href, "q=a+b", "sorting keeps the filter")
	}
	require.Equal(t, []views.Field{{Name: "dir", Value: "asc"}, {Name: "from", Value: "17"}, {Name: "range", Value: "7d"}, {Name: "sort", Value: "spend"}}, q.keep("q", "state"))
	from, to := q.bounds(noon)
	require.Equal(t, 7*24*time.Hour, to.Sub(from))
	from, _ = opsQuery{Range: "all"}.bounds(noon)
	require.True(t, from.IsZero())
}
