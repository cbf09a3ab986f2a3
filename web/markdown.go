package web

import (
	"bytes"
	"regexp"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// markdown turns a finished answer into HTML that a page may hold. Raw HTML in the text is left out by the renderer, and
// what is left goes through an allow-list; images are not in it, because loading one would tell its host what was said
// (cases D7 #68, #69). There is no other way from text of a model or a tool to markup: everything else is drawn as text.
type markdown struct {
	render goldmark.Markdown
	policy *bluemonday.Policy
	cache  *lru.Cache[string, string] // answers are drawn again on every load
}

// Bounds of the cache: entries, and the longest text that is worth keeping.
const (
	markdownEntries  = 512
	markdownKeptSize = 64 << 10
)

func newMarkdown() *markdown {
	cache, err := lru.New[string, string](markdownEntries)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return &markdown{
		render: goldmark.New(
			// Not the task lists of GFM: their boxes are inputs, which the policy drops, and "[x]" reads well as it is.
			goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
			goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(headingShift{}, 100))),
			goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(imageLinks{}, 100))),
		),
		policy: markdownPolicy(),
		cache:  cache,
	}
}

// languageClass is what goldmark puts on the code of a fenced block.
var languageClass = regexp.MustCompile(`^language-[A-Za-z0-9+#._-]{1,40}$`)

// markdownPolicy allows what goldmark makes of prose: no images, no styles, no classes but that of a code block's
// language, and links that leave only by a click, without telling where from.
func markdownPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "del", "code", "pre", "blockquote",
		"ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
	)
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(bluemonday.CellAlign).OnElements("th", "td")
	p.AllowAttrs("class").Matching(languageClass).OnElements("code")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// html draws a text.
func (m *markdown) html(text string) (string, error) {
	if out, ok := m.cache.Get(text); ok {
		return out, nil
	}
	var buf bytes.Buffer
	if err := m.render.Convert([]byte(text), &buf); err != nil {
		return "", err
	}
	out := m.policy.SanitizeReader(&buf).String()
	if len(text) <= markdownKeptSize {
		m.cache.Add(text, out)
	}
	return out, nil
}
