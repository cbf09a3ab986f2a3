package session

import (
	"context"
	"errors"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/pricing"
)

// candidateRun is the one semantic text being bought for a session: for a pass that stands mechanically, or staged
// ahead of one (spec 6.4, 6.5). It lives beside the actor; what it brings is committed by the actor.
type candidateRun struct {
	work    *passWork
	prep    compaction.Prepared
	version int64 // of the view it was made for; 0 while its pass is not applied
	cancel  context.CancelFunc
	staged  bool // ahead of a pass

	done    chan struct{} // closed when text, calls and err are set
	settled chan struct{} // closed when the actor has been told
	text    compaction.Text
	calls   []compaction.Call
	err     error
	ended   bool               // the actor knows that it is done
	before  compaction.Posture // of the session, for staged work that comes to nothing
}

// buyCandidate starts the call in a goroutine the actor waits for. A newer candidate cancels the one before.
func (a *actor) buyCandidate(w *passWork, prep compaction.Prepared, staged bool) *candidateRun {
	a.dropCandidate()
	ctx, cancel := context.WithCancel(a.ctx)
	c := &candidateRun{work: w, prep: prep, cancel: cancel, staged: staged, done: make(chan struct{}), settled: make(chan struct{})}
	a.state.candidate = c
	a.wg.Add(1)
	go func() {
		defer a.wg.Done()
		defer cancel()
		c.buy(ctx, a.deps.Summarizer)
		close(c.done)
		a.do(func() { a.candidateDone(c) })
		close(c.settled)
	}()
	return c
}

// buy makes the call and, when the gate names what was dropped, one repair inside budget and time (spec 6.3).
func (c *candidateRun) buy(ctx context.Context, s *compaction.Summarizer) {
	if limit := c.work.cfg.Streaming.SemanticTimeout(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	c.text, c.err = s.Summarize(ctx, c.prep, c.work.gated, nil)
	c.calls = c.text.Calls
	var se *compaction.SummaryError
	if !errors.As(c.err, &se) {
		return
	}
	c.calls = se.Text.Calls
	if se.Verdict == nil || len(se.Verdict.Missing) == 0 || se.Text.Text == "" || se.Remembered {
		return
	}
	fix := s.PrepareRepair(c.prep, se.Text.Text, se.Verdict.Missing)
	if !fix.Fits || c.work.exhausted(fix.Price.Add(spentOn(c.calls))) {
		return
	}
	text, err := s.Summarize(ctx, fix, c.work.gated, nil)
	if err != nil {
		var again *compaction.SummaryError
		if errors.As(err, &again) {
			c.calls = append(c.calls, again.Text.Calls...)
		}
		return // the first verdict stands
	}
	c.calls = append(c.calls, text.Calls...)
	c.text, c.err = text, nil
}

func spentOn(calls []compaction.Call) pricing.Price {
	sum := pricing.Nothing
	for _, c := range calls {
		if c.CostUSD != nil {
			sum = sum.Add(pricing.Price{USD: *c.CostUSD, Known: true})
		}
	}
	return sum
}

// reserved is what the running candidate may still cost: it counts as spent until its calls are in the ledger, so that
// two purchases never share one remainder of the budget (case D6 60).
func (s *state) reserved() pricing.USD {
	if s.candidate == nil || s.candidate.ended {
		return pricing.USD{}
	}
	return s.candidate.prep.Price.OrZero()
}

// dropCandidate cancels the running candidate; its end is recorded as stale when it comes.
func (a *actor) dropCandidate() {
	if c := a.state.candidate; c != nil {
		c.cancel()
	}
}

// candidateDone takes the end of a candidate: it waits for its pass to be applied when that is still under way.
func (a *actor) candidateDone(c *candidateRun) {
	c.ended = true
	switch {
	case c.staged:
		a.stagedDone(c)
	case c.version > 0:
		a.settleCandidate(c)
	}
}

// settleCandidate records what became of a candidate whose pass stands mechanically.
func (a *actor) settleCandidate(c *candidateRun) {
	s := a.state
	if s.candidate == c {
		s.candidate = nil
	}
	p, ok := a.record(c.work.pass.ID)
	if !ok || a.broken != nil {
		return
	}
	rows, unused := a.passCalls(&p, c.calls)
	cand := c.outcome()
	p.Candidate, p.Gate = &cand, cand.Gate
	state, reason := compaction.StateSemanticRejected, compaction.Reason(cand.Reason)
	switch {
	case !s.stands(c):
		cand = *stale(&cand)
		if now := s.rec.Posture; now.State != compaction.StateSemanticRunning {
			state, reason = now.State, now.Reason
		} else {
			reason = compaction.ReasonStaleVersion
		}
	case c.err == nil:
		a.replaceReady(&readyText{pass: p, text: c.text, version: c.version})
		state, reason = compaction.StateSemanticReady, reasonOf(p)
	}
	s.spend(rows...)
	t := a.tell()
	t.calls(unused).calls(rows)
	posture := t.posture(state, reason)
	t.compaction(p, shownStatus(p), nil)
	t.gauge(posture)
	if _, ok := a.mustCommit("save candidate", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.SaveCandidate(ctx, SaveCandidate{Pass: p, Ledger: rows, Posture: posture, Out: t.out})
	}); ok {
		s.amend(p)
	}
}

// outcome is the candidate's part of the record.
func (c *candidateRun) outcome() compaction.Candidate {
	w := c.work
	cand := compaction.Candidate{
		State: compaction.CandidateReady, Model: w.model, PromptVersion: c.prep.Job.PromptVersion, CacheKey: c.prep.Key,
		CacheHit: c.text.CacheHit, LatencyMS: c.text.Latency.Milliseconds(), TokensOut: c.text.TokensOut,
		CostUSD: spentOn(c.calls).Ptr(),
	}
	if c.err == nil {
		cand.Gate = w.judge(c.text.Text)
		return cand
	}
	f, _ := failed(context.Background(), c.err)
	cand.State, cand.Reason, cand.ErrorClass = compaction.CandidateFailed, string(f.reason), string(f.class)
	if f.mode == compaction.FailValidationFailed {
		cand.State, cand.Gate = compaction.CandidateRejected, f.verdict
	}
	return cand
}

// stands reports whether the candidate's pass is still what the view shows, at the version the candidate was made for.
func (s *state) stands(c *candidateRun) bool {
	return c.version == s.rec.Version && s.summary(c.work.pass.ID) != nil
}

// summary finds a summary of the view.
func (s *state) summary(id string) *compaction.Summary {
	for i := range s.summaries {
		if s.summaries[i].ID == id {
			return &s.summaries[i]
		}
	}
	return nil
}

// record finds a pass of the session, among the recent ones or in the store.
func (a *actor) record(id string) (compaction.Pass, bool) {
	if p := a.state.recentPass(id); p != nil {
		return *p, true
	}
	ctx, cancel := a.writeContext()
	defer cancel()
	p, err := a.deps.Store.PassRecord(ctx, a.id, id)
	return p, err == nil
}

// replaceReady keeps a text for its swap. One that waited before was made for a view that is no more.
func (a *actor) replaceReady(r *readyText) {
	if old := a.state.ready; old != nil {
		p := a.fresh(old.pass)
		p.Candidate = stale(p.Candidate)
		a.saveCandidate(p, a.state.rec.Posture)
	}
	a.state.ready = r
}

// fresh is a record as it is by now: measured, folded or amended since it was taken.
func (a *actor) fresh(p compaction.Pass) compaction.Pass {
	if now, ok := a.record(p.ID); ok {
		return now
	}
	return p
}

// readyText is a semantic text that passed the gate and waits for its swap.
type readyText struct {
	pass    compaction.Pass
	text    compaction.Text
	version int64
}

// stageSwap puts a ready text in the place of its mechanical summary, at a turn start where that costs no extra cache
// write (spec 6.4).
func (a *actor) stageSwap(ck *check) {
	s, r := a.state, a.state.ready
	if r == nil || ck.place != compaction.AtTurnStart {
		return
	}
	sum := s.summary(r.pass.ID)
	switch {
	case s.rec.Memory.Link != "":
		a.deferSwap()
		return
	case sum == nil || r.version != s.rec.Version:
		a.staleSwap(r)
		return
	case !a.swapIsFree(ck):
		a.waitForFreeSwap()
		return
	}
	a.swap(r, *sum)
}

// waitForFreeSwap says that a ready text would cost a cache write now.
func (a *actor) waitForFreeSwap() {
	a.tellPosture(compaction.Posture{State: compaction.StateSemanticReady, Reason: compaction.ReasonSwapNotFree})
}

// swapIsFree reports whether the view may be rewritten now: always by the rule next_turn; by the rule free when the
// provider's cache is cold or a pass, with the fold that may follow it, rewrites the view anyway.
func (a *actor) swapIsFree(ck *check) bool {
	s := a.state
	if s.rec.Compaction.Streaming.Swap == compaction.SwapNextTurn || s.card.MinCachePrefix == 0 {
		return true
	}
	if a.deps.Now().Sub(s.rec.LastCallAt) > promptCacheTTL {
		return true
	}
	return s.planner().Plan(s.planState(ck.place)).Verb == compaction.DoPass
}

// promptCacheTTL is how long a provider keeps a prefix that is not read (requirements C4.4).
const promptCacheTTL = 5 * time.Minute

// swap commits a ready text by compare-and-set on the version.
func (a *actor) swap(r *readyText, old compaction.Summary) {
	s := a.state
	s.ready = nil
	next := old
	next.Text, next.Hash, next.Kind, next.Model = r.text.Text, compaction.TextHash(r.text.Text), compaction.KindSemantic, r.pass.Candidate.Model
	next.CacheKey = r.pass.Candidate.CacheKey
	p := a.fresh(r.pass)
	cand := *p.Candidate
	cand.State = compaction.CandidateAccepted
	p.Candidate = &cand
	before := s.planState(compaction.AtTurnStart).NextRequest()
	kept := s.scaled(s.prefix + compaction.SummaryTokens(s.summariesBefore(old.ID)))
	version := s.rec.Version + 1
	t := a.tell().event(event.SummarySwapped, event.SummarySwappedPayload{
		SessionID: a.id, CompactionID: p.ID, Version: version, SpanTokenCountOut: next.TextTokens(), CacheHit: cand.CacheHit,
		CacheKey: cand.CacheKey, CostUSD: costString(cand.CostUSD), PrefixInvalidatedTokens: max(before-kept, 0),
	})
	prev := s.rec.Posture
	posture := t.posture(compaction.StateSemanticCommitted, compaction.ReasonSwapCommitted)
	text := next.Text
	t.compaction(p, shownStatus(p), &text)
	t.gauge(posture)
	_, err := a.commit("swap summary", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.Swap(ctx, Swap{Pass: p, Summary: next, Expect: s.rec.Version, Version: version, Posture: posture, Out: t.out})
	})
	if err != nil { // the mechanical summary stays (spec 6.4)
		s.rec.Posture = prev
		a.keepMechanical(r)
		return
	}
	s.rec.Version = version
	s.summaries = compaction.PlaceSummary(s.summaries, next, []string{old.ID})
	s.estimated = true
	s.amend(p)
}

func (s *state) summariesBefore(id string) []compaction.Summary {
	for i := range s.summaries {
		if s.summaries[i].ID == id {
			return s.summaries[:i]
		}
	}
	return s.summaries
}

// keepMechanical says that a text could not be stored; the candidate is given up.
func (a *actor) keepMechanical(r *readyText) {
	a.endReady(r, compaction.CandidateFailed, compaction.StateMechanicalActive, compaction.ReasonPersistFailed)
}

// staleSwap gives up a text whose view has moved on.
func (a *actor) staleSwap(r *readyText) {
	a.endReady(r, compaction.CandidateStale, compaction.StateSemanticRejected, compaction.ReasonStaleVersion)
}

func (a *actor) endReady(r *readyText, st compaction.CandidateState, state compaction.PostureState, reason compaction.Reason) {
	a.state.ready = nil
	p := a.fresh(r.pass)
	cand := *p.Candidate
	cand.State, cand.Reason = st, string(reason)
	p.Candidate = &cand
	a.saveCandidate(p, compaction.Posture{State: state, Reason: reason})
}

// deferSwap waits for a broken link to be mended (spec 6.4).
func (a *actor) deferSwap() {
	a.tellPosture(compaction.Posture{State: compaction.StateSwapDeferred, Reason: a.state.rec.Memory.Link})
}
