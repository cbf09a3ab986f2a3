package session

import (
	"context"
	"errors"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/provider"
)

// passEnd is how a pass's action ended. Exactly one of skip, summary and failure tells it.
type passEnd struct {
	skip    bool                // nothing to tell: the money is spent and the cap is far (spec 4.1)
	summary *compaction.Summary // to be applied
	failure *passFailure
	calls   []compaction.Call
	late    *candidateRun // goes on in the background
	notice  bool          // budget_exhausted_forced is told first (spec 4.4)
}

// passFailure is why a pass changes nothing by itself.
type passFailure struct {
	mode      compaction.FailureMode
	reason    compaction.Reason
	class     provider.ErrorClass
	message   string
	verdict   *compaction.GateVerdict
	cancelled bool
	futile    bool
	truncate  bool // at or above the cap: rows are dropped instead (spec 4.4, 4.5)
}

// run carries the pass out by its mode (the table of spec 4.1). The mechanical summary is made in each: it names the
// facts, and a fold needs its digest later.
func (w *passWork) run(ctx context.Context) passEnd {
	began := time.Now()
	w.mech = compaction.Mechanical(w.digests, compaction.MechanicalOptions{MaxTokens: w.limit, Link: w.link, Focus: w.focus})
	var end passEnd
	switch {
	case w.repair || w.cfg.Mode == compaction.ModeMechanical:
		end = w.mechanical()
	case w.cfg.Mode == compaction.ModeSemantic:
		end = w.semantic(ctx)
	default:
		end = w.twoPhase(ctx)
	}
	w.pass.LatencyMS = time.Since(began).Milliseconds()
	return end
}

// mechanical applies the mechanical summary.
func (w *passWork) mechanical() passEnd {
	if !w.begin(false) {
		return passEnd{failure: &passFailure{cancelled: true}}
	}
	return w.accept(w.mechanicalSummary())
}

func (w *passWork) mechanicalSummary() compaction.Summary {
	s := w.summaryOf(w.mech.Text)
	s.Kind, s.Model = compaction.KindMechanical, "mechanical"
	return s
}

func (w *passWork) summaryOf(text string) compaction.Summary {
	return compaction.Summary{
		ID: w.pass.ID, Span: w.pass.Span(), Text: text, Hash: compaction.TextHash(text), Request: w.request,
		RequestSeq: w.reqSeq, Digest: w.mech.Digest,
	}
}

func (w *passWork) semanticSummary(t compaction.Text) compaction.Summary {
	s := w.summaryOf(t.Text)
	s.Kind, s.Model, s.CacheKey = compaction.KindSemantic, w.model, t.CacheKey
	return s
}

// accept holds a summary against the rules that every applied pass keeps: a valid view, and a fifth of the span freed
// (spec 4.7, 4.11).
func (w *passWork) accept(s compaction.Summary) passEnd {
	if err := w.after.check(s); err != nil {
		return passEnd{failure: w.invalid(err.Error())}
	}
	out := s.TextTokens() + w.carried
	w.pass.SpanTokenCountOut = s.TextTokens()
	if compaction.Futile(w.pass.SpanTokenCountIn, out) && !w.repair {
		f := w.invalid("the summary would free less than a fifth of what it covers")
		f.futile = true
		return passEnd{failure: f}
	}
	w.pass.Kind, w.pass.Model, w.pass.CacheKey = s.Kind, s.Model, s.CacheKey
	return passEnd{summary: &s}
}

func (w *passWork) invalid(why string) *passFailure {
	return &passFailure{mode: compaction.FailValidationFailed, reason: compaction.ReasonSemanticUnclassifiable, message: why}
}

// job is the semantic summary this pass would like.
func (w *passWork) job() compaction.Job {
	fold := len(w.parents) > 0
	two := w.cfg.Mode == compaction.ModeTwoPhase
	j := compaction.Job{
		SessionID: w.pass.SessionID, Rows: w.rows, Focus: w.focus, Model: w.model, MaxTokens: w.cfg.MaxTokens,
		PromptVersion: compaction.PromptVersionFor(w.cfg.SummaryPromptVersion, two, fold),
		Timeout:       w.cfg.Streaming.SemanticTimeout(), SpanTokens: w.pass.SpanTokenCountIn,
	}
	for _, p := range w.parents {
		j.Parents = append(j.Parents, p.Text)
	}
	if two {
		j.Facts = w.mech.Facts
	}
	return j
}

// exhausted is the budget test of spec 4.1: spent + projected > cap; the source profile asks spent >= cap.
func (w *passWork) exhausted(projected pricing.Price) bool {
	b := pricing.NewBudget(w.cfg.MaxCostPerSessionUSD, w.spent)
	if w.cfg.Profile == compaction.ProfileSource {
		return b.SpentOut()
	}
	return b.Exhausted(projected)
}

// verify is what a text must pass before it is cached: the view it leaves is valid (spec 4.7).
func (w *passWork) verify(text string) error {
	return w.after.check(w.summaryOf(text))
}

// failed turns a summarizer's error into the pass's failure.
func failed(ctx context.Context, err error) (*passFailure, []compaction.Call) {
	var se *compaction.SummaryError
	if !errors.As(err, &se) {
		return &passFailure{
			mode: compaction.FailAdapterError, reason: compaction.ReasonSemanticProviderError, class: provider.ClassOther,
			message: compaction.MaskError(err.Error()),
		}, nil
	}
	f := &passFailure{mode: se.Mode, reason: se.Reason, class: se.Class, message: se.Message, verdict: se.Verdict}
	if ctx.Err() != nil {
		f = &passFailure{
			mode: compaction.FailAdapterError, reason: compaction.ReasonSemanticCancelled, class: provider.ClassCancelled,
			message: "the compaction was cancelled", cancelled: true,
		}
	}
	return f, se.Text.Calls
}

// cover keeps the record's counts in step when only a part of the span is covered.
func (w *passWork) cover(rows []message.Message, digests []compaction.Digest) {
	w.rows, w.digests = rows, digests
	tokens := 0
	for _, m := range rows {
		tokens += m.Tokens
	}
	w.pass.SpanEnd = w.pass.SpanStart + message.Seq(len(rows))
	w.pass.SpanMessageCount, w.pass.SpanTokenCountIn = len(rows), tokens
}
