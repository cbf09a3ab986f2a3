package session

import (
	"context"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// finishPass commits the end of a pass's action: it becomes part of the view, fails, or leaves no trace.
func (a *actor) finishPass(ck *check, w *passWork, end passEnd) {
	switch {
	case end.skip:
		a.log.Debug("compaction skipped: its budget is spent", "pending", w.plan.Pending)
	case a.broken != nil || !w.begun:
		// the start could not be stored: nothing was told, nothing is to be ended
	case end.summary != nil:
		ck.partial, ck.covered = w.pass.SpanEnd < w.plan.Span.End, true
		a.applyPass(w, end)
	default:
		a.endFailed(ck, w, end)
	}
	a.claim(w, end)
}

// claim settles what is left of the pass's candidate: one that came in time is part of the record, a late one is settled
// when it ends.
func (a *actor) claim(w *passWork, end passEnd) {
	c := a.state.candidate
	if c == nil || c.staged || c.work.pass.ID != w.pass.ID {
		return
	}
	if end.late == nil {
		a.state.candidate = nil
		return
	}
	c.version = a.state.rec.Version
	if end.summary == nil {
		c.cancel()
	}
	if c.ended {
		a.settleCandidate(c)
	}
}

// applyPass puts a summary into the view.
func (a *actor) applyPass(w *passWork, end passEnd) {
	s, p := a.state, w.pass
	rows, unused := a.passCalls(&p, end.calls)
	var replaces []string
	for _, parent := range w.parents {
		replaces = append(replaces, parent.ID)
	}
	if w.replaces != "" {
		replaces = append(replaces, w.replaces)
	}
	fold := len(w.parents) > 0
	watermark := s.rec.Watermark
	if !fold && !w.repair {
		watermark = p.SpanEnd
	}
	p.WatermarkAfter, p.Version, p.Outcome = watermark, s.rec.Version+1, compaction.OutcomeCompleted
	if end.notice {
		p.FailureMode = compaction.FailBudgetForced
	}
	a.figures(&p, w, *end.summary)
	mem := s.rec.Memory.Applied(p)

	t := a.tell().calls(unused).calls(rows)
	if end.notice {
		t.budgetReached().noticeOf(p)
	}
	if p.Candidate != nil && p.Candidate.Reason == string(compaction.ReasonBudgetExhausted) {
		t.budgetReached()
	}
	t.compactionCompleted(p)
	a.commitApplied(t, w, ApplyPass{
		Pass: p, Expect: s.rec.Version, Watermark: watermark, Summary: end.summary, Replaces: replaces, Ledger: rows, Memory: &mem, TakesOver: w.takesOver,
	}, postureOf(p, w))
}

// commitApplied stores an applied pass and takes it into the live state.
func (a *actor) commitApplied(t *teller, w *passWork, ap ApplyPass, posture compaction.Posture) {
	s, p := a.state, ap.Pass
	s.spend(ap.Ledger...)
	old := s.rec // what the gauge below shows must be the state after the pass; undone by a reload if the commit fails
	s.take(ap)
	s.noteInTurn(ap, w.focus)
	text := ""
	if ap.Summary != nil && p.Outcome == compaction.OutcomeCompleted {
		text = ap.Summary.Text
	}
	ap.Posture = t.posture(posture.State, posture.Reason)
	t.compaction(p, shownStatus(p), &text).gauge(ap.Posture)
	ap.Out = t.out
	if _, ok := a.mustCommit("apply pass", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.ApplyPass(ctx, ap)
	}); !ok {
		s.rec = old
		return
	}
	if m := s.manual; m != nil && (m.pass == nil || p.Trigger == compaction.TriggerManual) {
		m.pass = &p
	}
}

// take makes an applied pass part of the live view.
func (s *state) take(ap ApplyPass) {
	p := ap.Pass
	if ap.Summary != nil {
		s.summaries = compaction.PlaceSummary(s.summaries, *ap.Summary, ap.Replaces)
	}
	for _, q := range p.ElidedSeqs {
		s.elided[q] = true
	}
	s.advance(ap.Watermark)
	s.rec.Version = p.Version
	s.rec.Passes++
	if p.CacheHit {
		s.rec.SummaryCacheHits++
	}
	if ap.Memory != nil {
		s.rec.Memory = *ap.Memory
	}
	for _, id := range ap.Replaces {
		if parent := s.recentPass(id); parent != nil && p.Trigger == compaction.TriggerFold {
			parent.FoldedInto = p.ID
		}
	}
	s.remember(p)
	s.unmeasured = append(s.unmeasured, p)
	s.estimated = true
}

// noteInTurn keeps in mind the newest mechanical pass inside the running turn. A fold leaves the newest summary as it is,
// and an elision touches none, so that a candidate for it is still worth its price.
func (s *state) noteInTurn(ap ApplyPass, focus string) {
	p := ap.Pass
	if p.Trigger == compaction.TriggerFold || p.Kind == compaction.KindElision {
		s.rebase(ap.Expect, p.Version)
		return
	}
	s.inTurn = nil
	if s.turn != nil && p.At == compaction.AtStep && p.Kind == compaction.KindMechanical && p.Candidate == nil && len(ap.Replaces) == 0 {
		s.inTurn = &inTurnPass{pass: p, focus: focus}
	}
}

// rebase lets a text that was made for the newest summary follow a change that left that summary as it was; whether it
// still stands in the view is asked when its time comes.
func (s *state) rebase(from, to int64) {
	if c := s.candidate; c != nil && !c.staged && c.version == from {
		c.version = to
	}
	if s.ready != nil && s.ready.version == from {
		s.ready.version = to
	}
}

// endFailed ends a pass that brought no summary: the history stays as it was, or is truncated at the cap (spec 4.5).
func (a *actor) endFailed(ck *check, w *passWork, end passEnd) {
	s, f, p := a.state, end.failure, w.pass
	rows, unused := a.passCalls(&p, end.calls)
	p.Outcome, p.FailureMode, p.Futile = compaction.OutcomeFailed, f.mode, f.futile
	if f.mode == compaction.FailAdapterError || f.class != "" {
		p.ErrorClass = string(f.class)
	}
	p.ErrorMessage, p.Gate = f.message, f.verdict
	if f.cancelled {
		a.cancelled(&p)
	}
	if f.truncate && !f.cancelled {
		ps := s.planState(ck.place)
		wt := s.planner().Watch(ps)
		if span, ok := s.planner().Truncate(ps, wt); ok {
			a.append(a.tell().calls(unused))
			ck.covered = true
			a.truncate(w, p, rows, span)
			return
		}
	}
	mem := s.rec.Memory.Failed(p, w.plan, s.rec.Turns)
	t := a.tell().calls(unused).calls(rows).compactionFailed(p, p.FailureMode)
	next := s.failedPosture(p, f, mem)
	posture := t.posture(next.State, next.Reason)
	s.spend(rows...)
	empty := ""
	t.compaction(p, shownStatus(p), &empty).gauge(posture)
	a.failPass(FailPass{Pass: p, Ledger: rows, Posture: posture, Memory: &mem, Out: t.out})
}

// cancelled marks a pass that was ended by a cancel or by the server's end (spec 4.12).
func (a *actor) cancelled(p *compaction.Pass) {
	p.FailureMode, p.ErrorClass = compaction.FailAdapterError, string(provider.ClassCancelled)
	p.Outcome, p.ErrorMessage = compaction.OutcomeCancelled, "the compaction was cancelled"
	if a.ctx.Err() != nil {
		p.Outcome, p.ErrorClass, p.ErrorMessage = compaction.OutcomeFailed, string(provider.ClassOther), interruptedPass
	}
}

// interruptedPass is the message of a pass that a restart ended (spec 4.12).
const interruptedPass = "interrupted by a restart"

// figures fills what the record says of its effect.
func (a *actor) figures(p *compaction.Pass, w *passWork, sum compaction.Summary) {
	s := a.state
	p.SpanTokenCountOut = sum.TextTokens()
	freed := p.SpanTokenCountIn - p.SpanTokenCountOut - w.carried - w.elidedIn(s)
	if len(w.parents) == 0 && !w.repair {
		freed -= compaction.SummaryTokens([]compaction.Summary{sum}) - sum.TextTokens() // the seam
	}
	p.TokensAfterEstimate = p.TokensBefore - s.scaled(freed)
	kept := s.prefix + compaction.SummaryTokens(s.summaries)
	if len(w.parents) > 0 || w.repair {
		kept = s.prefix
	}
	p.PrefixInvalidatedTokens = max(p.TokensBefore-s.scaled(kept), 0)
	p.BreakEvenTurns = breakEven(*p, s)
}

// elidedIn is what elisions had saved of the rows that are covered now.
func (w *passWork) elidedIn(s *state) int {
	return compaction.ElidedTokens(w.rows, s.elided)
}

// truncate drops rows for a failed pass: kind truncation, outcome failed, an applied pass (spec 4.5).
func (a *actor) truncate(w *passWork, p compaction.Pass, rows []LedgerRow, span message.Span) {
	s := a.state
	p.Kind, p.Model, p.CacheKey = compaction.KindTruncation, "", ""
	p.SpanStart, p.SpanEnd, p.SpanMessageCount = span.Start, span.End, span.Len()
	p.SpanTokenCountIn = s.index.Tokens(span)
	p.TruncatedMessageCount, p.WatermarkAfter, p.Version = span.Len(), span.End, s.rec.Version+1
	cut := *w
	cut.pass, cut.request, cut.carried = p, nil, 0
	cut.carry(s, span)
	text := compaction.TruncationNote(span)
	sum := compaction.Summary{
		ID: p.ID, Span: span, Kind: compaction.KindTruncation, Text: text, Hash: compaction.TextHash(text),
		Request: cut.request, RequestSeq: cut.reqSeq,
	}
	a.figures(&p, &cut, sum)
	mem := s.rec.Memory.Failed(p, w.plan, s.rec.Turns)
	t := a.tell().calls(rows).compactionFailed(p, p.FailureMode)
	a.commitApplied(t, &cut, ApplyPass{
		Pass: p, Expect: s.rec.Version, Watermark: span.End, Summary: &sum, Ledger: rows, Memory: &mem,
	}, compaction.Posture{State: compaction.StateMechanicalActive, Reason: compaction.ReasonTruncated})
}

// summaryChunk shows a piece of a summary that is being written.
func (a *actor) summaryChunk(passID, text string) {
	if a.broken != nil {
		return
	}
	a.append(a.tell().row(event.StreamSummaryChunk, event.SummaryChunk{CompactionID: passID, Text: text}))
}
