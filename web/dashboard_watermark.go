package web

import (
	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/views"
)

const watermarkHeight = 170

// markPoint is the watermark from a turn on, and how many messages there were when it began.
type markPoint struct {
	mark, messages message.Seq
}

// newWatermark draws the watermark and the messages over turns. A pass that was undone later stands in the table only:
// the line is what holds now.
func newWatermark(f sessionFacts) views.WatermarkHistory {
	h := views.WatermarkHistory{Height: watermarkHeight, Rows: watermarkRows(f.passes)}
	if len(h.Rows) == 0 {
		h.None = "The watermark has not moved: the model is sent every message as it stands."
		return h
	}
	points := markPoints(f)
	s := newScale(watermarkHeight, 8, int(f.rec.NextSeq))
	h.Ticks = s.ticks(4)
	n := float64(len(points))
	for i, p := range points {
		x1, x2 := pct(float64(i)/n), pct(float64(i+1)/n)
		y, grown := s.y(int(p.mark)), s.y(int(p.messages))
		if i == 0 || p.mark != points[i-1].mark { // one box a step: neighbours would show a seam
			until := i
			for until < len(points) && points[until].mark == p.mark {
				until++
			}
			h.Fill = append(h.Fill, views.Box{X: x1, Y: px(y), W: pct(float64(until-i) / n), H: px(s.y(0) - y)})
			h.Steps = append(h.Steps, views.Line{X1: x1, Y1: px(y), X2: pct(float64(until) / n), Y2: px(y)})
		}
		if i > 0 && p.mark != points[i-1].mark {
			h.Steps = append(h.Steps, views.Line{X1: x1, Y1: px(s.y(int(points[i-1].mark))), X2: x1, Y2: px(y)})
		}
		to := f.rec.NextSeq
		if i+1 < len(points) {
			to = points[i+1].messages
		}
		h.Grown = append(h.Grown, views.Line{X1: x1, Y1: px(grown), X2: x2, Y2: px(s.y(int(to)))})
	}
	h.First, h.Last = "turn 1", "turn "+number(len(points))
	return h
}

// markPoints are one point a turn.
func markPoints(f sessionFacts) []markPoint {
	points := make([]markPoint, len(f.turns))
	index := turnNumbers(f.turns)
	moved := make(map[int]message.Seq)
	for _, p := range f.passes {
		if n := index[p.TurnID]; n > 0 && p.Applied() {
			moved[n-1] = max(moved[n-1], p.WatermarkAfter)
		}
	}
	mark := message.Seq(0)
	for i, t := range f.turns {
		mark = max(mark, moved[i])
		points[i] = markPoint{mark, t.OpenSeq}
	}
	return points
}

func watermarkRows(passes []compaction.Pass) []views.WatermarkRow {
	var rows []views.WatermarkRow
	for _, p := range passes {
		if p.WatermarkAfter == p.WatermarkBefore || (!p.Applied() && p.Outcome != compaction.OutcomeUndone) {
			continue
		}
		rows = append(rows, views.WatermarkRow{
			At: shownAt(p.CreatedAt, formDate, p.CreatedAt), Moved: watermarkMove(p),
			Trigger: look(triggerWords, p.Trigger, string(p.Trigger)), How: summarySource(p), Cost: money(p.CostUSD),
			Undone: p.Outcome == compaction.OutcomeUndone,
		})
	}
	return newestFirst(rows, maxListed)
}

func watermarkMove(p compaction.Pass) string {
	return number(p.WatermarkBefore) + " → " + number(p.WatermarkAfter)
}

// summarySource says where a summary came from.
func summarySource(p compaction.Pass) string {
	switch {
	case p.CacheHit:
		return "summary cache hit"
	case p.Kind == compaction.KindSemantic:
		return "call"
	case p.Kind == compaction.KindMechanical:
		return "mechanical, no call"
	}
	return string(p.Kind)
}

// turnPlace says which turn and step a call belongs to.
func turnPlace(row session.LedgerRow, numbers map[session.TurnID]int) string {
	n := numbers[row.TurnID]
	if n == 0 {
		return unknown
	}
	return "T" + number(n) + " · step " + number(row.Step+1)
}
