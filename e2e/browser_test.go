package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/launcher/flags"
	"github.com/go-rod/rod/lib/proto"
	"github.com/stretchr/testify/require"

	"tidemark/internal/app"
)

// browserPatience bounds each wait for the page. It is long, because a loaded machine is slow and a wait that succeeds
// costs nothing.
const browserPatience = 30 * time.Second

// openBrowser starts Chromium; without one the test is skipped, with the reason.
func openBrowser(t *testing.T) *rod.Browser {
	t.Helper()
	bin, err := exec.LookPath("chromium")
	if err != nil {
		fmt.Println("browser tests are skipped: no chromium on the PATH (make setup installs it)")
		t.Skip("no chromium on the PATH")
	}
	l := launcher.New().Leakless(false).Bin(bin).NoSandbox(true).HeadlessNew(true)
	for _, flag := range []string{"disable-gpu", "disable-quic", "disable-background-networking", "disable-component-update", "disable-sync"} {
		l.Set(flags.Flag(flag))
	}
	address, err := l.Launch()
	require.NoError(t, err)
	b := rod.New().ControlURL(address)
	require.NoError(t, b.Connect())
	t.Cleanup(func() {
		_ = b.Close()
		l.Kill()
		l.Cleanup()
	})
	return b
}

// tab is one page with what it complained about.
type tab struct {
	*rod.Page
	t    testing.TB
	base string

	checking   atomic.Bool // axe runs in the page
	mu         sync.Mutex
	complaints []string
}

// openTab opens an empty page with cookies of its own. At the end the test fails when the page's console held an error:
// a script that threw, or something the content policy refused.
func openTab(t *testing.T, b *rod.Browser, a *app.App) *tab {
	t.Helper()
	own, err := b.Incognito()
	require.NoError(t, err)
	page, err := own.Page(proto.TargetCreateTarget{})
	require.NoError(t, err)
	tb := &tab{Page: page, t: t, base: a.URL()}
	go page.EachEvent(
		func(e *proto.RuntimeExceptionThrown) { tb.complain(exception(e.ExceptionDetails)) },
		func(e *proto.LogEntryAdded) {
			if e.Entry.Level == proto.LogLogEntryLevelError {
				tb.complain(e.Entry.Text + " " + e.Entry.URL)
			}
		},
	)()
	t.Cleanup(func() {
		_ = page.Close()
		tb.mu.Lock()
		defer tb.mu.Unlock()
		require.Empty(t, tb.complaints, "errors on the page's console")
	})
	tb.look("light", 1280, 900)
	return tb
}

func exception(d *proto.RuntimeExceptionDetails) string {
	if d.Exception != nil {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}

// complain notes an error. What a test causes on purpose is left out: a refused sign-in, and a server that went away.
func (p *tab) complain(what string) {
	for _, known := range []string{"status of 401", "status of 403", "status of 404", "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"} {
		if strings.Contains(what, known) {
			return
		}
	}
	if p.checking.Load() && strings.Contains(what, "Applying inline style") {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = append(p.complaints, what)
}

// look sets the colour scheme and the size of the window; motion is reduced, so that a screenshot shows an end state.
func (p *tab) look(scheme string, width, height int) {
	p.t.Helper()
	require.NoError(p.t, proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}.Call(p.Page))
	require.NoError(p.t, p.SetViewport(&proto.EmulationSetDeviceMetricsOverride{Width: width, Height: height, DeviceScaleFactor: 1}))
}

func (p *tab) visit(path string) {
	p.t.Helper()
	require.NoError(p.t, p.Navigate(p.base+path))
	require.NoError(p.t, p.WaitLoad())
}

// signIn gets the cookie without the form; the form has a test of its own.
func (p *tab) signIn(key string) {
	p.t.Helper()
	p.visit("/login")
	p.eval(`async key => { await fetch("/login", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({key})}) }`, key)
}

func (p *tab) eval(js string, args ...any) string {
	p.t.Helper()
	res, err := p.Timeout(browserPatience).Eval(js, args...)
	require.NoError(p.t, err)
	return res.Value.Str()
}

// until waits for a condition in the page. A page that goes elsewhere meanwhile takes the question with it, so it is asked
// again there.
func (p *tab) until(what, js string, args ...any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), browserPatience)
	defer cancel()
	err := p.Context(ctx).Wait(rod.Eval(js, args...))
	for err != nil && ctx.Err() == nil {
		err = p.Context(ctx).Wait(rod.Eval(js, args...))
	}
	if err == nil {
		return
	}
	p.shot("failed-" + strings.ReplaceAll(p.t.Name(), "/", "-"))
	says, _ := p.Eval(`() => document.body.innerText.slice(-1500)`)
	require.NoError(p.t, err, "waiting until %s; the page says:\n%v", what, says)
}

// sel is the selector of a test id.
func sel(testID string) string { return `[data-testid="` + testID + `"]` }

// untilText waits until an element holds a text.
func (p *tab) untilText(testID, text string) {
	p.t.Helper()
	p.until(testID+" says "+text, `(s, text) => [...document.querySelectorAll(s)].some(e => e.textContent.includes(text))`, sel(testID), text)
}

// untilCount waits until so many elements are there.
func (p *tab) untilCount(selector string, n int) {
	p.t.Helper()
	p.until(fmt.Sprintf("%d of %s", n, selector), `(s, n) => document.querySelectorAll(s).length === n`, selector, n)
}

func (p *tab) text(testID string) string {
	p.t.Helper()
	return p.eval(`s => document.querySelector(s)?.textContent.replace(/\s+/g, " ").trim() ?? ""`, sel(testID))
}

// click clicks like a reader: the element must be there, and seen.
func (p *tab) click(selector string) {
	p.t.Helper()
	el, err := p.Timeout(browserPatience).Element(selector)
	require.NoError(p.t, err, selector)
	require.NoError(p.t, el.CancelTimeout().Timeout(browserPatience).Click(proto.InputMouseButtonLeft, 1), selector)
}

// fill types over what a field holds.
func (p *tab) fill(selector, text string) {
	p.t.Helper()
	el, err := p.Timeout(browserPatience).Element(selector)
	require.NoError(p.t, err, selector)
	require.NoError(p.t, el.SelectAllText())
	require.NoError(p.t, el.Input(text))
}

// shot saves what is seen: below TIDEMARK_SHOTS when that is set, else in the test's own folder.
func (p *tab) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("TIDEMARK_SHOTS")
	if dir == "" {
		dir = p.t.TempDir()
	}
	require.NoError(p.t, os.MkdirAll(dir, 0o700))
	png, err := p.Screenshot(false, nil)
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600))
}
