package compaction_test

import (
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/message/messagetest"
)

// limits are the thresholds and caps the properties run at.
var limits = [][2]int{{60, 200}, {2_000, 4_000}, {8_000, 16_000}, {30_000, 80_000}, {80_000, 120_000}}

// tails are the bounds they run with; 0 = none.
var tails = []int{0, 40, 2_000, 20_000}

// drawConfig is any configuration a session may have.
func drawConfig(t *rapid.T) compaction.Config {
	cfg := compaction.DefaultConfig()
	if rapid.IntRange(0, 4).Draw(t, "source") == 0 {
		cfg = compaction.SourceDefaults(cfg)
	}
	pair := rapid.SampledFrom(limits).Draw(t, "limits")
	cfg.ThresholdTokens, cfg.HardCapTokens = pair[0], pair[1]
	cfg.TailMaxTokens = rapid.SampledFrom(tails).Draw(t, "tail")
	cfg.PreserveRecentTurns = rapid.IntRange(1, 5).Draw(t, "preserve")
	cfg.Mode = rapid.SampledFrom([]compaction.Mode{
		compaction.ModeSemantic, compaction.ModeTwoPhase, compaction.ModeMechanical,
	}).Draw(t, "mode")
	cfg.Check = rapid.SampledFrom([]compaction.Check{compaction.CheckTurn, compaction.CheckStep}).Draw(t, "check")
	cfg.Fold = rapid.Bool().Draw(t, "fold")
	cfg.MaxTokens = rapid.SampledFrom([]int{20, 300, 4_096}).Draw(t, "max_tokens")
	cfg.ReserveTokens = rapid.SampledFrom([]int{0, 100}).Draw(t, "reserve")
	cfg.Auto = rapid.IntRange(0, 9).Draw(t, "auto") > 0
	return cfg
}

// drawEngine is a session with any knobs whose passes end in any way.
func drawEngine(t *rapid.T) *engine {
	e := newEngine(t, drawConfig(t))
	e.deep = true
	e.window = rapid.SampledFrom([]int{0, 0, 1_200, 9_000, 200_000, 250_000}).Draw(t, "window")
	e.prefix = rapid.SampledFrom([]int{0, 300, 2_000}).Draw(t, "prefix")
	e.answer = func(kind string) answer {
		return rapid.SampledFrom([]answer{brings, brings, brings, partial, bloats, fails, cancels}).Draw(t, kind)
	}
	return e
}

// drawHistory is several valid histories in a row, with texts from a few bytes to so many.
func drawHistory(t *rapid.T, most int) []message.Message {
	var out []message.Message
	for range rapid.IntRange(1, 4).Draw(t, "parts") {
		part := messagetest.ValidHistory(t)
		for i := range part {
			weigh(t, &part[i], most)
		}
		if n := len(part); part[n-1].Role == message.RoleUser && len(part[n-1].ToolResults()) == 0 {
			part = append(part, message.Filler(message.FillerNoAnswer))
		} else if part[n-1].Role == message.RoleUser {
			part = append(part, message.Filler(message.FillerInterrupted))
		}
		out = append(out, rename(part, len(out))...)
	}
	return out
}

// weigh makes a row heavier, sometimes by much.
func weigh(t *rapid.T, m *message.Message, most int) {
	size := min(rapid.SampledFrom([]int{0, 0, 30, 300, 3_000, 30_000}).Draw(t, "weight"), most)
	if size == 0 {
		return
	}
	for i, b := range m.Blocks {
		switch v := b.(type) {
		case message.Text:
			v.Text += " " + filled(size).Text
			m.Blocks[i] = v
		case message.ToolResult:
			v.Content = append(v.Content, filled(size))
			m.Blocks[i] = v
		default:
			continue
		}
		break
	}
	m.Count()
}

// rename keeps call ids unique across parts.
func rename(rows []message.Message, part int) []message.Message {
	tag := string(rune('A' + part%1_000))
	for i := range rows {
		for k, b := range rows[i].Blocks {
			switch v := b.(type) {
			case message.ToolUse:
				v.ID += tag
				rows[i].Blocks[k] = v
			case message.ToolResult:
				v.ToolUseID += tag
				rows[i].Blocks[k] = v
			}
		}
	}
	return rows
}

// drive feeds a history and does between turns what a person may: wishes, undos, restarts, a new factor.
func drive(t *rapid.T, e *engine, rows []message.Message) {
	for _, m := range rows {
		if m.OpensTurn() {
			e.rest()
			between(t, e)
		}
		e.append(m)
		if m.Role == message.RoleUser {
			inside(t, e)
		}
	}
	e.rest()
	between(t, e)
}

func between(t *rapid.T, e *engine) {
	switch rapid.IntRange(0, 11).Draw(t, "between") {
	case 0:
		e.check(compaction.AtIdle, func(s *compaction.State) { s.Manual = true })
	case 1, 2:
		e.undo()
	case 3:
		e.restart()
	case 4:
		e.factor = rapid.SampledFrom([]float64{0.5, 0.9, 1, 1.3, 2}).Draw(t, "factor")
	case 5:
		e.window = rapid.SampledFrom([]int{0, 1_200, 9_000, 200_000, 250_000}).Draw(t, "window")
	}
	e.hold(compaction.AtIdle)
}

// inside a turn a wish may stand, or the provider may find the request too long.
func inside(t *rapid.T, e *engine) {
	place := compaction.AtStep
	if e.turnOpen == e.index.End()-1 {
		place = compaction.AtTurnStart
	}
	switch rapid.IntRange(0, 14).Draw(t, "inside") {
	case 0:
		e.check(place, func(s *compaction.State) { s.Manual = true })
	case 1:
		e.check(place, func(s *compaction.State) { s.Forced = true })
	default:
		return
	}
	e.request()
}

// The invariants of the cases hold after every step of any session: valid histories, any knobs, passes that end in any
// way (cases.md, invariants 1, 2, 3, 4, 6 and 10).
func TestPlan_InvariantsOverRandomSessions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { drive(t, drawEngine(t), drawHistory(t, 30_000)) })
}
