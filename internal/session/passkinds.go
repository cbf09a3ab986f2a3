package session

import (
	"context"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
)

// truncateNow is a truncation of its own: an attempt after a mechanical or two-phase pass that left the history at or
// above the cap (spec 4.1, 4.5).
func (a *actor) truncateNow(ck *check, plan compaction.Plan, ps compaction.State) {
	w := a.newWork(ck, plan, a.newPass(ck, plan, ps))
	w.pass.Kind = compaction.KindTruncation
	if !a.beginPass(w, false) {
		return
	}
	w.pass.Outcome, w.pass.FailureMode = compaction.OutcomeFailed, compaction.FailValidationFailed
	w.pass.ErrorMessage = "the history stayed at or above the hard cap"
	a.truncate(w, w.pass, nil, plan.Span)
}

// startFold merges the parents' summaries into one (spec 4.8).
func (a *actor) startFold(ck *check, f compaction.FoldPlan, watch compaction.Plan) {
	s := a.state
	plan := watch
	plan.Trigger, plan.Span, plan.Forced = compaction.TriggerFold, f.Span, false
	w := a.newWork(ck, plan, a.newPass(ck, plan, s.planState(ck.place)))
	w.pass.SpanTokenCountIn, w.focus = f.TokensIn, ""
	w.parents, w.limit, w.inline = f.Parents, f.MaxTokens, false
	for _, p := range f.Parents {
		w.digests = append(w.digests, p.Digest)
		if s.turn != nil && len(p.Request) > 0 && p.RequestSeq == s.turn.turn.OpenSeq {
			w.request, w.reqSeq, w.carried = p.Request, p.RequestSeq, p.CarriedTokens()
		}
	}
	newest := s.summaries[len(s.summaries)-1:]
	w.after = afterView{after: newest, rows: s.rows, elided: copySeqs(s.elided)}
	a.runPass(ck, w)
}

// startRepair covers a span again whose summary is missing or corrupt, from the transcript (spec 6.8).
func (a *actor) startRepair(ck *check, b compaction.Break) {
	s := a.state
	ctx, cancel := a.writeContext()
	defer cancel()
	rows, err := a.deps.Store.Rows(ctx, a.id, b.Span)
	if err == nil {
		var digests []compaction.Digest
		if digests, err = a.deps.Store.Digests(ctx, a.id, b.Span); err == nil {
			a.runRepair(ck, b, rows, digests)
			return
		}
	}
	a.log.Error("a broken summary could not be covered again", "error", err)
	s.rec.Memory.Link = b.Reason
}

func (a *actor) runRepair(ck *check, b compaction.Break, rows []message.Message, digests []compaction.Digest) {
	s := a.state
	plan := s.planner().Watch(s.planState(ck.place))
	plan.Trigger, plan.Span = compaction.TriggerRepair, b.Span
	w := a.newWork(ck, plan, a.newPass(ck, plan, s.planState(ck.place)))
	w.repair, w.focus, w.rows = true, "", rows
	w.pass.SpanTokenCountIn = 0
	for _, m := range rows {
		w.pass.SpanTokenCountIn += m.Tokens
	}
	w.digests, w.limit = digests, w.cfg.SummaryLimit(w.pass.SpanTokenCountIn)
	w.pass.Kind = compaction.KindMechanical
	w.replaces = b.ID
	for _, x := range s.summaries {
		if x.Span.Start < b.Span.Start {
			w.after.before = append(w.after.before, x)
		} else {
			w.after.after = append(w.after.after, x)
		}
	}
	w.after.rows, w.after.elided = s.rows, copySeqs(s.elided)
	a.runPass(ck, w)
}

// elideNow replaces old read results by notes in the view: an applied pass of its own (spec 4.9).
func (a *actor) elideNow(ck *check, e compaction.Elision, ps compaction.State) {
	s := a.state
	plan := s.planner().Watch(ps)
	plan.Trigger, plan.Span = compaction.TriggerWindow, message.Span{Start: e.Seqs[0], End: e.Seqs[len(e.Seqs)-1] + 1}
	if ck.forced {
		plan.Trigger, plan.Forced = compaction.TriggerOverflow, true
	}
	w := a.newWork(ck, plan, a.newPass(ck, plan, ps))
	w.pass.Kind, w.pass.ElidedSeqs = compaction.KindElision, e.Seqs
	if !a.beginPass(w, false) {
		return
	}
	p := w.pass
	p.Outcome, p.Version = compaction.OutcomeCompleted, s.rec.Version+1
	p.SpanTokenCountOut = max(p.SpanTokenCountIn-e.Saved, 0)
	p.TokensAfterEstimate = p.TokensBefore - s.scaled(e.Saved)
	p.PrefixInvalidatedTokens = s.scaled(ps.Index.Tokens(message.Span{Start: e.Seqs[0], End: ps.Index.End()}))
	t := a.tell().compactionCompleted(p)
	mem := s.rec.Memory
	a.commitApplied(t, w, ApplyPass{Pass: p, Expect: s.rec.Version, Watermark: s.rec.Watermark, Memory: &mem},
		compaction.Posture{State: compaction.StateMechanicalActive, Reason: compaction.ReasonElided})
}

// undo takes back the newest applied pass (spec 6.7) and rebuilds the live state from the store: the exact earlier view.
func (a *actor) undo() (compaction.Pass, error) {
	s := a.state
	if s.turn != nil || s.manual != nil {
		return compaction.Pass{}, ErrBusy
	}
	ctx, cancel := a.writeContext()
	defer cancel()
	p, ok, err := a.deps.Store.LastApplied(ctx, a.id)
	switch {
	case err != nil:
		return compaction.Pass{}, err
	case !ok:
		return compaction.Pass{}, ErrNothingToUndo
	}
	return a.undoPass(ctx, p)
}

func (a *actor) undoPass(ctx context.Context, p compaction.Pass) (compaction.Pass, error) {
	s := a.state
	a.dropCandidate()
	u := UndoPass{Expect: s.rec.Version, Version: s.rec.Version + 1, Watermark: s.rec.Watermark}
	p.Outcome = compaction.OutcomeUndone
	if s.ready != nil && s.ready.pass.ID == p.ID {
		p.Candidate = stale(p.Candidate)
	}
	if p.Kind != compaction.KindElision && p.Trigger != compaction.TriggerFold {
		u.Watermark = p.SpanStart
	}
	u.Pass = p
	mem := s.rec.Memory
	if u.Watermark < s.rec.Watermark {
		mem = mem.TookBack(p, s.planner().Watch(s.planState(compaction.AtIdle)))
	}
	u.Memory = &mem
	before := s.rec.Watermark
	s.rec.Version = u.Version
	t := a.tell().event(event.CompactionUndone, event.CompactionUndonePayload{
		SessionID: a.id, CompactionID: p.ID, Version: u.Version, WatermarkBefore: int64(before), WatermarkAfter: int64(u.Watermark),
	})
	u.Posture = t.posture(compaction.StateIdle, compaction.ReasonUndone)
	t.compaction(p, shownStatus(p), nil)
	s.estimated = true
	t.gauge(u.Posture)
	u.Out = t.out
	if _, ok := a.mustCommit("undo pass", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.UndoPass(ctx, u)
	}); !ok {
		return p, a.broken
	}
	return p, a.reload(ctx)
}

// reload rebuilds the live state from the store, as a restart would.
func (a *actor) reload(ctx context.Context) error {
	snap, err := a.deps.Store.Load(ctx, a.id)
	if err != nil {
		a.broken = err
		return err
	}
	old := a.state
	a.state = newState(snap, a.cardOf(snap.Record.Model), a.deps.Config.MaxOutputTokens)
	a.state.wish, a.state.stagedAt, a.state.estimated = old.wish, old.stagedAt, true
	if r := old.ready; r != nil && snap.Ready != nil { // it was made for a view that is no more
		p := *snap.Ready
		p.Candidate = stale(p.Candidate)
		a.saveCandidate(p, a.state.rec.Posture)
	}
	return a.broken
}

// stale is a candidate whose view has moved on.
func stale(c *compaction.Candidate) *compaction.Candidate {
	out := *c
	out.State, out.Reason = compaction.CandidateStale, string(compaction.ReasonStaleVersion)
	return &out
}
