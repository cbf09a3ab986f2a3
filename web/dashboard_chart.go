package web

import (
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/views"
)

// Sizes of the context chart.
const (
	chartHeight = 260
	chartTop    = 22 // room for the words of a pass
	chartBars   = 160
)

// chartCall is one bar: a turn call, or several neighbours of which the largest is shown.
type chartCall struct {
	number int // of the call, from 1
	usage  message.Usage
	passes []compaction.Pass // applied between the call before and this one
}

// newChart draws the prompt of each turn call split as it was billed, with a mark for each applied pass. Calls to
// summarizing models are left out: their prompts are not the session's context (case D5 #48).
func newChart(f sessionFacts) views.Chart {
	calls := chartCalls(f.ledger, f.passes)
	c := views.Chart{Height: chartHeight, Caption: "Tokens in context per model call; the table below holds the same numbers"}
	if len(calls) == 0 {
		return c
	}
	c.Rows = chartRows(calls)
	bars, per := thin(calls, chartBars)
	var notes []string
	if per > 1 {
		notes = append(notes, "each bar is the largest of up to "+number(per)+" calls")
	}
	levels := chartLevels(f.posture)
	scale := newScale(chartHeight, chartTop, peak(bars, levels))
	c.Ticks = scale.ticks(5)
	for i, call := range bars {
		c.Bars = append(c.Bars, newBar(call, i, len(bars), scale))
		for _, p := range call.passes {
			c.Marks = append(c.Marks, newMark(p, i, len(bars), scale))
		}
	}
	spread(c.Marks, bars)
	c.Levels = drawLevels(levels, scale)
	c.More = strings.Join(append(notes, levelsAbove(levels, scale)...), "; ")
	c.First, c.Last = "call 1", "call "+number(calls[len(calls)-1].number)
	return c
}

func chartCalls(ledger []session.LedgerRow, passes []compaction.Pass) []chartCall {
	var calls []chartCall
	next := 0
	for _, row := range ledger {
		if row.Purpose != session.PurposeTurn || row.Usage.Prompt() == 0 {
			continue
		}
		call := chartCall{number: len(calls) + 1, usage: row.Usage}
		for ; next < len(passes) && passes[next].CreatedAt.Before(row.CreatedAt); next++ {
			if passes[next].Applied() {
				call.passes = append(call.passes, passes[next])
			}
		}
		calls = append(calls, call)
	}
	return calls
}

// thin puts neighbours together until at most limit bars are left; passes are never lost.
func thin(calls []chartCall, limit int) (bars []chartCall, per int) {
	per = (len(calls) + limit - 1) / limit
	if per <= 1 {
		return calls, 1
	}
	for i := 0; i < len(calls); i += per {
		group := calls[i:min(i+per, len(calls))]
		bar := group[0]
		bar.passes = nil
		for _, c := range group {
			if c.usage.Prompt() > bar.usage.Prompt() {
				bar.usage = c.usage
			}
			bar.passes = append(bar.passes, c.passes...)
		}
		bars = append(bars, bar)
	}
	return bars, per
}

func peak(bars []chartCall, levels []chartLevel) int {
	top := 0
	for _, b := range bars {
		top = max(top, b.usage.Prompt())
		for _, p := range b.passes {
			top = max(top, p.TokensBefore)
		}
	}
	for _, l := range levels {
		if l.tokens <= 2*top { // a line far above would press the bars flat
			top = max(top, l.tokens)
		}
	}
	return top
}

func newBar(c chartCall, i, n int, s scale) views.Bar {
	u := c.usage
	width := 1 / float64(n)
	bar := views.Bar{
		X: pct((float64(i) + 0.08) * width), W: pct(0.84 * width),
		Title: "Call " + number(c.number) + ": " + number(u.Prompt()) + " tokens in context, " + number(u.CacheRead) + " cache read, " +
			number(cacheWrite(u)) + " cache write, " + number(u.Input) + " fresh",
	}
	below := 0
	for _, part := range []struct {
		class  string
		tokens int
	}{{"read", u.CacheRead}, {"write", cacheWrite(u)}, {"fresh", u.Input}} {
		if part.tokens > 0 {
			y := s.y(below + part.tokens)
			bar.Parts = append(bar.Parts, views.Part{Class: part.class, Y: px(y), H: px(s.y(below) - y)})
			below += part.tokens
		}
	}
	return bar
}

func cacheWrite(u message.Usage) int { return u.CacheWrite5m + u.CacheWrite1h }

// newMark draws the drop of a pass at the left edge of the call after it.
func newMark(p compaction.Pass, i, n int, s scale) views.Mark {
	at := float64(i) / float64(n)
	top := s.y(p.TokensBefore)
	m := views.Mark{
		X: pct(at), Top: px(top), Floor: px(s.y(tokensAfterPass(p))), TextX: pct(at + 0.006), TextY: px(top - 8), Anchor: "start",
		Text:  kilo(p.TokensBefore) + " → " + kilo(tokensAfterPass(p)),
		Title: passSentence(p),
	}
	if at > 0.75 { // on a narrow screen the words would leave the drawing
		m.Anchor, m.TextX = "end", pct(at-0.006)
	}
	return m
}

// marksApart is how far apart, as a share of the width, passes must lie for each to have its words; the table and the
// receipts say the rest.
const marksApart = 0.12

// spread takes the words of passes that lie too near to the one before.
func spread(marks []views.Mark, bars []chartCall) {
	last, n := -1.0, 0
	for i, bar := range bars {
		at := float64(i) / float64(len(bars))
		for range bar.passes {
			if last >= 0 && at-last < marksApart {
				marks[n].Text = ""
			} else {
				last = at
			}
			n++
		}
	}
}

func tokensAfterPass(p compaction.Pass) int {
	if p.TokensAfterMeasured != nil {
		return *p.TokensAfterMeasured
	}
	return p.TokensAfterEstimate
}

// passSentence tells a pass in one line.
func passSentence(p compaction.Pass) string {
	return "Compaction (" + look(triggerWords, p.Trigger, string(p.Trigger)) + "): " + number(p.TokensBefore) + " → " +
		number(tokensAfterPass(p)) + " tokens, " + money(p.CostUSD)
}

func chartRows(calls []chartCall) []views.ChartRow {
	var rows []views.ChartRow
	for _, c := range calls {
		for _, p := range c.passes {
			rows = append(rows, views.ChartRow{Compact: passSentence(p)})
		}
		rows = append(rows, views.ChartRow{
			Call: number(c.number), Total: number(c.usage.Prompt()), Read: number(c.usage.CacheRead),
			Write: number(cacheWrite(c.usage)), Fresh: number(c.usage.Input),
		})
	}
	return newestFirst(rows, 2*maxListed)
}
