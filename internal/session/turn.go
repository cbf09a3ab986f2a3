package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/pricing"
	"tidemark/internal/provider"
)

// prompt accepts a user message as a new turn, or attaches to the turn its idempotency key names (protocol, "Busy,
// retry, idempotency"). It runs on the actor's goroutine.
func (a *actor) prompt(p Prompt) (*Accepted, error) {
	s := a.state
	hash := bodyHash(p.Blocks)
	if p.Key != "" {
		acc, err := a.attach(p.Key, hash)
		if acc != nil || err != nil {
			return acc, err
		}
	}
	switch {
	case s.turn != nil || s.manual != nil || a.ending:
		return nil, ErrBusy
	case s.rec.State == StateClosed:
		return nil, ErrClosed
	}
	return a.beginTurn(p, hash)
}

// attach finds the turn that a key was claimed by; nil when the key is free.
func (a *actor) attach(key, hash string) (*Accepted, error) {
	if r := a.state.turn; r != nil && r.turn.Key == key {
		if r.turn.BodyHash != hash {
			return nil, ErrConflict
		}
		return &Accepted{TurnID: r.turn.ID, Attached: true, done: r.done, result: r.result}, nil
	}
	ctx, cancel := a.writeContext()
	defer cancel()
	t, ok, err := a.deps.Store.TurnByKey(ctx, a.id, key)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, nil
	case t.BodyHash != hash:
		return nil, ErrConflict
	}
	done := make(chan struct{})
	close(done)
	res := t.result()
	return &Accepted{TurnID: t.ID, Attached: true, done: done, result: &res}, nil
}

func bodyHash(b message.Blocks) string {
	h := sha256.Sum256(mustJSON(b))
	return hex.EncodeToString(h[:])
}

// beginTurn stores the prompt: from here it is durable and the client's context does not matter any more.
func (a *actor) beginTurn(p Prompt, hash string) (*Accepted, error) {
	s, now := a.state, a.deps.Now().UTC()
	zero := pricing.USD{}
	s.rescale()
	t := Turn{
		ID: a.deps.NewID(), SessionID: a.id, State: TurnRunning, StartedAt: now, Key: p.Key, BodyHash: hash, CostUSD: &zero,
		OpenSeq: s.index.End(),
	}
	m := message.NewUser(p.Blocks...)
	m.Seq, m.TurnID, m.CreatedAt = a.state.index.End(), t.ID, now
	digest := compaction.ExtractRow(m, nil)

	run := &turnRun{turn: t, script: p.Script, done: make(chan struct{}), result: new(TurnResult)}
	s.turn = run // so that rows and events carry the turn
	tell := a.tell().row(event.StreamTurn, event.TurnMark{State: "started"})
	for _, b := range p.Blocks {
		tell.row(event.StreamUserMessage, event.UserMessage{MessageID: MessageID(a.id, t.OpenSeq), Block: mustJSON(message.Blocks{b})})
	}
	title := ""
	if s.rec.Title == "" {
		title = titleOf(m.PlainText())
		tell.row(event.StreamInfo, event.Info{Title: title})
	}
	tell.event(event.TurnStarted, event.TurnStartedPayload{SessionID: a.id, TurnID: t.ID, Tokens: m.Tokens})
	c, err := a.commit("begin turn", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.BeginTurn(ctx, BeginTurn{Turn: t, Message: m, Digest: digest, Title: title, Factor: s.rec.Factor, Out: tell.out})
	})
	if err != nil {
		s.turn = nil
		return nil, err
	}
	s.appendRows(c.Messages, digest)
	s.rec.Turns++
	s.rec.State = StateRunning
	if title != "" {
		s.rec.Title = title
	}
	run.startedAt = now
	run.ctx.ctx, run.ctx.cancel = context.WithCancel(a.ctx)
	run.check = newCheck(compaction.AtTurnStart)
	a.watchGrace()
	return &Accepted{TurnID: t.ID, done: run.done, result: run.result}, nil
}

// rescale takes the newest measurement into the session's factor: at turn start alone, so that two counts of one turn never
// differ by their scale (spec 4.2).
func (s *state) rescale() {
	if s.card.Estimator == model.EstimatorScaled && s.ratio > 0 {
		s.rec.Factor = min(max(s.ratio, 0.5), 2)
	}
}

// titleLength bounds a title made from the first prompt, in runes.
const titleLength = 80

func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if r := []rune(line); len(r) > titleLength {
		return string(r[:titleLength-1]) + "…"
	}
	return line
}

// finishTurn closes the turn with the rows that keep the transcript valid (spec 3.4) and answers whoever waits.
func (a *actor) finishTurn() {
	s, run := a.state, a.state.turn
	a.settle(run)
	closing := s.closingRows(a.deps.Now().UTC())
	tell := a.tell()
	a.endOpenCalls(tell)
	tell.gauge(nil).row(event.StreamTurn, event.TurnMark{State: "ended", StopReason: run.turn.StopReason})
	tell.event(endEvent(run.turn.State), a.turnEnd(run.turn))
	c, ok := a.mustCommit("finish turn", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.FinishTurn(ctx, FinishTurn{
			Turn: run.turn, Closing: closing, Digests: make([]compaction.Digest, len(closing)), Out: tell.out,
		})
	})
	if !ok {
		return // the actor stops; closeOut answers
	}
	s.appendRows(c.Messages)
	run.ctx.cancel()
	last := run.turn
	s.lastTurn, s.turn = &last, nil
	s.rec.State = StateIdle
	*run.result = last.result()
	if run.failure != nil {
		run.result.Err = run.failure
	}
	close(run.done)
	a.stopGrace()
	if a.ctx.Err() == nil {
		a.turnOver()
	}
}

// settle decides how the turn ended.
func (a *actor) settle(run *turnRun) {
	t, now := &run.turn, a.deps.Now().UTC()
	t.EndedAt = &now
	switch {
	case run.failure != nil:
		t.State, t.StopReason = TurnFailed, ""
		if run.failure.Code == CodeInterrupted {
			t.State = TurnInterrupted
		}
		t.ErrorCode, t.ErrorClass, t.ErrorMessage = run.failure.Code, run.failure.Class, run.failure.Message
	case run.cancelled:
		t.State, t.StopReason = TurnCancelled, "cancelled"
	default:
		t.State, t.StopReason = TurnCompleted, run.stop
		if t.StopReason == "" {
			t.StopReason = "end_turn"
		}
	}
}

// closingRows are results for open calls and the filler that keep the transcript valid (spec 3.4).
func (s *state) closingRows(now time.Time) []message.Message {
	run := s.turn
	var out []message.Message
	add := func(m message.Message) {
		m.Seq = s.index.End() + message.Seq(len(out))
		m.TurnID, m.CreatedAt, m.Synthetic = run.turn.ID, now, true
		out = append(out, m)
	}
	last, _ := s.last()
	if uses := s.usesBefore(); len(uses) > 0 {
		var blocks []message.Block
		for _, u := range uses {
			blocks = append(blocks, message.TextResult(u.ID, interruptedResult, true))
		}
		last = message.NewUser(blocks...)
		add(last)
	}
	if last.Role == message.RoleUser {
		filler := message.FillerNoAnswer
		if run.cancelled || run.failure != nil {
			filler = message.FillerInterrupted
		}
		add(message.Filler(filler))
	}
	return out
}

// interruptedResult answers a call that nobody ran to its end.
const interruptedResult = "interrupted: the turn ended before this call had a result"

// endOpenCalls shows the calls that end with the turn as failed (protocol, "Cancel"): those of the newest row, and those
// shown from a stream that broke off before there was a row.
func (a *actor) endOpenCalls(t *teller) {
	run := a.state.turn
	for _, id := range slices.Sorted(maps.Keys(run.announced)) {
		t.row(event.StreamToolUpdate, event.ToolUpdate{CallID: id, Status: "failed", Cancelled: run.cancelled})
	}
	for _, u := range a.state.usesBefore() {
		t.row(event.StreamToolUpdate, event.ToolUpdate{CallID: u.ID, Status: "failed", Cancelled: run.cancelled})
		t.event(event.ToolFailed, event.ToolPayload{
			SessionID: a.id, TurnID: run.turn.ID, ToolCallID: u.ID, Name: u.Name, ErrorClass: "cancelled",
		})
	}
}

func endEvent(s TurnState) event.Kind {
	switch s {
	case TurnCompleted:
		return event.TurnCompleted
	case TurnCancelled:
		return event.TurnCancelled
	}
	return event.TurnFailed
}

func (a *actor) turnEnd(t Turn) event.TurnEndPayload {
	return event.TurnEndPayload{
		SessionID: a.id, TurnID: t.ID, StopReason: t.StopReason, Steps: t.Steps, CostUSD: costOrNull(t.CostUSD),
		CompactionCostUSD: t.CompactionCostUSD.String(), ErrorClass: t.ErrorClass, ErrorMessage: t.ErrorMessage,
		DurationMS: t.EndedAt.Sub(t.StartedAt).Milliseconds(),
	}
}

// result is the answer of a stored turn; a retry with its key gets it again.
func (t Turn) result() TurnResult {
	r := TurnResult{TurnID: t.ID, StopReason: t.StopReason, Usage: TurnUsage{
		Input: t.Usage.Input, CacheRead: t.Usage.CacheRead, CacheWrite5m: t.Usage.CacheWrite5m,
		CacheWrite1h: t.Usage.CacheWrite1h, Output: t.Usage.Output, Steps: t.Steps, CostUSD: t.CostUSD,
		CompactionCostUSD: t.CompactionCostUSD,
	}}
	if t.ErrorCode != "" {
		r.Err = &TurnError{
			Code: t.ErrorCode, Class: t.ErrorClass, Message: t.ErrorMessage, Retryable: retryable(t.ErrorCode, t.ErrorClass),
		}
	}
	return r
}

// retryable reports whether a new try, with a new key, may do better than a turn that failed so.
func retryable(code, class string) bool {
	return code == CodeProviderError && (&provider.Error{Class: provider.ErrorClass(class)}).Retryable()
}

// cancelTurn ends the running turn or pass, whatever it does now.
func (a *actor) cancelTurn() {
	if t := a.state.turn; t != nil && !t.cancelled {
		t.cancelled = true
		t.ctx.cancel()
	}
	if m := a.state.manual; m != nil {
		m.ctx.cancel()
	}
	if a.state.turn != nil || a.state.manual != nil {
		a.dropCandidate()
	}
}
