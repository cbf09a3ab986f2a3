package session

import (
	"context"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/provider"
)

// recover closes what a crash left open, before the actor serves anybody (spec 3.4, 4.12, section 9): open passes fail,
// the turn ends as interrupted with results for its open calls.
func (a *actor) recover(snap Snapshot) error {
	for _, p := range snap.OpenPass {
		p.Outcome, p.FailureMode = compaction.OutcomeFailed, compaction.FailAdapterError
		p.ErrorClass, p.ErrorMessage = string(provider.ClassOther), interruptedPass
		t := a.tell().compactionFailed(p, p.FailureMode)
		empty := ""
		t.compaction(p, "failed", &empty)
		posture := t.posture(compaction.StateIdle, compaction.ReasonNoActiveCompaction)
		a.failPass(FailPass{Pass: p, Posture: posture, Out: t.out})
	}
	for _, p := range snap.Running {
		cand := *p.Candidate
		cand.State, cand.Reason = compaction.CandidateFailed, string(compaction.ReasonSemanticCancelled)
		cand.ErrorClass = string(provider.ClassOther)
		p.Candidate = &cand
		a.saveCandidate(p, compaction.StateMechanicalActive, compaction.ReasonSemanticCancelled)
	}
	a.recoverReady(snap.Ready)
	if snap.OpenTurn != nil && a.broken == nil {
		a.state.turn = &turnRun{
			turn: *snap.OpenTurn, done: make(chan struct{}), result: new(TurnResult),
			failure: &TurnError{Code: CodeInterrupted, Message: "the server stopped before the turn ended"},
			ctx:     turnContext{a.ctx, func() {}},
		}
		a.finishTurn()
	}
	return a.broken
}

// leaveIfIdle ends the actor when it has had no work and no client for a while.
func (a *actor) leaveIfIdle(after time.Duration) {
	idle := a.state.turn == nil && a.state.manual == nil && !a.busy && a.clients.Len() == 0
	if idle && a.deps.Now().Sub(a.lastWork) >= after && len(a.mailbox) == 0 {
		a.cancel()
	}
}

// watchGrace starts the clock of a turn that nobody is attached to; by policy it is cancelled at once or after the grace
// (protocol, "Disconnect policy").
func (a *actor) watchGrace() {
	if a.state.turn == nil || a.clients.Len() > 0 || a.grace != nil {
		return
	}
	wait := a.deps.Config.Grace
	if a.state.rec.Disconnect == DisconnectCancel {
		wait = 0
	}
	a.grace = time.AfterFunc(wait, func() {
		select {
		case a.mailbox <- a.graceOver:
		case <-a.done:
		}
	})
}

func (a *actor) graceOver() {
	a.grace = nil
	if a.clients.Len() == 0 {
		a.cancelTurn()
	}
}

func (a *actor) stopGrace() {
	if a.grace != nil {
		a.grace.Stop()
		a.grace = nil
	}
}

// end closes or deletes a session: its turn is cancelled first, and its end waited for.
func (m *Manager) end(ctx context.Context, id ID, to State) error {
	var running <-chan struct{}
	if err := m.call(ctx, id, func(a *actor) {
		a.cancelTurn()
		a.ending = true
		if a.state.turn != nil {
			running = a.state.turn.done
		}
	}); err != nil {
		return err
	}
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	var err error
	cerr := m.call(ctx, id, func(a *actor) { err = a.endSession(to) })
	return firstError(cerr, err)
}

func (a *actor) endSession(to State) error {
	s := a.state
	a.ending = false
	if s.turn != nil || s.manual != nil {
		return ErrBusy
	}
	kind, write := event.SessionClosed, a.deps.Store.CloseSession
	if to == StateDeleted {
		kind, write = event.SessionDeleted, a.deps.Store.DeleteSession
	}
	t := a.tell().event(kind, event.SessionEndPayload{SessionID: a.id})
	if _, err := a.commit(string(kind), func(ctx context.Context) (Commit, error) { return write(ctx, a.id, t.out) }); err != nil {
		return err
	}
	s.rec.State = to
	if to == StateDeleted {
		a.cancel() // the actor leaves; the next lookup finds nothing
	}
	return nil
}

// recoverReady takes up a text that waited for its swap: the cache kept it. Without a cached text the swap is given up.
func (a *actor) recoverReady(p *compaction.Pass) {
	if p == nil || a.broken != nil {
		return
	}
	r := &readyText{pass: *p, version: a.state.rec.Version}
	ctx, cancel := a.writeContext()
	defer cancel()
	text, ok := a.deps.Summarizer.Cached(ctx, p.Candidate.CacheKey)
	if !ok {
		a.endReady(r, compaction.CandidateStale, compaction.StateMechanicalActive, compaction.ReasonStaleVersion)
		return
	}
	r.text = text
	a.state.ready = r
}
