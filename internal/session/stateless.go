package session

import (
	"context"
	"encoding/json"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// CompactRequest is one compaction of messages that belong to no session (protocol, `POST /api/v1/compact`). Messages
// must be valid as [message.ValidatePrefix] has it; their seqs and counts are made anew.
type CompactRequest struct {
	Owner     string
	Messages  []message.Message
	System    string
	Model     string // whose window and summarizer count; "" = the server's default
	Focus     string // with it the pass runs whatever is pending
	Overrides json.RawMessage
}

// CompactResult is the view that the model would be sent. Record is nil when no pass was due, and Messages are then
// those that came.
type CompactResult struct {
	Messages []message.Message
	Summary  *string // text of the new summary
	Record   *compaction.Pass
	Facts    []compaction.Fact
}

// CompactOnce runs the same engine and the same summary cache over messages without a session. Its calls are in the
// ledger under the owner; their budget is the request's own.
func (m *Manager) CompactOnce(ctx context.Context, q CompactRequest) (CompactResult, error) {
	if m.isClosed() {
		return CompactResult{}, ErrShuttingDown
	}
	st, err := m.looseState(q)
	if err != nil {
		return CompactResult{}, err
	}
	res := CompactResult{Messages: q.Messages}
	ps := st.planState(loosePlace(st))
	if m, ok := st.last(); ok && m.OpensTurn() {
		ps.TurnOpen = m.Seq
	}
	ps.Manual = q.Focus != ""
	plan := st.planner().Plan(ps)
	if plan.Verb != compaction.DoPass {
		return res, nil
	}
	h := &looseHost{m: m, st: st, ctx: ctx}
	w := h.work(plan, ps, q.Focus)
	return h.finish(w, w.run(ctx), res)
}

// looseState is the state of a session that exists only for one request.
func (m *Manager) looseState(q CompactRequest) (*state, error) {
	r, err := m.newRecord(context.Background(), NewSession{Owner: q.Owner, System: q.System, Model: q.Model, Overrides: q.Overrides})
	if err != nil {
		return nil, err
	}
	rows := make([]message.Message, len(q.Messages))
	digests := make([]compaction.Digest, len(rows))
	var uses []message.ToolUse
	for i, msg := range q.Messages {
		msg = msg.Clone()
		msg.Seq = message.Seq(i)
		msg.Count()
		rows[i], digests[i] = msg, compaction.ExtractRow(msg, uses)
		uses = msg.ToolUses()
	}
	if err := message.ValidatePrefix(rows); err != nil {
		return nil, &ParamError{Param: "messages", Reason: err.Error()}
	}
	r.NextSeq, r.Turns = message.Seq(len(rows)), len(message.Turns(rows))
	st := newState(Snapshot{Record: r, Rows: rows, Digests: digests}, m.card(r.Model), m.deps.Config.MaxOutputTokens)
	st.prefix = prefixTokens(q.System, nil)
	return st, nil
}

// loosePlace is where a history stands: before an answer to a request or to results, or at rest.
func loosePlace(s *state) compaction.Place {
	m, ok := s.last()
	switch {
	case ok && m.OpensTurn():
		return compaction.AtTurnStart
	case ok && m.Role == message.RoleUser:
		return compaction.AtStep
	}
	return compaction.AtIdle
}

// looseHost runs a pass without an actor: nobody is told, and a candidate is waited for to its end.
type looseHost struct {
	m   *Manager
	st  *state
	ctx context.Context // of the one request this host lives for
}

func (h *looseHost) summarizer() *compaction.Summarizer { return h.m.deps.Summarizer }
func (h *looseHost) begin(*passWork, bool) bool         { return true }
func (h *looseHost) chunk(string, string)               {}
func (h *looseHost) candidate(w *passWork, prep compaction.Prepared) *candidateRun {
	ctx, cancel := context.WithCancel(h.ctx)
	c := &candidateRun{work: w, prep: prep, cancel: cancel, done: make(chan struct{})}
	defer cancel()
	c.buy(ctx, h.m.deps.Summarizer)
	close(c.done)
	return c
}

// work is the pass as an actor would plan it.
func (h *looseHost) work(plan compaction.Plan, ps compaction.State, focus string) *passWork {
	s, cfg := h.st, h.st.rec.Compaction
	w := &passWork{host: h, plan: plan, cfg: cfg, model: s.summarizer(), focus: focus, inline: true}
	w.pass = compaction.Pass{
		ID: h.m.deps.NewID(), Trigger: plan.Trigger, At: ps.Place, Attempt: 1, Kind: compaction.KindMechanical,
		SpanStart: plan.Span.Start, SpanEnd: plan.Span.End, SpanMessageCount: plan.Span.Len(),
		SpanTokenCountIn: s.index.Tokens(plan.Span), Threshold: plan.Threshold, Estimator: s.card.Estimator,
		TokensBefore: ps.NextRequest(), TokensAfterEstimate: ps.NextRequest(), CostUSD: &pricing.USD{},
		ElidedSeqs: []message.Seq{}, CreatedAt: h.m.deps.Now().UTC(),
	}
	w.rows, w.digests = s.span(plan.Span)
	w.limit = cfg.SummaryLimit(w.pass.SpanTokenCountIn)
	w.after = afterView{rows: s.rows[int(plan.Span.End):]}
	return w
}

// finish turns the end of the pass into the answer and writes its calls to the ledger.
func (h *looseHost) finish(w *passWork, end passEnd, res CompactResult) (CompactResult, error) {
	if err := h.charge(w, end.calls); err != nil {
		return res, err
	}
	if h.ctx.Err() != nil {
		return res, h.ctx.Err()
	}
	p := w.pass
	res.Facts, res.Record = w.mech.Facts, &p
	switch {
	case end.skip:
		res.Record = nil
	case end.summary != nil:
		p.Outcome, p.WatermarkAfter = compaction.OutcomeCompleted, p.SpanEnd
		p.SpanTokenCountOut = end.summary.TextTokens()
		p.TokensAfterEstimate = p.TokensBefore - p.SpanTokenCountIn + p.SpanTokenCountOut
		res.Summary = &end.summary.Text
		res.Messages = compaction.BuildView([]compaction.Summary{*end.summary}, h.st.rows[int(p.SpanEnd):], nil).Messages
	case end.failure != nil:
		p.Outcome, p.FailureMode = compaction.OutcomeFailed, end.failure.mode
		p.ErrorClass, p.ErrorMessage, p.Futile, p.Gate = string(end.failure.class), end.failure.message, end.failure.futile, end.failure.verdict
	}
	return res, nil
}

// charge writes the pass's calls to the ledger under the owner, outside any session.
func (h *looseHost) charge(w *passWork, calls []compaction.Call) error {
	a := &actor{deps: h.m.deps, state: h.st}
	rows, _ := a.passCalls(&w.pass, calls)
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		rows[i].SessionID, rows[i].CompactionID, rows[i].Owner = "", "", h.st.rec.Owner
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.ctx), 10*time.Second)
	defer cancel()
	for _, r := range rows {
		if _, err := h.m.deps.Store.RecordCall(ctx, r, Out{}); err != nil {
			return err
		}
	}
	return nil
}
