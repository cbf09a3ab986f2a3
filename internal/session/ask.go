package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
)

// Text is merged into batches before it is numbered and stored: the first piece at once, later ones at this pace or
// when they reach this size.
const (
	batchPace = 40 * time.Millisecond
	batchSize = 2048
)

// startAsk calls the model with the view as it is now.
func (a *actor) startAsk() {
	run := a.state.turn
	if run.turn.Steps >= a.deps.Config.MaxSteps {
		run.stop = "max_turn_requests"
		return
	}
	m, err := a.deps.Models.Model(a.state.rec.Model)
	if err != nil {
		run.failure = &TurnError{Code: CodeProviderError, Class: string(provider.ClassAuth), Message: compaction.MaskError(err.Error())}
		return
	}
	req := a.request()
	if err := message.ValidateHistory(req.Messages); err != nil {
		run.failure = &TurnError{Code: CodeInternal, Class: string(provider.ClassInvalidRequest), Message: err.Error()}
		return
	}
	run.messageID, run.text, run.thought, run.attempt = MessageID(a.id, a.state.index.End()), "", "", 0
	run.announced = make(map[string]bool)
	ctx := run.ctx.ctx
	a.state.asked = a.state.unscaledRequest()
	a.launch(func() func() {
		r := asking{a: a, model: m, req: req, ctx: ctx}
		err := provider.Retry(ctx, a.deps.Retry, r.attempt)
		return func() { a.finishAsk(r, err) }
	})
}

// request is the next model call of the session.
func (a *actor) request() provider.Request {
	s := a.state
	r := provider.Request{
		SessionID: a.id, System: s.rec.System, Tools: s.rec.Tools, Messages: s.view().Messages, MaxTokens: s.maxOutput,
		Window: s.card.Window,
	}
	if s.turn.script != nil {
		r.Script, r.ScriptStep = s.turn.script, s.turn.turn.Steps
	}
	return r
}

// asking is one step's model call with its attempts. It runs outside the actor and changes state only through do.
type asking struct {
	a     *actor
	model provider.Model
	req   provider.Request
	ctx   context.Context
	done  *provider.Done
	began time.Time
}

// attempt makes one call and passes on what streams in. Each attempt that used tokens is a ledger row (spec 7.2).
func (r *asking) attempt(ctx context.Context, n int) (accepted bool, err *provider.Error) {
	r.began = time.Now()
	r.a.do(func() { r.a.callStarted(n) })
	p := newPump(ctx, r.model, r.req)
	defer p.close()
	for {
		batch, end := p.next()
		if !batch.empty() {
			accepted = true
			if !r.a.do(func() { r.a.showBatch(batch) }) {
				return accepted, provider.AsError(context.Canceled)
			}
		}
		switch {
		case end.err != nil:
			perr := provider.AsError(end.err)
			if accepted || !perr.Retryable() {
				return accepted, perr
			}
			r.a.do(func() { r.a.attemptFailed(r, perr) })
			return false, perr
		case end.done != nil:
			r.done = end.done
			return accepted, nil
		}
	}
}

// callStarted tells that a call goes out.
func (a *actor) callStarted(n int) {
	run := a.state.turn
	run.attempt, run.callID = n, a.deps.NewID()
	a.append(a.tell().event(event.CallStarted, event.CallPayload{
		SessionID: a.id, TurnID: run.turn.ID, CallID: run.callID, Purpose: string(PurposeTurn), Model: a.state.rec.Model,
		Step: run.turn.Steps, Attempt: n,
	}))
}

// showBatch stores and publishes what streamed in.
func (a *actor) showBatch(b batch) {
	run, t := a.state.turn, a.tell()
	for _, p := range b.parts {
		switch p.kind {
		case event.StreamThought:
			run.thought += p.text
			t.row(p.kind, event.Text{MessageID: run.messageID, Text: p.text})
		case event.StreamText:
			run.text += p.text
			t.row(p.kind, event.Text{MessageID: run.messageID, Text: p.text})
		case event.StreamToolCall:
			if a.state.callIDs[p.id] || run.announced[p.id] || p.id == "" {
				continue // it gets an id of ours and is shown with the answer
			}
			run.announced[p.id] = true
			t.row(p.kind, event.ToolCall{CallID: p.id, Name: p.text, Title: p.text, Status: "pending"})
		}
	}
	a.append(t)
	a.tick(a.state.used() + message.FallbackTokens(len(run.text)))
}

// attemptFailed records an attempt that will be tried again.
func (a *actor) attemptFailed(r *asking, err *provider.Error) {
	row := a.ledgerRow(a.turnCall(r, err.Usage, err))
	t := a.tell().event(event.CallFailed, callPayload(row, compaction.MaskError(err.Message)))
	if row.Usage.IsZero() {
		a.append(t)
		return
	}
	if _, ok := a.mustCommit("record call", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.RecordCall(ctx, row, t.out)
	}); ok {
		a.state.spend(row)
	}
}

func (a *actor) turnCall(r *asking, u message.Usage, err *provider.Error) call {
	c := call{
		id: a.state.turn.callID, card: a.state.card, purpose: PurposeTurn, step: a.state.turn.turn.Steps,
		attempt: a.state.turn.attempt, usage: u, prefix: prefixHash(r.req), outcome: callOK, latency: time.Since(r.began),
	}
	switch {
	case err != nil:
		c.outcome, c.class, c.requestID = failedOutcome(string(err.Class)), string(err.Class), err.RequestID
	case r.done != nil:
		c.requestID = r.done.RequestID
	}
	return c
}

// prefixHash names the bytes of tools and stable system text: equal in every request of a session (spec 4.10).
func prefixHash(r provider.Request) string {
	h := sha256.New()
	h.Write(mustJSON(r.Tools))
	h.Write([]byte(r.System))
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// finishAsk takes the end of a step's call into the session.
func (a *actor) finishAsk(r asking, err *provider.Error) {
	switch {
	case err == nil:
		a.finishStep(r, r.done.Blocks, r.done.Usage, nil)
	case err.Class == provider.ClassContextOverflow && a.state.turn.text == "" && a.recoverOverflow(&r, err):
	case err.Class == provider.ClassInvalidRequest && a.state.turn.text == "" && a.quarantine(&r, err):
	default:
		a.failStep(r, err)
	}
}

// finishStep stores the model's answer, its usage and its ledger line.
func (a *actor) finishStep(r asking, blocks message.Blocks, u message.Usage, perr *provider.Error) {
	s, run := a.state, a.state.turn
	row := a.ledgerRow(a.turnCall(&r, u, perr))
	f := FinishStep{SessionID: a.id, TurnID: run.turn.ID, Ledger: row}
	var m message.Message
	if blocks = a.answer(blocks); answers(blocks) {
		m = message.NewAssistant(blocks...)
		m.Seq, m.TurnID, m.CreatedAt = a.state.index.End(), run.turn.ID, a.deps.Now().UTC()
		f.Message, f.Digest = &m, compaction.ExtractRow(m, nil)
	}
	measured := perr == nil && !u.Estimated // an estimate of ours is no measurement (cases B25, B73)
	if measured {
		f.Measured = s.measure(u)
	}
	s.spend(row)
	run.turn.Steps++
	run.overflows, run.quarantined = 0, false
	s.rec.ContextTokens, s.estimated = u.Prompt(), !measured
	s.rec.LastCallAt = row.CreatedAt
	t := a.tell()
	a.tellStep(t, row, m, f.Measured, perr)
	f.Out = t.out
	c, ok := a.mustCommit("finish step", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.FinishStep(ctx, f)
	})
	if !ok {
		return
	}
	s.appendRows(c.Messages, f.Digest)
	run.script = keepScript(run.script, run.turn.Steps)
	run.text, run.thought = "", ""
	if perr == nil {
		run.announced = nil // they are the row's now
		run.stop = stopOf(r.done.Stop, f.Message)
	}
}

// keepScript drops the steps that were played, so that a long turn holds only what is to come.
func keepScript(script []message.Blocks, played int) []message.Blocks {
	if played > 0 && played <= len(script) {
		script[played-1] = nil
	}
	return script
}

func (a *actor) tellStep(t *teller, row LedgerRow, m message.Message, measured []compaction.Pass, perr *provider.Error) {
	for _, u := range m.ToolUses() {
		if announced := t.s.turn.announced; !announced[u.ID] {
			t.row(event.StreamToolCall, event.ToolCall{CallID: u.ID, Name: u.Name, Title: u.Name, Status: "pending", Input: u.Input})
			continue
		}
		t.row(event.StreamToolUpdate, event.ToolUpdate{CallID: u.ID, Status: "pending", Input: u.Input})
	}
	kind, text := event.CallCompleted, ""
	if perr != nil {
		kind, text = event.CallFailed, compaction.MaskError(perr.Message)
	}
	t.event(kind, callPayload(row, text))
	t.gauge(nil)
	for _, p := range measured {
		t.compaction(p, string(p.Outcome), nil)
	}
}

// unscaledRequest is our own estimate of the request that would be sent now.
func (s *state) unscaledRequest() int {
	ps := s.planState(compaction.AtStep)
	ps.Factor = 1
	return ps.NextRequest()
}

// measure tells the applied passes what the first call after them took (protocol, "Turn", 5).
func (s *state) measure(u message.Usage) []compaction.Pass {
	if s.asked > 0 && u.Prompt() > 0 {
		s.ratio = float64(u.Prompt()) / float64(s.asked)
	}
	out := s.unmeasured
	s.unmeasured = nil
	n := u.Prompt()
	for i := range out {
		newest := s.recentPass(out[i].ID) // its candidate may have moved on since it was applied
		if newest == nil {
			newest = &out[i]
		}
		newest.TokensAfterMeasured = &n
		out[i] = *newest
	}
	return out
}

// answers reports whether blocks hold something beside thinking.
func answers(blocks message.Blocks) bool {
	return slices.ContainsFunc(blocks, func(b message.Block) bool { return b.Type() != message.TypeThinking })
}

// stopOf says whether a step ended its turn, in the protocol's words; "" means that the turn goes on.
func stopOf(r provider.StopReason, m *message.Message) string {
	switch r {
	case provider.StopRefusal:
		return "refusal"
	case provider.StopMaxTokens:
		return "max_tokens"
	case provider.StopPauseTurn:
		if m != nil && len(m.ToolUses()) > 0 {
			return ""
		}
		return "end_turn"
	}
	if m != nil && len(m.ToolUses()) > 0 {
		return ""
	}
	return "end_turn"
}

// failStep ends the turn after a call that failed for good. What was shown of its answer stays in the transcript, and
// what it used is billed, estimated when the provider did not say (cases B142, D5 44).
func (a *actor) failStep(r asking, err *provider.Error) {
	run := a.state.turn
	if !run.cancelled && err.Class != provider.ClassCancelled {
		run.failure = &TurnError{
			Code: CodeProviderError, Class: string(err.Class), Message: compaction.MaskError(err.Message),
			Retryable: err.Retryable(), RetryAfter: err.RetryAfter, RequestID: err.RequestID,
		}
	} else if !run.cancelled {
		run.failure = &TurnError{Code: CodeInterrupted, Message: "the server stopped before the turn ended"}
	}
	u := err.Usage
	if u.IsZero() && run.text+run.thought != "" {
		u = message.Usage{
			Input: a.state.planState(compaction.AtStep).NextRequest(), Output: message.FallbackTokens(len(run.text) + len(run.thought)),
			Estimated: true,
		}
	}
	var blocks message.Blocks
	if strings.TrimSpace(run.text) != "" {
		blocks = message.Blocks{message.Text{Text: run.text}}
	}
	if u.IsZero() {
		a.failedWithoutUse(r, err)
		return
	}
	a.finishStep(r, blocks, u, err)
}

// failedWithoutUse tells of a call that used nothing: an event, no ledger line.
func (a *actor) failedWithoutUse(r asking, err *provider.Error) {
	row := a.ledgerRow(a.turnCall(&r, message.Usage{}, err))
	a.append(a.tell().event(event.CallFailed, callPayload(row, compaction.MaskError(err.Message))))
}

// cardOf finds a model's card; an unknown one has no window and no price.
func (a *actor) cardOf(name string) model.Card {
	if c, ok := a.deps.Cards.Lookup(name); ok {
		return c
	}
	return model.Unknown(name)
}
