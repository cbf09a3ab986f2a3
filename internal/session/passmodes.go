package session

import (
	"context"
	"errors"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// semantic is mode semantic: a hit is used at once, else one call decides (spec 4.4, 4.5).
func (w *passWork) semantic(ctx context.Context) passEnd {
	sum := w.host.summarizer()
	prep, err := sum.Prepare(w.job())
	if err != nil {
		return w.unavailable(err)
	}
	if !prep.Fits && len(w.parents) == 0 {
		if prep, err = w.shrink(prep); err != nil {
			return w.tooLarge()
		}
	}
	w.pass.PromptVersion, w.pass.Model = prep.Job.PromptVersion, w.model
	if t, ok := sum.Lookup(ctx, prep); ok && w.verify(t.Text) == nil {
		if !w.begin(false) {
			return passEnd{failure: &passFailure{cancelled: true}}
		}
		end := w.take(t)
		if end.failure != nil {
			end.failure.truncate = w.plan.Forced
		}
		return end
	}
	spent := w.exhausted(prep.Price)
	if spent && !w.plan.Forced && w.plan.Trigger != compaction.TriggerManual {
		return passEnd{skip: true}
	}
	if !w.begin(true) {
		return passEnd{failure: &passFailure{cancelled: true}}
	}
	end := w.call(ctx, prep)
	if spent && w.plan.Forced { // a wish below the cap has nobody to force it
		end = w.overBudget(end)
	}
	return end
}

// call asks the model and takes its text.
func (w *passWork) call(ctx context.Context, prep compaction.Prepared) passEnd {
	t, err := w.host.summarizer().Summarize(ctx, prep, w.verify, w.streamText())
	if err != nil {
		f, calls := failed(ctx, err)
		f.truncate = w.plan.Forced && !f.cancelled
		return passEnd{failure: f, calls: calls}
	}
	end := w.take(t)
	end.calls = t.Calls
	if end.failure != nil {
		end.failure.truncate = w.plan.Forced
	}
	return end
}

// overBudget is a forced call with the money spent: the notice is always told; success that brings pending below the
// cap is used, anything else ends in truncation (spec 4.4).
func (w *passWork) overBudget(end passEnd) passEnd {
	if end.failure != nil && !end.failure.cancelled {
		end.failure.mode, end.failure.truncate = compaction.FailBudgetForced, true
		return end
	}
	end.notice = end.failure == nil
	return end
}

// take applies a semantic text; in mode semantic the gate's verdict is stored and shown, and rejects nothing (spec 6.3).
func (w *passWork) take(t compaction.Text) passEnd {
	w.pass.CacheHit, w.pass.CacheKey = t.CacheHit, t.CacheKey
	w.pass.Gate = w.judge(t.Text)
	return w.accept(w.semanticSummary(t))
}

var errTooLarge = errors.New("no part of the span fits the summarization model")

// shrink covers the oldest part of the span that fits the summarization model, up to its last boundary (spec 4.6).
func (w *passWork) shrink(prep compaction.Prepared) (compaction.Prepared, error) {
	n := compaction.FitPrefix(w.rows, prep.Room)
	for n > 0 && n < len(w.rows) && len(w.rows[n].ToolResults()) > 0 {
		n--
	}
	if n == 0 {
		return prep, errTooLarge
	}
	w.after.rows = append(append([]message.Message(nil), w.rows[n:]...), w.after.rows...)
	w.cover(w.rows[:n], w.digests[:n])
	w.limit = w.cfg.SummaryLimit(w.pass.SpanTokenCountIn)
	w.mech = compaction.Mechanical(w.digests, compaction.MechanicalOptions{MaxTokens: w.limit, Link: w.link, Focus: w.focus})
	return w.host.summarizer().Prepare(w.job())
}

// unavailable is a summarization model that cannot be had: the pass fails, and truncates at the cap.
func (w *passWork) unavailable(err error) passEnd {
	if !w.begin(false) {
		return passEnd{failure: &passFailure{cancelled: true}}
	}
	f, _ := failed(context.Background(), err)
	f.reason, f.truncate = compaction.ReasonSemanticDisabled, w.plan.Forced
	f.class = "auth"
	return passEnd{failure: f}
}

func (w *passWork) tooLarge() passEnd {
	if !w.begin(false) {
		return passEnd{failure: &passFailure{cancelled: true}}
	}
	f := w.invalid("no part of the span fits the summarization model")
	f.reason, f.truncate = compaction.ReasonSpanTooLarge, w.plan.Forced
	return passEnd{failure: f}
}

// twoPhase is mode two_phase: the mechanical summary stands, unless a candidate is at hand that passes the gate
// (spec 4.1, 6.4).
func (w *passWork) twoPhase(ctx context.Context) passEnd {
	prep, reason := w.prepareCandidate()
	if reason != "" {
		w.noCandidate(reason)
		return w.mechanical()
	}
	if t, ok := w.host.summarizer().Lookup(ctx, prep); ok {
		if v := w.judge(t.Text); v.Accepted {
			return w.useCached(t, v, prep)
		}
	}
	switch {
	case !w.inline:
		return w.mechanical() // inside a turn no call is waited for
	case w.exhausted(prep.Price):
		w.noCandidate(compaction.ReasonBudgetExhausted)
		return w.mechanical()
	}
	return w.buy(ctx, prep)
}

// prepareCandidate readies the candidate's request, or says why there is none.
func (w *passWork) prepareCandidate() (compaction.Prepared, compaction.Reason) {
	if !w.cfg.Streaming.SemanticEnabled {
		return compaction.Prepared{}, compaction.ReasonSemanticDisabled
	}
	prep, err := w.host.summarizer().Prepare(w.job())
	switch {
	case err != nil:
		return prep, compaction.ReasonSemanticDisabled
	case !prep.Fits:
		return prep, compaction.ReasonSpanTooLarge
	}
	return prep, ""
}

func (w *passWork) noCandidate(r compaction.Reason) {
	w.pass.Candidate = &compaction.Candidate{
		State: compaction.CandidateFailed, Reason: string(r), Model: w.model, PromptVersion: w.cfg.SummaryPromptVersion,
	}
}

func (w *passWork) useCached(t compaction.Text, v *compaction.GateVerdict, prep compaction.Prepared) passEnd {
	if !w.begin(false) {
		return passEnd{failure: &passFailure{cancelled: true}}
	}
	w.pass.Candidate = &compaction.Candidate{
		State: compaction.CandidateAccepted, Model: w.model, PromptVersion: prep.Job.PromptVersion, CacheKey: t.CacheKey,
		CacheHit: true, CostUSD: &pricing.USD{}, LatencyMS: t.Latency.Milliseconds(), TokensOut: t.TokensOut, Gate: v,
	}
	w.pass.CacheHit, w.pass.Gate, w.pass.PromptVersion = true, v, prep.Job.PromptVersion
	end := w.accept(w.semanticSummary(t))
	if end.failure != nil {
		return w.fallBack(end)
	}
	return end
}

// buy waits for a candidate at most the latency budget; a late one goes on in the background, and the mechanical summary
// stands until it may be swapped (spec 6.4).
func (w *passWork) buy(ctx context.Context, prep compaction.Prepared) passEnd {
	if !w.begin(true) {
		return passEnd{failure: &passFailure{cancelled: true}}
	}
	own := *w // the candidate outlives this action and must not see it change
	c := w.host.candidate(&own, prep)
	if c == nil {
		return passEnd{failure: &passFailure{cancelled: true}}
	}
	budget := time.NewTimer(w.cfg.Streaming.LatencyBudget())
	defer budget.Stop()
	select {
	case <-c.done:
	case <-budget.C:
		return w.late(c)
	case <-ctx.Done():
		c.cancel()
		<-c.done
	}
	return w.inTime(ctx, c)
}

// late applies the mechanical summary while its candidate still runs.
func (w *passWork) late(c *candidateRun) passEnd {
	w.pass.Candidate = &compaction.Candidate{
		State: compaction.CandidateRunning, Model: w.model, PromptVersion: c.prep.Job.PromptVersion, CacheKey: c.prep.Key,
		CostUSD: &pricing.USD{},
	}
	end := w.accept(w.mechanicalSummary())
	end.late = c
	return end
}

// inTime takes what a candidate brought within the latency budget.
func (w *passWork) inTime(ctx context.Context, c *candidateRun) passEnd {
	if c.err != nil {
		return w.turnedDown(ctx, c)
	}
	cand := c.outcome()
	cand.State = compaction.CandidateAccepted
	w.pass.Candidate, w.pass.Gate = &cand, cand.Gate
	w.pass.CacheHit, w.pass.PromptVersion = c.text.CacheHit, c.prep.Job.PromptVersion
	end := w.accept(w.semanticSummary(c.text))
	end.calls = c.calls
	if end.failure != nil {
		return w.fallBack(end)
	}
	return end
}

// fallBack keeps the mechanical summary after a semantic one that could not take its place.
func (w *passWork) fallBack(end passEnd) passEnd {
	w.pass.Candidate.State, w.pass.Candidate.Reason = compaction.CandidateRejected, string(end.failure.reason)
	w.pass.CacheHit = false
	back := w.accept(w.mechanicalSummary())
	back.calls = end.calls
	return back
}

// turnedDown keeps the mechanical summary when the call brought no usable text.
func (w *passWork) turnedDown(ctx context.Context, c *candidateRun) passEnd {
	if f, _ := failed(ctx, c.err); f.cancelled {
		return passEnd{failure: f, calls: c.calls}
	}
	cand := c.outcome()
	w.pass.Candidate, w.pass.Gate = &cand, cand.Gate
	end := w.accept(w.mechanicalSummary())
	end.calls = c.calls
	return end
}
