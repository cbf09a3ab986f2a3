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
		Span: w.pass.Span(), Expect: w.pass.Span(), Facts: w.mech.Facts, UserText: userText(w.rows),
	})
	return &v
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
