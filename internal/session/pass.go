package session

import (
	"context"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// newPass is the record of an attempt as it begins.
func (a *actor) newPass(ck *check, plan compaction.Plan, ps compaction.State) compaction.Pass {
	s := a.state
	kind := compaction.KindMechanical
	if s.rec.Compaction.Mode == compaction.ModeSemantic {
		kind = compaction.KindSemantic
	}
	return compaction.Pass{
		ID: a.deps.NewID(), SessionID: a.id, TurnID: a.tell().turnID(), Trigger: plan.Trigger, At: ck.place,
		Attempt: s.rec.Memory.FailStreak + 1, Kind: kind, WatermarkBefore: s.rec.Watermark,
		WatermarkAfter: s.rec.Watermark, SpanStart: plan.Span.Start, SpanEnd: plan.Span.End,
		SpanMessageCount: plan.Span.Len(), SpanTokenCountIn: s.index.Tokens(plan.Span), Threshold: plan.Threshold,
		Estimator: s.card.Estimator, TokensBefore: ps.NextRequest(), TokensAfterEstimate: ps.NextRequest(),
		CostUSD: &pricing.USD{}, ElidedSeqs: []message.Seq{}, CreatedAt: a.deps.Now().UTC(),
	}
}

// passHost is where a pass runs: beside the actor of a session, or for one request without a session.
type passHost interface {
	summarizer() *compaction.Summarizer
	// begin stores and tells the attempt's start; false means that it could not.
	begin(w *passWork, calling bool) bool
	// candidate starts buying a semantic text; nil means that it could not.
	candidate(w *passWork, prep compaction.Prepared) *candidateRun
	// chunk shows a piece of a summary that is being written.
	chunk(passID, text string)
}

func (a *actor) summarizer() *compaction.Summarizer { return a.deps.Summarizer }

func (a *actor) begin(w *passWork, calling bool) (ok bool) {
	return a.do(func() { ok = a.beginPass(w, calling) }) && ok
}

func (a *actor) candidate(w *passWork, prep compaction.Prepared) (c *candidateRun) {
	a.do(func() { c = a.buyCandidate(w, prep, false) })
	return c
}

func (a *actor) chunk(passID, text string) {
	a.do(func() { a.summaryChunk(passID, text) })
}

// passWork is what a pass's action knows: values only, taken when it was planned.
type passWork struct {
	host passHost
	pass compaction.Pass
	plan compaction.Plan
	cfg  compaction.Config

	rows    []message.Message
	digests []compaction.Digest
	parents []compaction.Summary // of a fold
	link    *compaction.SummaryLink
	request message.Blocks // carried, when the span covers the running turn's request (spec 4.9)
	reqSeq  message.Seq

	model    string      // that summarizes
	spent    pricing.USD // on compaction so far
	focus    string
	voice    string // what the user asked last, for the language of a span without a word of the user
	inline   bool   // a candidate may be bought and waited for: turn start, manual, overflow at turn start
	repair   bool
	replaces string // the corrupt summary that a repair takes the place of
	limit    int    // tokens of the summary
	after    afterView
	carried  int // tokens of request

	mech      compaction.MechanicalSummary
	begun     bool
	takesOver []string // ledger rows of staged work
}

// afterView are the parts of the view that a pass leaves, to hold the result against spec 3.3 before anything is stored.
type afterView struct {
	before, after []compaction.Summary
	rows          []message.Message
	elided        map[message.Seq]bool
}

func (v afterView) check(s compaction.Summary) error {
	list := append(append(append([]compaction.Summary(nil), v.before...), s), v.after...)
	return message.ValidatePrefix(compaction.BuildView(list, v.rows, v.elided).Messages)
}

// startPass prepares a planned pass and runs it beside the actor.
func (a *actor) startPass(ck *check, plan compaction.Plan, ps compaction.State) {
	s := a.state
	w := a.newWork(ck, plan, a.newPass(ck, plan, ps))
	w.rows, w.digests = s.span(plan.Span)
	w.limit = w.cfg.SummaryLimit(w.pass.SpanTokenCountIn)
	w.inline = ck.place != compaction.AtStep
	w.link = s.newestLink()
	w.carry(s, plan.Span)
	w.after = afterView{before: s.summaries, rows: s.rows[int(plan.Span.End-s.rec.Watermark):], elided: copySeqs(s.elided)}
	a.runPass(ck, w)
}

// newWork fills what all passes need.
func (a *actor) newWork(ck *check, plan compaction.Plan, p compaction.Pass) *passWork {
	s := a.state
	w := &passWork{
		host: a, pass: p, plan: plan, cfg: s.rec.Compaction, model: s.summarizer(),
		spent: s.rec.CompactionCostUSD.Add(s.reserved()),
		limit: s.rec.Compaction.MaxTokens, voice: s.voice(),
	}
	switch {
	case s.manual != nil:
		w.focus = s.manual.focus
	case s.wish != nil:
		w.focus = *s.wish
	}
	return w
}

// summarizer is the model that writes summaries (spec 2.3 compaction.model).
func (s *state) summarizer() string {
	if s.rec.Compaction.Model != "" {
		return s.rec.Compaction.Model
	}
	return s.card.Summarizer()
}

// newestLink names the newest summary in the view, which the next one continues.
func (s *state) newestLink() *compaction.SummaryLink {
	if n := len(s.summaries); n > 0 {
		return &compaction.SummaryLink{ID: s.summaries[n-1].ID, Version: s.rec.Version, Span: s.summaries[n-1].Span}
	}
	return nil
}

// carry takes the request of the running turn along when the span covers its row, unless an earlier summary in the view
// still shows it (spec 4.9).
func (w *passWork) carry(s *state, span message.Span) {
	if s.turn == nil || !span.Contains(s.turn.turn.OpenSeq) {
		return
	}
	open := s.rows[int(s.turn.turn.OpenSeq-s.rec.Watermark)]
	limit := s.planner().CarryLimit(s.planState(w.pass.At))
	w.request, w.reqSeq = compaction.CarryRequest(open, limit), open.Seq
	w.carried = message.FallbackTokens(w.request.Units())
}

func copySeqs(in map[message.Seq]bool) map[message.Seq]bool {
	out := make(map[message.Seq]bool, len(in))
	for k, v := range in {
		out[k] = v
	}
	return out
}

// runPass runs the work in a goroutine; its end is committed by the actor.
func (a *actor) runPass(ck *check, w *passWork) {
	ctx := a.checkContext()
	a.launch(func() func() {
		end := w.run(ctx)
		return func() { a.finishPass(ck, w, end) }
	})
}

// begin commits the attempt's start; from here exactly one terminal event follows. calling says that a model will be
// asked, which the posture shows.
func (w *passWork) begin(calling bool) bool {
	w.begun = w.host.begin(w, calling)
	return w.begun
}

func (a *actor) beginPass(w *passWork, calling bool) bool {
	t := a.tell().compactionStarted(w.pass, w.plan.Forced)
	t.compaction(w.pass, "in_progress", nil)
	if calling {
		if p := t.posture(compaction.StateSemanticRunning, compaction.ReasonSemanticInFlight); p != nil {
			t.gauge(p)
		}
	}
	_, ok := a.mustCommit("begin pass", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.BeginPass(ctx, w.pass, t.out)
	})
	return ok
}
