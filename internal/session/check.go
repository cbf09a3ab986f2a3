package session

import (
	"context"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// advanceCheck does the next stage of the running check: it starts an action, commits something small, or moves on.
func (a *actor) advanceCheck() {
	ck := a.currentCheck()
	if m := a.state.manual; m != nil && m.ctx.ctx.Err() != nil {
		ck.stage = stageDone
	}
	switch ck.stage {
	case stageLink:
		a.stageLink(ck)
	case stageSwap:
		ck.stage = stagePass
		a.stageSwap(ck)
	case stagePass:
		ck.stage = stageTruncate
		a.stagePass(ck)
	case stageTruncate:
		ck.stage = stageFold
		a.stageTruncate(ck)
	case stageFold:
		ck.stage = stageElide
		a.stageFold(ck)
	case stageElide:
		ck.stage = stageDone
		a.stageElide(ck)
	case stageDone:
		a.endCheck()
	}
}

func (a *actor) currentCheck() *check {
	if a.state.turn != nil {
		return a.state.turn.check
	}
	return a.state.manual.check
}

// checkContext is the lifetime of what the check starts.
func (a *actor) checkContext() context.Context {
	if a.state.turn != nil {
		return a.state.turn.ctx.ctx
	}
	return a.state.manual.ctx.ctx
}

func (a *actor) endCheck() {
	if t := a.state.turn; t != nil {
		t.check = nil
		return
	}
	m := a.state.manual
	a.state.manual = nil
	m.ctx.cancel()
	close(m.done)
	switch {
	case m.pass == nil:
		m.reply <- manualReply{err: ErrCompaction}
	default:
		m.reply <- manualReply{pass: *m.pass}
	}
}

// stageLink holds the stored summaries against the watermark before anything else of a turn is shown (spec 6.8); each
// break is told at once and then covered again from the transcript.
func (a *actor) stageLink(ck *check) {
	if len(ck.breaks) > 0 {
		b := ck.breaks[0]
		ck.breaks = ck.breaks[1:]
		a.startRepair(ck, b)
		return
	}
	if ck.linked || ck.place == compaction.AtStep || a.state.rec.Watermark == 0 {
		ck.stage = stageSwap
		return
	}
	ck.linked = true
	ctx, cancel := a.writeContext()
	stored, err := a.deps.Store.ViewSummaries(ctx, a.id)
	cancel()
	if err != nil {
		a.log.Warn("summaries could not be checked", "error", err)
		return
	}
	ck.breaks = a.linkCheck(stored)
}

// linkCheck tells the first break of the stored summaries, takes the unsound ones out of the view and returns the spans
// to cover again (spec 6.8).
func (a *actor) linkCheck(stored []compaction.Summary) []compaction.Break {
	s := a.state
	breaks := compaction.LinkCheck(stored, s.rec.Watermark)
	s.rec.Memory.Link = ""
	if len(breaks) > 0 {
		s.rec.Memory.Link = breaks[0].Reason
		s.summaries = sound(stored, breaks)
		a.tellBroken(breaks[0])
	}
	return breaks
}

// sound are the summaries that no break names.
func sound(stored []compaction.Summary, breaks []compaction.Break) []compaction.Summary {
	bad := make(map[string]bool)
	for _, b := range breaks {
		bad[b.ID] = b.ID != ""
	}
	var out []compaction.Summary
	for _, s := range stored {
		if !bad[s.ID] {
			out = append(out, s)
		}
	}
	return out
}

// tellBroken shows the posture in any case: whoever came after the load that found the break has not heard of it.
func (a *actor) tellBroken(b compaction.Break) {
	t := a.tell()
	t.posture(compaction.StateSummaryLinkBroken, b.Reason)
	t.gauge(&a.state.rec.Posture)
	a.append(t)
}

// stagePass asks the planner and starts the pass it wants.
func (a *actor) stagePass(ck *check) {
	s := a.state
	defer func() { s.wish = nil }()
	if !s.rec.Compaction.Enabled {
		return // no estimate, no event, no cache access (spec 2.3)
	}
	ps := s.planState(ck.place)
	ps.Forced = ck.forced
	ps.Manual = s.manual != nil || s.wish != nil
	plan := s.planner().Plan(ps)
	switch plan.Verb {
	case compaction.DoPass:
		if !a.useStaged(ck, plan, ps) {
			a.startPass(ck, plan, ps)
		}
	case compaction.NoBoundary:
		a.reportNoBoundary(ck, plan, ps)
	case compaction.Unreachable:
		a.warnUnreachable(ps, plan)
	}
}

// stageTruncate drops rows when a mechanical or two-phase pass left the history at or above the cap (spec 4.1). In mode
// semantic the failed pass itself has truncated.
func (a *actor) stageTruncate(ck *check) {
	s := a.state
	k := s.rec.Compaction
	if !k.Enabled || k.Mode == compaction.ModeSemantic || ck.partial || !k.Auto || ck.place == compaction.AtIdle {
		return
	}
	ps := s.planState(ck.place)
	w := s.planner().Watch(ps)
	if w.Pending < w.HardCap {
		return
	}
	if span, ok := s.planner().Truncate(ps, w); ok {
		w.Forced, w.Trigger, w.Span = true, compaction.TriggerHardCap, span
		ck.covered = true
		a.truncateNow(ck, w, ps)
	}
}

// stageFold merges older summaries when the pass of this check made them grow past half the threshold (spec 4.8). A fold
// that failed, or was taken back, waits for the next pass: it is never tried at every check.
func (a *actor) stageFold(ck *check) {
	s := a.state
	if !ck.covered || !s.rec.Compaction.Auto && s.manual == nil {
		return
	}
	ps := s.planState(ck.place)
	w := s.planner().Watch(ps)
	if f, ok := s.planner().PlanFold(s.summaries, ps.Raw(w.Threshold)); ok {
		a.startFold(ck, f, w)
	}
}

// stageElide replaces the oldest read results by notes when the next request would not fit (spec 4.9). After an overflow
// the estimate is not to be trusted: the request must be a quarter smaller than the one that was refused, and what the
// pass before freed counts.
func (a *actor) stageElide(ck *check) {
	s := a.state
	if !s.rec.Compaction.Enabled || s.turn == nil {
		return
	}
	ps := s.planState(ck.place)
	need := s.planner().Excess(ps)
	if ck.elide {
		need = max(need, ps.Raw(ps.NextRequest()-ck.from*3/4))
	}
	if need <= 0 || s.rec.Compaction.Profile == compaction.ProfileSource && !ck.elide {
		return
	}
	e := compaction.Elide(s.rows, s.elided, s.unread(), need)
	if len(e.Seqs) > 0 {
		a.elideNow(ck, e, ps)
	}
}

// unread is the first row whose results the model has not seen yet.
func (s *state) unread() message.Seq {
	end := s.index.End()
	if m, ok := s.last(); ok && len(m.ToolResults()) > 0 {
		return end - 1
	}
	return end
}

// warnUnreachable says once that prefix, smallest tail and reserve leave no room at all (spec 4.11).
func (a *actor) warnUnreachable(ps compaction.State, w compaction.Plan) {
	s := a.state
	s.rec.Memory.Unreachable = true
	a.tellPosture(compaction.Posture{State: compaction.StateUnavailable, Reason: w.Reason})
	a.log.Warn("the window leaves no room for history", "window", ps.Window, "prefix", s.prefix, "reserve", s.planner().Reserve(ps))
}

// reportNoBoundary says that nothing can be cut: a failed event without a started one, once until something moves
// (spec 4.3).
func (a *actor) reportNoBoundary(ck *check, plan compaction.Plan, ps compaction.State) {
	s := a.state
	p := a.newPass(ck, plan, ps)
	p.Outcome, p.FailureMode = compaction.OutcomeFailed, compaction.FailNoValidBoundary
	mem := s.rec.Memory
	mem.NoBoundary = &compaction.Stuck{Watermark: s.rec.Watermark, TailStart: plan.TailStart}
	t := a.tell().compactionFailed(p, p.FailureMode)
	posture := t.posture(compaction.StateUnavailable, compaction.ReasonNoValidBoundary)
	if posture != nil {
		t.gauge(posture)
	}
	a.failPass(FailPass{Pass: p, Begin: true, Posture: posture, Memory: &mem, Out: t.out})
}

// failPass commits a pass that changed nothing.
func (a *actor) failPass(f FailPass) {
	if _, ok := a.mustCommit("fail pass", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.FailPass(ctx, f)
	}); !ok {
		return
	}
	if f.Memory != nil {
		a.state.rec.Memory = *f.Memory
	}
	a.state.remember(f.Pass)
	if m := a.state.manual; m != nil {
		p := f.Pass
		m.pass = &p
	}
}

// recoverOverflow answers a provider's context overflow: one forced pass, then an elision, and the call is made once
// more (spec 4.9). It reports false when that was tried already.
func (a *actor) recoverOverflow(r *asking, err *provider.Error) bool {
	run := a.state.turn
	if run.overflows > 0 || run.cancelled || !a.state.rec.Compaction.Enabled {
		return false
	}
	run.overflows++
	a.attemptFailed(r, err)
	run.check = newCheck(compaction.AtStep)
	if run.turn.Steps == 0 {
		run.check.place = compaction.AtTurnStart
	}
	run.check.forced, run.check.elide, run.check.linked = true, true, true
	run.check.from = a.state.planState(run.check.place).NextRequest()
	return true
}

// noticeOf is the extra failed event of spec 4.4.
func (t *teller) noticeOf(p compaction.Pass) *teller {
	return t.compactionFailed(p, compaction.FailBudgetForced)
}
