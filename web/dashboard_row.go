package web

import (
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/session"
	"tidemark/views"
)

// rowFacts are what a row of the session table shows beside the record.
type rowFacts struct {
	attached   int
	compacting bool // a pass is open
}

func newSessionRow(r reader, rec session.Record, f rowFacts) views.SessionRow {
	info := session.NewInfo(rec)
	name, titled := r.sessionName(rec)
	row := views.SessionRow{
		ID: rec.ID, Href: "/ops/s/" + rec.ID, Title: name, Named: titled, Model: modelName(rec.Model),
		Simulated: simulated(rec.Model), State: stateChip(rec, f.compacting), Turns: number(rec.Turns),
		Spend: money(info.CostUSD), Compact: rec.CompactionCostUSD.Format(),
		CacheHit:  percentOf(rec.Usage.CacheRead, rec.Usage.Prompt()),
		Summaries: number(rec.SummaryCacheHits) + " / " + number(rec.Passes),
		Mark:      watermarkGauge(rec), Context: contextGauge(rec), Last: shownAt(rec.UpdatedAt, formAge, r.now),
		Attached: plural(f.attached, "client", "clients"),
	}
	if rec.UnpricedCalls > 0 {
		row.Unpriced = number(rec.UnpricedCalls) + " unpriced"
	}
	if noteworthy(rec.Posture) {
		row.Posture = postureChip(rec.Posture)
	}
	return row
}

// noteworthy leaves out the states that say no more than the watermark does.
func noteworthy(p compaction.Posture) bool {
	switch p.State {
	case "", compaction.StateIdle, compaction.StateMechanicalActive, compaction.StateSemanticCommitted:
		return false
	}
	return true
}

func stateChip(rec session.Record, compacting bool) views.Chip {
	switch {
	case compacting:
		return views.Chip{Text: "compacting", Tone: views.ToneViolet, About: "A compaction is running in this session"}
	case rec.State == session.StateRunning:
		return views.Chip{Text: "running", Tone: views.ToneSea, About: "A turn is running"}
	case rec.State == session.StateIdle:
		return views.Chip{Text: "idle", About: "No turn is running"}
	case rec.State == session.StateClosed:
		return views.Chip{Text: "closed", Tone: views.ToneOutline, About: "Closed; its owner can open it again"}
	}
	return views.Chip{Text: string(rec.State), Tone: views.ToneOutline}
}

func watermarkGauge(rec session.Record) views.Gauge {
	g := views.Gauge{
		Tone: views.ToneViolet, Text: number(rec.Watermark) + " of " + number(rec.NextSeq),
		About: "Messages covered by summaries, of all messages",
	}
	if f, ok := fraction(rec.Watermark, rec.NextSeq); ok {
		g.Known, g.Fill = true, pct(f)
	}
	return g
}

// contextGauge shows the newest request in the window, with a tick about where a compaction comes: the threshold plus
// the tail that is never covered.
func contextGauge(rec session.Record) views.Gauge {
	c := rec.Compaction
	return newGauge(rec.ContextTokens, rec.WindowTokens, c.ThresholdTokens+c.TailMaxTokens, false)
}

// newGauge draws tokens used of a window. Above the tick it is sand, in the last tenth of the window coral.
func newGauge(used, window, tick int, estimated bool) views.Gauge {
	g := views.Gauge{Text: "not measured", About: "Tokens of the newest request, of the model's window"}
	if used <= 0 {
		return g
	}
	g.Text = kilo(used) + " of " + kilo(window)
	if estimated {
		g.Text = "≈ " + g.Text
	}
	f, ok := fraction(used, window)
	if !ok {
		g.Text = kilo(used) + ", window unknown"
		return g
	}
	g.Known, g.Fill = true, pct(f)
	if t, ok := fraction(tick, window); ok && tick > 0 && t <= 1 {
		g.Tick = pct(t)
		g.About += ". The tick: a compaction comes at about " + number(tick)
	}
	switch {
	case f >= 0.9:
		g.Tone = views.ToneCoral
	case tick > 0 && used >= tick:
		g.Tone = views.ToneSand
	}
	return g
}

// modelName is the model without its provider, which says little in a narrow column.
func modelName(m string) string {
	if _, name, ok := strings.Cut(m, ":"); ok && !simulated(m) {
		return name
	}
	return m
}

func simulated(m string) bool { return strings.HasPrefix(m, "sim:") }
