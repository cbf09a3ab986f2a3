package session

import (
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// judge is the gate's verdict on a text for this pass (spec 6.3). It judges fresh and cached texts alike.
func (w *passWork) judge(text string) *compaction.GateVerdict {
	tokens := message.FallbackTokens(len(text))
	v := compaction.Gate(compaction.GateInput{
		Text: text, Stop: provider.StopEndTurn, SpanTokens: w.pass.SpanTokenCountIn, TokensOut: tokens,
		Span: w.pass.Span(), Expect: w.pass.Span(), Facts: w.mech.Facts, UserText: orDefault(userText(w.rows), w.voice),
	})
	return &v
}

// voice is what the user asked for in the turn that started last: its language is that of a span in which the user says
// nothing, as most are inside a turn.
func (s *state) voice() string {
	t := s.costTurn()
	if t == nil {
		return ""
	}
	if i := int(t.OpenSeq - s.rec.Watermark); i >= 0 && i < len(s.rows) {
		return s.rows[i].PlainText()
	}
	for i := len(s.summaries) - 1; i >= 0; i-- {
		if x := s.summaries[i]; x.RequestSeq == t.OpenSeq && len(x.Request) > 0 {
			return x.Request.PlainText()
		}
	}
	return ""
}

// userText is what the user wrote in the span; the summary keeps its language.
func userText(rows []message.Message) string {
	var sb strings.Builder
	for _, m := range rows {
		if m.OpensTurn() {
			sb.WriteString(m.PlainText())
			sb.WriteByte('\n')
		}
	}
	return sb.String()
}

// gated is what a candidate must pass before it is cached in two_phase: a valid view, and the gate.
func (w *passWork) gated(text string) error {
	if err := w.verify(text); err != nil {
		return err
	}
	if v := w.judge(text); !v.Accepted {
		return &compaction.VerdictError{Verdict: *v}
	}
	return nil
}
