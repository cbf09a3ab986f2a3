package main

import (
	"fmt"
	"io"
	"strings"

	"tidemark/internal/replay"
)

// progress draws a bar where somebody is looking, and nothing elsewhere.
type progress struct {
	w    io.Writer // nil = nobody looks
	last string
}

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{w: w}
}

const barWidth = 30

// show redraws the bar. It writes to the terminal itself, because it needs the carriage return.
func (p *progress) show(at replay.Progress) {
	if p.w == nil || at.Turns == 0 {
		return
	}
	full := barWidth * at.TurnsDone / at.Turns
	line := fmt.Sprintf("[%s%s] %d/%d turns, %d/%d files  %.40s", strings.Repeat("#", full), strings.Repeat(".", barWidth-full),
		at.TurnsDone, at.Turns, at.FilesDone, at.Files, strings.Map(harmless, at.File))
	pad := max(0, len(p.last)-len(line))
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", pad))
	p.last = line
}

// end leaves the bar's line.
func (p *progress) end() {
	if p.w != nil && p.last != "" {
		fmt.Fprintln(p.w)
	}
}
