package e2e_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/stretchr/testify/require"

	"tidemark/internal/app"
	"tidemark/internal/auth"
	"tidemark/internal/config"
	"tidemark/internal/pricing"
)

// TestBrowser drives the pages as people do. One Chromium serves all parts; each part has a server and cookies of its own.
func TestBrowser(t *testing.T) {
	b := openBrowser(t)
	for name, part := range map[string]func(*testing.T, *rod.Browser){
		"sign in": browserSignIn, "money": browserMoney, "permission": browserPermission, "chat": browserChat, "stop": browserStop, "hostile text": browserHostileText,
		"compaction": browserCompaction, "restart": browserRestart, "permission to read along": browserReadAlong,
		"operations": browserOps, "session page": browserSession, "viewer": browserViewer, "accessible": browserAccessible,
	} {
		t.Run(name, func(t *testing.T) { part(t, b) })
	}
}

// compactSoon makes compactions come within a few turns.
func compactSoon(c *config.Config) {
	c.Compaction.ThresholdTokens, c.Compaction.HardCapTokens, c.Compaction.TailMaxTokens = 2000, 6000, 1000
	c.Compaction.MaxTokens = 500
}

func chatTab(t *testing.T, b *rod.Browser, a *app.App) *tab {
	t.Helper()
	p := openTab(t, b, a)
	p.signIn(adminKey)
	p.visit("/")
	return p
}

// say sends a message and waits until its turn has ended.
func (p *tab) say(text string) {
	p.t.Helper()
	ends := len(strings.Split(p.eval(`s => [...document.querySelectorAll(s)].map(() => "x").join(",")`, sel("turn-end")), "x")) - 1
	p.send(text)
	p.untilCount(sel("turn-end"), ends+1)
}

func (p *tab) send(text string) {
	p.t.Helper()
	p.fill(sel("prompt"), text)
	require.NoError(p.t, p.Keyboard.Press(input.Enter))
}

func browserSignIn(t *testing.T, b *rod.Browser) {
	a := openApp(t, nil)
	p := openTab(t, b, a)
	p.visit("/ops")
	require.Contains(t, p.eval(`() => location.pathname`), "/login", "who is not signed in is sent to the form")

	p.fill(sel("login-key"), "tmk_wrong")
	p.click(sel("login-submit"))
	p.untilText("login-error", "not valid here")

	p.fill(sel("login-key"), adminKey)
	p.click(sel("login-submit"))
	p.untilText("who", "admin")

	ticket, err := a.Auth().SignInTicket()
	require.NoError(t, err)
	link := "/login#ticket=" + url.QueryEscape(ticket)
	other := openTab(t, b, a)
	other.visit(link)
	other.untilText("who", "admin")
	require.NotContains(t, other.eval(`() => location.href`), "ticket")

	late := openTab(t, b, a)
	late.visit(link)
	late.untilText("login-error", "used already")
	require.NotContains(t, late.eval(`() => location.href`), "ticket", "a spent ticket does not stay in the address either")
}

func browserChat(t *testing.T, b *rod.Browser) {
	a := openApp(t, nil)
	p := chatTab(t, b, a)
	p.untilText("state", "new")
	p.send(`Look at your context [[think 30]] [[tool describe_context {}]] [[slow 100ms]] [[say 600]]`)
	p.until("text streams in as text before the turn ends", `s => {
		const body = document.querySelector(s)?.querySelector(".body.text");
		return body && body.textContent.length > 40 && document.getElementById("stop").disabled === false;
	}`, sel("agent-message")+":last-of-type")
	require.Equal(t, "off", p.eval(`() => document.getElementById("log").getAttribute("aria-live")`), "the log is not read out while it grows")
	p.untilText("tool-state", "done")
	p.untilText("turn-end", "2 steps")
	p.untilText("turn-cost", "turn $")
	p.untilText("session-cost", "session $")
	p.untilText("gauge-text", "compacts at ~")
	p.untilText("status", "finished")
	p.until("the answer has its markup", `s => document.querySelector(s).querySelector(".prose p") !== null`, sel("agent-message")+":nth-last-of-type(2)")
	p.untilCount(sel("session-item"), 1)
	require.Contains(t, p.eval(`() => location.pathname`), "/s/")

	// The result of a tool stays closed, and is text.
	require.Equal(t, "false", p.eval(`s => String(document.querySelector(s).open)`, sel("tool-card")))
	require.Contains(t, p.text("tool-result"), "no_active_compaction")

	// A command is answered by the server, and is no turn.
	p.send("/cost")
	p.untilText("agent-message", "Compaction: $0.00")
	p.untilCount(sel("turn-end"), 1)

	// What was typed and not sent is there after a reload, and so is the conversation.
	p.fill(sel("prompt"), "half a thought")
	require.NoError(t, p.Reload())
	p.untilText("tool-state", "done")
	p.untilCount(sel("turn-end"), 1)
	require.Equal(t, "half a thought", p.eval(`() => document.getElementById("prompt").value`))
}

// The script shows money as the server does: both draw the same figures on one page.
func browserMoney(t *testing.T, b *rod.Browser) {
	a := openApp(t, nil)
	p := chatTab(t, b, a)
	amounts := []string{
		"0", "1", "0.99994", "0.99995", "0.999949", "1234567.895", "-3.5", "0.0001", "0.00009999", "0.00001", "0.000009999", "0.0000000012",
		"0.2", "0.01235", "12.345", "48.1927", "7.902", "-0.004",
	}
	var want []string
	for _, s := range amounts {
		want = append(want, pricing.Must(s).Format())
	}
	require.Equal(t, strings.Join(want, " "), p.eval(`async list => list.map((await import("/static/app/chat/format.js")).usd).join(" ")`, amounts))
	require.Equal(t, "unpriced", p.eval(`async () => (await import("/static/app/chat/format.js")).usd(null)`))
}

// A question of the server's stands among the entries; the answer is the reader's, or none when the question is withdrawn.
func browserPermission(t *testing.T, b *rod.Browser) {
	a := openApp(t, nil)
	p := chatTab(t, b, a)
	p.eval(`async hurt => {
		const { askPermission } = await import("/static/app/chat/tools.js");
		const params = { toolCall: { title: "write_text_file", rawInput: { path: hurt } }, options: [
			{ optionId: "yes", name: "Allow", kind: "allow_once" }, { optionId: "no", name: "Reject", kind: "reject_once" } ] };
		window.withdraw = new AbortController();
		window.answers = [];
		const ask = () => askPermission(e => document.getElementById("entries").append(e), params, window.withdraw.signal).then(a => window.answers.push(JSON.stringify(a)));
		window.ask = ask;
		ask();
	}`, `<img src=x onerror="window.hurt=1">`)
	p.untilText("permission", "wants to run write_text_file")
	require.Equal(t, "0", p.eval(`s => String(document.querySelectorAll(s + " img").length)`, sel("permission")))
	p.click(sel("permission-allow_once"))
	p.until("the answer is given", `() => window.answers[0] === '{"outcome":{"outcome":"selected","optionId":"yes"}}'`)
	p.untilCount(sel("permission"), 0)
	p.eval(`() => { window.ask(); window.withdraw.abort(); }`)
	p.until("a withdrawn question goes", `() => window.answers[1] === '{"outcome":{"outcome":"cancelled"}}'`)
	p.untilCount(sel("permission"), 0)
}

func browserStop(t *testing.T, b *rod.Browser) {
	a := openApp(t, nil)
	p := chatTab(t, b, a)
	p.send("On and on [[slow 100ms]] [[say 4000]]")
	p.until("text streams", `s => (document.querySelector(s)?.textContent.length ?? 0) > 60`, sel("agent-message"))
	require.NoError(t, p.Keyboard.Press(input.Escape))
	p.untilText("turn-end", "cancelled")
	p.untilText("status", "Stopped")
	p.until("stop is over", `() => document.getElementById("stop").disabled`)
	p.say("Still there? [[say 20]]")
}

func browserHostileText(t *testing.T, b *rod.Browser) {
	a := openApp(t, nil)
	p := chatTab(t, b, a)
	p.say("[[echo # Plan\n\n<img src=x onerror=\"window.hurt=1\"><script>window.hurt=1</script>\n\n![photo](https://evil.example/p.png) [go](javascript:window.hurt=1) **bold**\n\n```js\nwindow.hurt = 1\n```\n\n<iframe srcdoc=\"<script>parent.hurt=1</script>\"></iframe>]]")
	p.until("markup is drawn", `s => document.querySelector(s).querySelector("strong") !== null`, sel("agent-message"))
	require.Equal(t, "none", p.eval(`s => {
		const bad = document.querySelector(s).querySelectorAll("img, script, iframe, [onerror], [style], a[href^='javascript']");
		return window.hurt ? "hurt" : bad.length ? bad[0].outerHTML : "none";
	}`, sel("agent-message")))
	require.Equal(t, "noopener", p.eval(`s => document.querySelector(s).querySelector("a[href*='evil.example']").relList.contains("noopener") ? "noopener" : "bare"`, sel("agent-message")))

	// A call with hostile arguments is text too, and so is what the reader typed.
	p.say(`<b onclick="window.hurt=1">hi</b> [[tool describe_context {"x":"<img src=x onerror=window.hurt=1>"}]] [[say 10]]`)
	require.Equal(t, "none", p.eval(`() => window.hurt || document.querySelector("#entries img, #entries [onclick]") ? "hurt" : "none"`))
}

func browserCompaction(t *testing.T, b *rod.Browser) {
	a := openApp(t, compactSoon)
	p := chatTab(t, b, a)
	for i := 0; i < 12 && p.text("compaction-marker") == ""; i++ {
		p.say("Keep going, never touch the billing folder [[say 500]]")
	}
	p.untilText("compaction-state", "compacted")
	require.Regexp(t, `summarised: [\d,]+ → (about )?[\d,]+ tokens`, p.text("compaction-text"))
	require.Contains(t, p.text("compaction-text"), "$")
	p.click(sel("compaction-show"))
	p.until("the summary is shown", `s => document.querySelector(s).textContent.length > 20`, sel("compaction-summary"))
	p.shot("chat-compaction")

	p.until("undo is offered", `s => [...document.querySelectorAll(s)].some(e => !e.hidden)`, sel("compaction-undo"))
	p.click(sel("compaction-undo") + ":not([hidden])")
	p.untilText("compaction-state", "undone")

	// The panel does the same, and says how things stand.
	p.click(sel("gauge"))
	p.untilText("context-panel", "Next pass would cover")
	p.click(sel("context-compact"))
	p.until("a manual pass is listed", `s => document.querySelector(s).querySelectorAll("tbody tr").length >= 2`, sel("context-panel"))
	p.untilText("gauge-text", "measuring")
	p.shot("chat-context")
}

func browserRestart(t *testing.T, b *rod.Browser) {
	var cfg config.Config
	a := openApp(t, func(c *config.Config) { cfg = *c })
	p := chatTab(t, b, a)
	p.say("Remember the number 4711 [[say 30]]")
	p.fill(sel("prompt"), "a draft")

	ctx, cancel := context.WithTimeout(t.Context(), browserPatience)
	defer cancel()
	require.NoError(t, a.Close(ctx))
	p.untilText("banner", "Reconnecting in")
	p.shot("chat-reconnecting")
	require.NoError(t, p.Keyboard.Press(input.Enter)) // sent into the void: it waits

	again := openApp(t, func(c *config.Config) {
		*c = cfg
		c.Addr = strings.TrimPrefix(p.base, "http://")
	})
	require.Equal(t, p.base, again.URL())
	p.eval(`() => document.getElementById("banner-retry").click()`)
	p.untilCount(sel("turn-end"), 2)
	p.untilCount(sel("user-message"), 2)
	p.untilText("user-message", "a draft")
}

func browserReadAlong(t *testing.T, b *rod.Browser) {
	a := openApp(t, nil)
	_, key, err := a.Auth().CreateKey(t.Context(), "ada", auth.RoleClient, time.Hour)
	require.NoError(t, err)
	ada := openTab(t, b, a)
	ada.signIn(key)
	ada.visit("/")
	ada.say("Mine alone [[say 20]]")
	path := ada.eval(`() => location.pathname`)
	require.Equal(t, "0", ada.eval(`() => String(document.querySelectorAll(".places a[href='/ops']").length)`), "a client has no operators' page")

	admin := openTab(t, b, a)
	admin.signIn(adminKey)
	admin.visit(path)
	admin.untilText("user-message", "Mine alone")
	admin.untilText("composer", "only its owner writes")
	ada.say("And live [[say 20]]")
	admin.untilText("user-message", "And live")
	admin.untilCount(sel("turn-end"), 2)

	_, other, err := a.Auth().CreateKey(t.Context(), "bob", auth.RoleClient, time.Hour)
	require.NoError(t, err)
	bob := openTab(t, b, a)
	bob.signIn(other)
	bob.visit(path)
	require.Contains(t, bob.text("error-page"), "Not found", "a stranger's session is not there")
}
