package session

import (
	"context"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// stagedWork is phase 1 and 2 of a pass prepared at a turn boundary for the span that the next check would cover
// (spec 6.5). It is no attempt: no record and no event, only the posture and the ledger rows of its calls.
type stagedWork struct {
	span    message.Span
	version int64
	end     passEnd // without calls: they are in the ledger already
	pass    compaction.Pass
	rows    []string // ledger rows that the pass takes over
	usage   message.Usage
}

// inTurnPass is a mechanical pass inside a turn, for which a candidate is made once when the turn ends (spec 6.4).
type inTurnPass struct {
	pass  compaction.Pass
	focus string
}

// stageEvery is the least time between two speculative passes (spec 6.5).
const stageEvery = 30 * time.Second

// urgentPressure stages work whatever the burn rate (spec 6.5).
const urgentPressure = 0.85

// turnOver does what is prepared between turns: the candidate of the newest pass inside the turn, else staged work.
func (a *actor) turnOver() {
	s := a.state
	done := s.inTurn
	s.inTurn = nil
	if !s.rec.Compaction.Enabled || s.rec.Compaction.Mode != compaction.ModeTwoPhase || a.ending {
		return
	}
	s.sample()
	switch {
	case s.lastTurn.State != TurnCompleted: // a stop starts nothing (case B88)
	case done != nil && s.summary(done.pass.ID) != nil:
		a.buyAfterTurn(*done)
	case s.candidate == nil && a.shouldStage():
		a.stageAhead()
	}
}

// buyAfterTurn buys a candidate for a mechanical summary that a pass inside the turn left.
func (a *actor) buyAfterTurn(done inTurnPass) {
	p := done.pass
	ctx, cancel := a.writeContext()
	defer cancel()
	rows, err := a.deps.Store.Rows(ctx, a.id, p.Span())
	if err == nil {
		var digests []compaction.Digest
		if digests, err = a.deps.Store.Digests(ctx, a.id, p.Span()); err == nil {
			a.buyFor(done, rows, digests)
			return
		}
	}
	a.log.Warn("no candidate: the span could not be read", "error", err)
}

func (a *actor) buyFor(done inTurnPass, rows []message.Message, digests []compaction.Digest) {
	s, p := a.state, a.fresh(done.pass)
	sum := *s.summary(p.ID)
	w := a.newWork(newCheck(compaction.AtIdle), compaction.Plan{Trigger: p.Trigger, Span: p.Span()}, p)
	w.focus, w.rows, w.digests, w.request, w.reqSeq = done.focus, rows, digests, sum.Request, sum.RequestSeq
	w.limit = w.cfg.SummaryLimit(p.SpanTokenCountIn)
	w.mech = compaction.Mechanical(digests, compaction.MechanicalOptions{MaxTokens: w.limit, Focus: w.focus})
	w.after = afterView{before: s.summariesBefore(p.ID), rows: s.rows, elided: copySeqs(s.elided)}
	for _, x := range s.summaries {
		if x.Span.Start > sum.Span.Start {
			w.after.after = append(w.after.after, x)
		}
	}
	prep, reason := w.prepareCandidate()
	if reason == "" && w.exhausted(prep.Price) {
		reason = compaction.ReasonBudgetExhausted
	}
	if reason != "" {
		a.noCandidate(p, w, reason)
		return
	}
	p.Candidate = &compaction.Candidate{
		State: compaction.CandidateRunning, Model: w.model, PromptVersion: prep.Job.PromptVersion, CacheKey: prep.Key,
		CostUSD: p.CostUSD,
	}
	w.pass = p
	a.saveCandidate(p, compaction.Posture{State: compaction.StateSemanticRunning, Reason: compaction.ReasonSemanticInFlight})
	if a.broken == nil {
		a.buyCandidate(w, prep, false).version = s.rec.Version
	}
}

func (a *actor) noCandidate(p compaction.Pass, w *passWork, reason compaction.Reason) {
	w.pass = p
	w.noCandidate(reason)
	if reason == compaction.ReasonBudgetExhausted {
		a.append(a.tell().budgetReached())
	}
	a.saveCandidate(w.pass, compaction.Posture{State: compaction.StateMechanicalActive, Reason: reason})
}

func (a *actor) saveCandidate(p compaction.Pass, now compaction.Posture) {
	t := a.tell()
	posture := t.posture(now.State, now.Reason)
	t.compaction(p, shownStatus(p), nil)
	if posture != nil {
		t.gauge(posture)
	}
	if _, ok := a.mustCommit("save candidate", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.SaveCandidate(ctx, SaveCandidate{Pass: p, Posture: posture, Out: t.out})
	}); ok {
		a.state.amend(p)
	}
}

// pressure is max(used/window, pending/threshold) (spec 6.5).
func (s *state) pressure() float64 {
	ps := s.planState(compaction.AtIdle)
	w := s.planner().Watch(ps)
	p := float64(w.Pending) / float64(max(w.Threshold, 1))
	if s.card.Window > 0 {
		p = max(p, float64(s.used())/float64(s.card.Window))
	}
	return p
}

// sample notes the pressure at a turn boundary.
func (s *state) sample() {
	s.samples = append(s.samples, s.pressure())
	if n := s.rec.Compaction.Streaming.PrecompactWindow; len(s.samples) > n {
		s.samples = append([]float64(nil), s.samples[len(s.samples)-n:]...)
	}
}

// burnRate is how much the pressure grows a turn, over the samples kept; a fall in between (a pass) starts it anew.
func burnRate(samples []float64) float64 {
	start := 0
	for i := 1; i < len(samples); i++ {
		if samples[i] < samples[i-1] {
			start = i
		}
	}
	n := len(samples) - start
	if n < 2 {
		return 0
	}
	return (samples[len(samples)-1] - samples[start]) / float64(n-1)
}

// shouldStage reports whether the next check is near enough to prepare for (spec 6.5).
func (a *actor) shouldStage() bool {
	s, k := a.state, a.state.rec.Compaction
	if s.staged != nil && s.staged.version != s.rec.Version {
		s.staged = nil // the view has moved on
	}
	if !k.Auto || !k.Streaming.SemanticEnabled || s.staged != nil || !s.checkIsNear() {
		return false
	}
	if a.deps.Now().Sub(s.stagedAt) < stageEvery {
		a.coolDown()
		return false
	}
	return true
}

// checkIsNear reports whether the pressure, as it grows, reaches its limit within the horizon.
func (s *state) checkIsNear() bool {
	k := s.rec.Compaction.Streaming
	p := s.samples[len(s.samples)-1]
	if p < k.PrecompactThreshold {
		return false
	}
	rate := burnRate(s.samples)
	return p >= urgentPressure || rate > 0 && p+rate*float64(k.PrecompactWindow) >= 1
}

// coolDown says why nothing is prepared, where nothing weightier is to be said.
func (a *actor) coolDown() {
	now := a.state.rec.Posture.State
	if now == compaction.StateIdle || now == compaction.StatePrecompactStaged {
		a.tellPosture(compaction.Posture{State: compaction.StateIdle, Reason: compaction.ReasonCooldownActive})
	}
}

// tellPosture commits a posture that belongs to no other commit.
func (a *actor) tellPosture(next compaction.Posture) {
	t := a.tell()
	if p := t.posture(next.State, next.Reason); p != nil {
		t.gauge(p)
		a.append(t)
	}
}

// stageAhead prepares the span that the next check would cover.
func (a *actor) stageAhead() {
	s := a.state
	ps := s.planState(compaction.AtTurnStart)
	watch := s.planner().Watch(ps)
	end, ok := s.index.CutBefore(watch.TailStart, s.rec.Watermark)
	if !ok || end <= s.rec.Watermark {
		return
	}
	s.stagedAt = a.deps.Now()
	ck := newCheck(compaction.AtTurnStart)
	watch.Span, watch.Trigger = message.Span{Start: s.rec.Watermark, End: end}, compaction.TriggerPrecompact
	w := a.newWork(ck, watch, a.newPass(ck, watch, ps))
	w.rows, w.digests = s.span(watch.Span)
	w.limit = w.cfg.SummaryLimit(w.pass.SpanTokenCountIn)
	w.link = s.newestLink()
	w.after = afterView{before: s.summaries, rows: s.rows[int(end-s.rec.Watermark):], elided: copySeqs(s.elided)}
	w.mech = compaction.Mechanical(w.digests, compaction.MechanicalOptions{MaxTokens: w.limit, Link: w.link})
	prep, reason := w.prepareCandidate()
	if reason != "" || w.exhausted(prep.Price) {
		return // the check itself will say why there is no candidate
	}
	before := s.rec.Posture
	a.tellPosture(compaction.Posture{State: compaction.StatePrecompactStaged, Reason: compaction.ReasonBurnRate})
	if a.broken == nil {
		c := a.buyCandidate(w, prep, true)
		c.version, c.before = s.rec.Version, before
	}
}

// stagedDone keeps what was prepared; its calls are paid for at once (spec 6.5).
func (a *actor) stagedDone(c *candidateRun) {
	s := a.state
	if s.candidate == c {
		s.candidate = nil
	}
	var free compaction.Pass
	rows, unused := a.passCalls(&free, c.calls)
	if len(unused) > 0 {
		a.append(a.tell().calls(unused))
	}
	st := &stagedWork{span: c.work.pass.Span(), version: c.version, pass: c.work.pass, usage: free.Usage}
	for i, r := range rows {
		st.rows = append(st.rows, r.ID)
		t := a.tell().calls(rows[i : i+1])
		if _, ok := a.mustCommit("record staged call", func(ctx context.Context) (Commit, error) {
			return a.deps.Store.RecordCall(ctx, r, t.out)
		}); !ok {
			return
		}
		s.spend(r)
	}
	if c.err != nil || c.version != s.rec.Version || !a.keepStaged(c, st) {
		a.unstage(c)
	}
}

// keepStaged holds the text against what every applied pass must keep; false means that it would not do.
func (a *actor) keepStaged(c *candidateRun, st *stagedWork) bool {
	w := *c.work
	cand := c.outcome()
	cand.State = compaction.CandidateAccepted
	w.pass.Candidate, w.pass.Gate = &cand, cand.Gate
	w.pass.CacheHit, w.pass.PromptVersion = c.text.CacheHit, c.prep.Job.PromptVersion
	st.end = w.accept(w.semanticSummary(c.text))
	st.pass = w.pass
	if st.end.summary == nil {
		return false
	}
	a.state.staged = st
	a.tellPosture(compaction.Posture{State: compaction.StatePrecompactStaged, Reason: compaction.ReasonPrepared})
	return true
}

// unstage takes the posture back when what was to be prepared came to nothing.
func (a *actor) unstage(c *candidateRun) {
	if a.state.rec.Posture.State != compaction.StatePrecompactStaged {
		return
	}
	before := c.before
	if before.State == compaction.StatePrecompactStaged {
		before = compaction.IdlePosture
	}
	a.tellPosture(before)
}

// fits reports whether staged work does what a check wants: it was made for this view, its range ends at a boundary at
// or before the check's tail, and what has come since leaves no second pass due (spec 6.5).
func (s *state) fits(st *stagedWork, plan compaction.Plan) bool {
	switch plan.Trigger {
	case compaction.TriggerThreshold, compaction.TriggerHardCap, compaction.TriggerWindow:
	default:
		return false
	}
	if st == nil || st.version != s.rec.Version || st.span.Start != plan.Span.Start || st.span.End > plan.Span.End {
		return false
	}
	left := s.index.Tokens(message.Span{Start: st.span.End, End: plan.TailStart})
	return s.scaled(left) < plan.Threshold
}

// useStaged turns staged work into the pass a check wants; false means that there is none that fits.
func (a *actor) useStaged(ck *check, plan compaction.Plan, ps compaction.State) bool {
	s := a.state
	st := s.staged
	s.staged = nil
	if !s.fits(st, plan) {
		return false
	}
	plan.Trigger, plan.Span = compaction.TriggerPrecompact, st.span
	w := a.newWork(ck, plan, a.newPass(ck, plan, ps))
	w.rows, w.digests = s.span(plan.Span)
	w.takesOver = st.rows
	id, created := w.pass.ID, w.pass.CreatedAt
	fresh := w.pass
	w.pass = st.pass
	w.pass.ID, w.pass.CreatedAt, w.pass.TurnID, w.pass.TokensBefore = id, created, fresh.TurnID, fresh.TokensBefore
	w.pass.Trigger, w.pass.At = compaction.TriggerPrecompact, ck.place
	w.pass.CostUSD, w.pass.Usage = st.pass.Candidate.CostUSD, st.usage
	if !a.beginPass(w, false) {
		return true
	}
	w.begun = true
	sum := *st.end.summary
	sum.ID = id
	w.mech.Digest = sum.Digest
	a.finishPass(ck, w, passEnd{summary: &sum})
	return true
}
