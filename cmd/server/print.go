package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
)

// safeWriter shows control characters instead of obeying them: what a server, a model or a tool says may hold terminal
// escapes (spec section 9, "hostile text").
type safeWriter struct {
	w    io.Writer
	rest []byte // the beginning of a character whose end comes with the next write
}

func newSafeWriter(w io.Writer) io.Writer { return &safeWriter{w: w} }

// Write implements io.Writer.
func (s *safeWriter) Write(p []byte) (int, error) {
	text := append(s.rest, p...)
	whole := len(text)
	for whole > 0 && len(text)-whole < utf8.UTFMax && !utf8.FullRune(text[lastStart(text[:whole]):]) {
		whole = lastStart(text[:whole])
	}
	s.rest = bytes.Clone(text[whole:])
	_, err := io.WriteString(s.w, strings.Map(harmless, string(text[:whole])))
	return len(p), err
}

// lastStart is where the last character of a text begins.
func lastStart(text []byte) int {
	i := len(text) - 1
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return max(i, 0)
}

// harmless replaces what a terminal would act on: controls of both sets, and the marks that turn the order of text.
func harmless(r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return r
	case r < ' ', r >= 0x7f && r <= 0x9f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069,
		r == 0x200e, r == 0x200f, r == 0x061c, r == 0x2028, r == 0x2029:
		return '?'
	}
	return r
}

// isTerminal reports whether somebody is looking at the stream.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// printJSON prints a value, indented. Characters that safeWriter would replace are escaped, so the JSON stays true.
func printJSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range buf.String() {
		if harmless(r) == r {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// table prints rows under a head, in columns.
func table(w io.Writer, head string, rows [][]any) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, head)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(tw, "\t")
			}
			fmt.Fprint(tw, oneLine(fmt.Sprint(cell)))
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

// oneLine keeps a cell from breaking its row.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "-"
	}
	return s
}
