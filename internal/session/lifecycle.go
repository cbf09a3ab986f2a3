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
		t.gauge(posture)
		a.failPass(FailPass{Pass: p, Posture: posture, Out: t.out})
	}
	for _, p := range snap.Running {
		cand := *p.Candidate
		cand.State, cand.Reason = compaction.CandidateFailed, string(compaction.ReasonSemanticCancelled)
		cand.ErrorClass = string(provider.ClassOther)
		p.Candidate = &cand
		a.saveCandidate(p, compaction.Posture{State: compaction.StateSemanticRejected, Reason: compaction.ReasonSemanticCancelled})
	}
	a.recoverReady(snap.Ready)
	if a.broken == nil && len(a.linkCheck(snap.Summaries)) > 0 {
		a.log.Warn("a stored summary is broken", "reason", a.state.rec.Memory.Link)
	}
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
	turn := a.state.turn.turn.ID
	a.grace = time.AfterFunc(wait, func() {
		select {
		case a.mailbox <- func() { a.graceOver(turn) }:
		case <-a.done:
		}
	})
}

// graceOver may come late: a turn that began since has a grace of its own.
func (a *actor) graceOver(turn TurnID) {
	if t := a.state.turn; t == nil || t.turn.ID != turn {
		return
	}
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
	var running []<-chan struct{}     // what must have told its end before the session may go (case D5 40)
	own := context.WithoutCancel(ctx) // what is begun here is taken back here
	if err := m.call(own, id, func(a *actor) { running = a.windDown() }); err != nil {
		return err
	}
	for _, ended := range running {
		select {
		case <-ended:
		case <-ctx.Done(): // the session stays, and must stay usable
			_ = m.call(own, id, func(a *actor) { a.ending = false })
			return ctx.Err()
		}
	}
	var err error
	cerr := m.call(own, id, func(a *actor) { err = a.endSession(to) })
	return firstError(cerr, err)
}

// windDown cancels whatever runs in the session and refuses new work. What it returns closes as that has ended and is in
// the ledger.
func (a *actor) windDown() (running []<-chan struct{}) {
	s := a.state
	a.ending = true
	a.cancelTurn()
	if s.turn != nil {
		running = append(running, s.turn.done)
	}
	if s.manual != nil {
		running = append(running, s.manual.done)
	}
	if s.candidate != nil {
		a.dropCandidate()
		running = append(running, s.candidate.settled)
	}
	return running
}

func (a *actor) endSession(to State) error {
	s := a.state
	a.ending = false
	if s.turn != nil || s.manual != nil {
		return ErrBusy
	}
	if s.rec.State == to {
		return nil
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

// rebased is the version up to which nothing but folds and elisions came after a pass; see rebase.
func (s *state) rebased(p compaction.Pass) int64 {
	version := p.Version
	for _, q := range s.recent {
		if q.Version > p.Version && q.Applied() && (q.Trigger == compaction.TriggerFold || q.Kind == compaction.KindElision) {
			version++
		}
	}
	return version
}

// recoverReady takes up a text that waited for its swap: the cache kept it. Without a cached text the swap is given up.
func (a *actor) recoverReady(p *compaction.Pass) {
	if p == nil || a.broken != nil {
		return
	}
	r := &readyText{pass: *p, version: a.state.rebased(*p)}
	ctx, cancel := a.writeContext()
	defer cancel()
	text, ok := a.deps.Summarizer.Cached(ctx, p.Candidate.CacheKey)
	if !ok || r.version != a.state.rec.Version {
		a.staleSwap(r)
		return
	}
	r.text = text
	a.state.ready = r
}
