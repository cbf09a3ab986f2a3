package web

import (
	"tidemark/internal/compaction"
	"tidemark/views"
)

// chartLevel is a line of the chart.
type chartLevel struct {
	tokens int
	tone   string
	text   string
}

// compactsAt is about how large a request is when a pass comes: what is never covered, plus the threshold. 0 = never.
func compactsAt(p compaction.PostureRecord) int {
	if p.ThresholdTokens <= 0 || p.State == compaction.StateDisabled {
		return 0
	}
	return uncovered(p) + p.ThresholdTokens
}

// uncovered is what a pass leaves alone: prefix, summaries and the preserved tail.
func uncovered(p compaction.PostureRecord) int {
	return p.PrefixTokens + p.SummaryTokens + p.TailTokens
}

func chartLevels(p compaction.PostureRecord) []chartLevel {
	var out []chartLevel
	if at := compactsAt(p); at > 0 {
		out = append(out, chartLevel{at, views.ToneSand, "compacts at about " + kilo(at)})
	}
	if p.HardCapTokens > 0 && p.State != compaction.StateDisabled {
		at := uncovered(p) + p.HardCapTokens
		out = append(out, chartLevel{at, views.ToneCoral, "hard cap about " + kilo(at)})
	}
	return out
}

func drawLevels(levels []chartLevel, s scale) []views.Level {
	var out []views.Level
	for _, l := range levels {
		if l.tokens > s.max {
			continue
		}
		y := s.y(l.tokens)
		out = append(out, views.Level{Y: px(y), TextY: px(y - 6), Tone: l.tone, Text: l.text})
	}
	return out
}

// levelsAbove names the lines that lie above the drawing.
func levelsAbove(levels []chartLevel, s scale) []string {
	var out []string
	for _, l := range levels {
		if l.tokens > s.max {
			out = append(out, l.text+" lies above this chart")
		}
	}
	return out
}
