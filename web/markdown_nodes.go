package web

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// headingShift puts the headings of an answer below those of the page, so that the outline stays one.
type headingShift struct{}

const shiftBy = 2

// Transform implements parser.ASTTransformer.
func (headingShift) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			h.Level = min(6, h.Level+shiftBy)
		}
		return ast.WalkContinue, nil
	})
}

// imageLinks draws an image as a link to it: the reader decides whether its host hears of this.
type imageLinks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (imageLinks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			_, err := w.WriteString("</a>")
			return ast.WalkContinue, err
		}
		dest := util.EscapeHTML(util.URLEscape(n.(*ast.Image).Destination, true))
		_, err := w.WriteString(`<a href="` + string(dest) + `">image: `)
		return ast.WalkContinue, err
	})
}
