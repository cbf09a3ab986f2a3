// Package views draws the pages: templ components and the structs they draw.
//
// A struct holds finished text: builders in package web decide what a figure says, the components only where it stands.
// One component draws one card, for the whole page and for the fragment that an event stream sends later, so that both
// are the same by construction. Markup has no inline style and no inline handler, because the content policy allows
// neither; lengths that depend on data are SVG attributes.
package views
