package e2e_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
	"github.com/stretchr/testify/require"

	"tidemark/internal/app"
	"tidemark/internal/auth"
	"tidemark/internal/provider/sim"
)

// playSample plays the sample session from the empty overview and waits until it has been compacted.
func playSample(p *tab) {
	p.t.Helper()
	p.visit("/ops")
	p.untilText("empty-ops", "No sessions yet")
	p.untilText("live-state", "live")
	p.click(sel("play-sample"))
	p.untilCount(sel("session-row"), 1)
	p.until("a compaction is in the feed", `s => [...document.querySelectorAll(s)].some(e => e.textContent.includes("compacted"))`, sel("feed-item"))
}

// untilIdle waits until the sample session is over.
func untilIdle(p *tab) {
	p.t.Helper()
	p.until("the last turn is done", `() => document.querySelector("#session-rows td[data-label=Turns]")?.textContent.trim() === "40"
		&& document.querySelector("#session-rows td[data-label=State]").textContent.includes("idle")`)
}

func browserOps(t *testing.T, b *rod.Browser) {
	a := openApp(t, nil, app.WithSim(sim.Config{Pace: 2 * time.Millisecond})) // slow enough to be paused in the middle
	p := openTab(t, b, a)
	p.signIn(adminKey)
	p.visit("/ops")
	p.shot("ops-empty")
	playSample(p)
	p.until("the cards follow", `s => document.querySelector(s).querySelector(".value").textContent !== "$0.00"`, sel("figure-spend"))

	// A paused feed holds what comes; the rows go on.
	p.click(sel("feed-pause"))
	p.until("events are held", `() => !document.getElementById("feed-held").hidden`)
	before := p.eval(`s => String([...document.querySelectorAll(s)].filter(e => !e.hidden).length)`, sel("feed-item"))
	untilIdle(p)
	require.Equal(t, before, p.eval(`s => String([...document.querySelectorAll(s)].filter(e => !e.hidden).length)`, sel("feed-item")))
	p.click(sel("feed-pause"))
	p.until("they are shown", `() => document.getElementById("feed-held").hidden`)
	p.untilText("figure-passes", "→")
	p.until("the watermark moved", `s => !document.querySelector(s).textContent.includes("0 of 0")`, sel("row-watermark"))

	// The filter of the feed, and a replay from an id.
	require.NoError(t, mustElement(p, sel("feed-show")).Select([]string{"compaction"}, true, rod.SelectorTypeText))
	p.until("only compaction is shown", `s => [...document.querySelectorAll(s)].filter(e => e.offsetParent).every(e => e.dataset.group === "compaction")`, sel("feed-item"))
	p.visit("/ops?from=1")
	p.until("the feed begins with the first event", `() => document.querySelector("#feed-items > li:last-child")?.id === "event-1"`)

	// Live pages and drawn pages agree; sort and filter live in the address.
	p.visit("/ops?q=parcels&sort=spend")
	p.untilCount(sel("session-row"), 1)
	p.visit("/ops?q=nothing-like-it")
	p.untilText("sessions-none", "No session passes")
}

func mustElement(p *tab, selector string) *rod.Element {
	p.t.Helper()
	el, err := p.Timeout(browserPatience).Element(selector)
	require.NoError(p.t, err)
	return el.CancelTimeout()
}

func browserSession(t *testing.T, b *rod.Browser) {
	a := openApp(t, nil)
	p := openTab(t, b, a)
	p.signIn(adminKey)
	playSample(p)
	untilIdle(p)
	p.click(sel("session-row") + " a.title")
	p.untilText("session-title", "lost parcels")
	p.shot("session")

	// The chart and its table hold the same calls, and a mark for each pass.
	bars := p.eval(`() => String(document.querySelectorAll("#context-chart .bar").length)`)
	require.Equal(t, "40", bars)
	require.Equal(t, bars, p.eval(`s => String(document.querySelector(s).querySelectorAll("tbody tr:not(.pass-row)").length)`, sel("chart-table")))
	require.Equal(t, p.eval(`() => String(document.querySelectorAll("#context-chart g.pass").length)`),
		p.eval(`s => String(document.querySelector(s).querySelectorAll("tbody tr.pass-row").length)`, sel("chart-table")))
	p.until("the watermark has its table", `s => document.querySelector(s).querySelectorAll("tbody tr").length > 0`, sel("watermark-table"))

	// A receipt unfolds to the record, with the summary beside what it covers.
	p.click(sel("pass-details") + " summary")
	p.untilText("pass-record", "Span tokens")
	p.until("summary and span", `() => document.querySelector("[data-testid=summary-text]").textContent.length > 100
		&& document.querySelectorAll("[data-testid=covered] li").length > 3`)

	// Undo and compact, each asked for first; the page follows by itself and keeps what is open.
	applied := p.text("figure-passes")
	p.click(sel("action-undo"))
	p.click(sel("confirm-undo"))
	p.untilText("action-status", "undone")
	p.until("the cards follow", `(s, was) => document.querySelector(s).textContent.replace(/\s+/g, " ").trim() !== was`, sel("figure-passes"), applied)
	require.Equal(t, "true", p.eval(`s => String(document.querySelector(s).open)`, sel("pass-details")))
	p.click(sel("action-compact"))
	p.click(sel("confirm-compact"))
	p.until("a manual pass has a receipt", `s => [...document.querySelectorAll(s)].some(e => e.textContent.includes("asked for"))`, sel("pass-row"))
	p.click(sel("action-close"))
	p.click(sel("confirm-close"))
	p.untilText("session-title", "closed")
}

func browserViewer(t *testing.T, b *rod.Browser) {
	a := openApp(t, compactSoon)
	ada := chatTab(t, b, a)
	for i := 0; i < 12 && ada.text("compaction-marker") == ""; i++ {
		ada.say("The secret word is xylophone [[echo xylophone it is, noted, and more words to have something to cover: " + strings.Repeat("word ", 300) + "]]")
	}
	ada.untilText("compaction-state", "compacted")
	id := strings.TrimPrefix(ada.eval(`() => location.pathname`), "/s/")

	_, key, err := a.Auth().CreateKey(t.Context(), "val", auth.RoleViewer, time.Hour)
	require.NoError(t, err)
	p := openTab(t, b, a)
	p.signIn(key)
	p.visit("/")
	require.Equal(t, "/ops", p.eval(`() => location.pathname`), "a viewer has no chat")
	p.untilCount(sel("session-row"), 1)
	p.visit("/ops/s/" + id)
	p.untilText("posture", "summary")
	p.click(sel("pass-details") + " summary")
	p.untilText("text-hidden", "numbers only")
	for _, path := range []string{"/ops", "/ops?from=1", "/ops/s/" + id} {
		p.visit(path)
		require.NotContains(t, p.eval(`() => document.documentElement.outerHTML`), "xylophone", path)
		require.NotContains(t, p.eval(`() => document.documentElement.outerHTML`), "The secret", path)
	}
	require.Equal(t, "0", p.eval(`() => String(document.querySelectorAll("#actions button").length)`))
	p.visit("/s/" + id)
	require.NotEmpty(t, p.text("error-page"))
}

// accessiblePages are all pages in a state that shows most of them.
func accessiblePages(id string) map[string]string {
	return map[string]string{"chat-new": "/", "chat": "/s/" + id, "ops": "/ops", "session": "/ops/s/" + id, "error": "/ops/s/none"}
}

func browserAccessible(t *testing.T, b *rod.Browser) {
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Skip("no axe-core below e2e/node_modules: make setup installs it")
	}
	a := openApp(t, nil)
	p := openTab(t, b, a)
	for _, scheme := range []string{"light", "dark"} {
		p.look(scheme, 1280, 900)
		p.visit("/login")
		p.passes(string(axe), "login-"+scheme)
	}
	p.signIn(adminKey)
	p.visit("/ops")
	p.passes(string(axe), "ops-empty")
	playSample(p)
	untilIdle(p)
	id := p.eval(`s => document.querySelector(s).dataset.id`, sel("session-row"))
	for name, path := range accessiblePages(id) {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int{1280, 390, 320} {
				p.look(scheme, width, 844)
				p.visit(path)
				p.settle(name)
				p.passes(string(axe), name+"-"+scheme+"-"+map[int]string{1280: "wide", 390: "phone", 320: "narrow"}[width])
			}
		}
	}
}

// settle waits until a page shows what it fetches.
func (p *tab) settle(name string) {
	p.t.Helper()
	switch name {
	case "chat":
		p.untilCount(sel("turn-end"), 40)
		p.until("markup is drawn", `() => document.querySelector(".prose") !== null`)
	case "ops", "session":
		p.untilText("live-state", "live")
	}
}

// passes takes a picture, asks axe for violations, and looks for what would need scrolling sideways (WCAG 1.4.10).
func (p *tab) passes(axe, name string) {
	p.t.Helper()
	p.shot(name)
	require.Empty(p.t, p.axe(axe), name)
	require.Equal(p.t, "fits", p.eval(`() => document.documentElement.scrollWidth <= innerWidth ? "fits" : "too wide: " + document.documentElement.scrollWidth`), name)
}

// axe injects the checker past the content policy, as a debugger may, and returns what it found.
func (p *tab) axe(source string) string {
	p.t.Helper()
	p.checking.Store(true) // the checker styles its own probes, which the policy refuses
	_, err := proto.RuntimeEvaluate{Expression: source}.Call(p.Page)
	require.NoError(p.t, err)
	return p.eval(`async () => {
		const found = await axe.run(document, {resultTypes: ["violations"]});
		return found.violations.map(v => v.id + ": " + v.help + "\n" + v.nodes.slice(0, 4).map(n => "  " + n.html.slice(0, 160) + "\n    " + n.failureSummary.replaceAll("\n", " ")).join("\n")).join("\n");
	}`)
}
