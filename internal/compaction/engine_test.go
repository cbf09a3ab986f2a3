package compaction_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// engine is a session without model, store and clock: rows come in, the planner is asked where a session asks it, and
// what it wants is applied as internal/session applies it. After each step it holds the invariants of the cases.
type engine struct {
	t   require.TestingT
	cfg compaction.Config
	// knobs of the session
	window, prefix, maxOutput int
	factor                    float64
	// answer says how a pass or a fold ends; nil: always with a summary as long as it may be
	answer func(kind string) answer
	// deep compares the views of two requests as JSON too, not only value by value, which is fast for long texts
	deep bool

	rows      []message.Message
	answered  map[string]message.Seq // call id: row of its result
	index     *compaction.Index
	summaries []compaction.Summary
	watermark message.Seq
	elided    map[message.Seq]bool
	memory    compaction.Memory
	turnOpen  message.Seq // of the running turn, -1 at rest
	turns     int
	applied   []applied
	ids       int
	sent      []message.Message // the newest request since the view was rewritten
	bytes     []byte            // the same as JSON, one line a message

	passes, folds, truncations, elisions, undos, noBoundary int
}

// applied is a pass that is part of the view, with the view it found.
type applied struct {
	pass     compaction.Pass
	summary  *compaction.Summary
	replaces []string
	before   []message.Message
}

// answer is how an attempt ends.
type answer int

const (
	brings  answer = iota // a summary within its bound
	partial               // one of the oldest part that fits (mode semantic, spec 4.6)
	bloats                // one that frees too little
	fails
	cancels
)

func newEngine(t require.TestingT, cfg compaction.Config) *engine {
	return &engine{
		t: t, cfg: cfg, maxOutput: 500, prefix: 300, factor: 1, index: compaction.NewIndex(0, nil), turnOpen: -1,
		elided: map[message.Seq]bool{}, answered: map[string]message.Seq{},
	}
}

func (e *engine) planner() compaction.Planner { return compaction.Planner{Config: e.cfg} }

func (e *engine) state(at compaction.Place) compaction.State {
	s := compaction.State{
		Index: e.index, Watermark: e.watermark, Place: at, TurnOpen: e.index.End(), Turns: e.turns, Window: e.window,
		PrefixTokens: e.prefix, SummaryTokens: compaction.SummaryTokens(e.summaries),
		CarriedTokens: compaction.CarriedTokens(e.summaries), ElidedTokens: compaction.ElidedTokens(e.kept(), e.elided),
		MaxOutput: e.maxOutput, Factor: e.factor, Memory: e.memory,
	}
	if e.turnOpen >= 0 {
		s.TurnOpen = e.turnOpen
	}
	return s
}

func (e *engine) kept() []message.Message { return e.rows[e.watermark:] }

func (e *engine) view() []message.Message {
	return compaction.BuildView(e.summaries, e.kept(), e.elided).Messages
}

// append takes a row in and does what a session does then: a check and a request when the row awaits an answer.
func (e *engine) append(m message.Message) {
	m.Seq = message.Seq(len(e.rows))
	e.rows = append(e.rows, m)
	e.index.Append(m)
	for _, r := range m.ToolResults() {
		e.answered[r.ToolUseID] = m.Seq
	}
	switch {
	case m.OpensTurn():
		e.turnOpen = m.Seq
		e.turns++
		e.check(compaction.AtTurnStart, nil)
		e.request()
	case m.Role == message.RoleUser:
		if e.cfg.Check == compaction.CheckStep && e.turnOpen >= 0 {
			e.check(compaction.AtStep, nil)
		}
		e.request()
	}
}

// rest ends the running turn.
func (e *engine) rest() { e.turnOpen = -1 }

// request is what the model is sent: valid, and the newest request followed by what came since (spec 3.3, 4.10).
func (e *engine) request() {
	view := e.view()
	require.NoError(e.t, message.ValidateHistory(view))
	require.GreaterOrEqual(e.t, len(view), len(e.sent))
	if e.deep {
		now := encoded(e.t, view)
		require.True(e.t, bytes.HasPrefix(now, e.bytes), "the earlier request is no byte prefix of this one")
		e.bytes = now
	}
	equal(e.t, e.sent, view[:len(e.sent)])
	e.sent = view
}

// rewritten says that the next request need not begin as the newest one did.
func (e *engine) rewritten() { e.sent, e.bytes = nil, nil }

// encoded is a view as bytes, message by message.
func encoded(t require.TestingT, msgs []message.Message) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	for i := range msgs {
		require.NoError(t, enc.Encode(msgs[i]))
	}
	return buf.Bytes()
}

// equal compares long lists fast; only a difference is worth a report.
func equal(t require.TestingT, want, got []message.Message) {
	if len(want) == 0 && len(got) == 0 {
		return
	}
	if !reflect.DeepEqual(want, got) {
		require.Equal(t, want, got)
	}
}

// check is the work before a step: one pass, a truncation, a fold, an elision (spec 4.1). ask changes what is planned.
func (e *engine) check(place compaction.Place, ask func(*compaction.State)) {
	s := e.state(place)
	if ask != nil {
		ask(&s)
	}
	before := len(e.applied)
	whole := e.pass(s, e.plan(s))
	if e.cfg.Mode != compaction.ModeSemantic && whole && e.cfg.Auto && place != compaction.AtIdle {
		e.truncateAtCap(place)
	}
	if len(e.applied) > before && e.cfg.Auto {
		e.fold(place)
	}
	if e.turnOpen >= 0 && e.cfg.Profile != compaction.ProfileSource {
		e.elide(place, s)
	}
	e.hold(place)
}

// plan asks the planner twice and holds the plan to its laws.
func (e *engine) plan(s compaction.State) compaction.Plan {
	p := e.planner().Plan(s)
	require.Equal(e.t, p, e.planner().Plan(s), "planning twice")
	require.Equal(e.t, e.index.Tokens(message.Span{Start: e.watermark, End: p.TailStart}), p.PendingRaw)
	require.LessOrEqual(e.t, e.watermark, p.TailStart)
	require.LessOrEqual(e.t, p.Threshold, p.HardCap)
	if p.Verb != compaction.DoPass {
		return p
	}
	require.Equal(e.t, e.watermark, p.Span.Start)
	require.Greater(e.t, p.Span.End, p.Span.Start)
	require.LessOrEqual(e.t, p.Span.End, p.TailStart)
	e.whole(p.Span)
	if last := e.rows[len(e.rows)-1]; e.turnOpen >= 0 {
		require.Less(e.t, p.Span.End, e.index.End(), "the newest row stays")
		if len(last.ToolResults()) > 0 {
			require.Less(e.t, p.Span.End, e.index.End()-1, "unread results stay with their calls")
		}
	}
	if p.Trigger == compaction.TriggerThreshold || p.Trigger == compaction.TriggerHardCap {
		require.GreaterOrEqual(e.t, p.Pending, p.Threshold)
	}
	return p
}

// whole holds that no call of the span has its result after it, and none is unanswered.
func (e *engine) whole(s message.Span) {
	for _, m := range e.rows[s.Start:s.End] {
		for _, u := range m.ToolUses() {
			at, ok := e.answered[u.ID]
			require.True(e.t, ok && at < s.End, "call %s of row %d", u.ID, m.Seq)
		}
	}
	if s.End < e.index.End() {
		require.Empty(e.t, e.rows[s.End].ToolResults())
	}
}

// pass carries a plan out. It reports false when it covered only a part of what pends.
func (e *engine) pass(s compaction.State, p compaction.Plan) bool {
	switch p.Verb {
	case compaction.NoBoundary:
		e.noBoundary++
		e.memory.NoBoundary = &compaction.Stuck{Watermark: e.watermark, TailStart: p.TailStart}
		return true
	case compaction.Unreachable:
		e.memory.Unreachable = true
		return true
	case compaction.Nothing:
		return true
	}
	a := e.ends("pass")
	rec := e.record(p)
	if a == partial && e.cfg.Mode == compaction.ModeSemantic {
		rec.SpanEnd = e.part(p.Span)
		rec.SpanTokenCountIn = e.index.Tokens(rec.Span())
	}
	switch a {
	case fails, cancels:
		e.fail(rec, s, p, a == cancels)
		return true
	}
	e.accept(rec, s, p, a)
	return rec.SpanEnd == p.Span.End
}

func (e *engine) ends(kind string) answer {
	if e.answer == nil {
		return brings
	}
	return e.answer(kind)
}

func (e *engine) record(p compaction.Plan) compaction.Pass {
	e.ids++
	return compaction.Pass{
		ID: fmt.Sprintf("pass%d", e.ids), Trigger: p.Trigger, Kind: compaction.KindMechanical, SpanStart: p.Span.Start,
		SpanEnd: p.Span.End, SpanTokenCountIn: e.index.Tokens(p.Span), WatermarkBefore: e.watermark,
	}
}

// part is a boundary within the span, near its middle.
func (e *engine) part(s message.Span) message.Seq {
	q, ok := e.index.CutBefore(s.Start+message.Seq(s.Len()+1)/2, s.Start+1)
	if !ok {
		return s.End
	}
	return q
}

// text is a summary of so many tokens, envelope and all left out.
func text(id string, tokens int) string {
	return (id + strings.Repeat(" word", tokens))[:max(3*tokens, 1)]
}

// accept applies a summary, unless it frees too little (spec 4.11).
func (e *engine) accept(rec compaction.Pass, s compaction.State, p compaction.Plan, a answer) {
	in := rec.SpanTokenCountIn
	size := e.cfg.SummaryLimit(in)
	if a == bloats {
		size = in
	}
	sum := compaction.Summary{ID: rec.ID, Span: rec.Span(), Kind: rec.Kind, Model: "mechanical", Text: text(rec.ID, size)}
	sum.Hash = compaction.TextHash(sum.Text)
	e.carry(&sum, s)
	if compaction.Futile(in, sum.TextTokens()+sum.CarriedTokens()) {
		rec.Futile = true
		e.fail(rec, s, p, false)
		return
	}
	require.Less(e.t, sum.TextTokens()+sum.CarriedTokens(), in, "smaller than its span")
	rec.Outcome = compaction.OutcomeCompleted
	e.memory = e.memory.Applied(rec)
	e.apply(rec, &sum, nil, rec.SpanEnd)
	e.passes++
}

// carry gives a summary the request of the running turn when it covers that row (spec 4.9).
func (e *engine) carry(sum *compaction.Summary, s compaction.State) {
	if e.turnOpen < 0 || !sum.Span.Contains(e.turnOpen) {
		return
	}
	sum.Request, sum.RequestSeq = compaction.CarryRequest(e.rows[e.turnOpen], e.planner().CarryLimit(s)), e.turnOpen
}

// apply makes a pass part of the view.
func (e *engine) apply(rec compaction.Pass, sum *compaction.Summary, replaces []string, watermark message.Seq) {
	require.GreaterOrEqual(e.t, watermark, e.watermark, "the watermark only grows")
	e.applied = append(e.applied, applied{rec, sum, replaces, e.view()})
	if sum != nil {
		e.summaries = compaction.PlaceSummary(e.summaries, *sum, replaces)
	}
	for _, q := range rec.ElidedSeqs {
		e.elided[q] = true
	}
	e.watermark = watermark
	e.index.Forget(watermark)
	maps.DeleteFunc(e.elided, func(q message.Seq, _ bool) bool { return q < watermark })
	e.rewritten()
}

// fail ends a pass without a summary; in mode semantic the cap is met by truncation (spec 4.5).
func (e *engine) fail(rec compaction.Pass, s compaction.State, p compaction.Plan, cancelled bool) {
	rec.Outcome = compaction.OutcomeFailed
	if cancelled {
		rec.Outcome = compaction.OutcomeCancelled
	}
	if p.Forced && !cancelled && e.cfg.Mode == compaction.ModeSemantic && e.truncate(rec, s, p) {
		return
	}
	e.memory = e.memory.Failed(rec, p, e.turns)
}

func (e *engine) truncateAtCap(place compaction.Place) {
	s := e.state(place)
	w := e.planner().Watch(s)
	if w.Pending < w.HardCap {
		return
	}
	w.Trigger, w.Forced = compaction.TriggerHardCap, true
	e.truncate(e.record(w), s, w)
}

// truncate drops rows for a note (spec 4.5). It reports whether there were any to drop.
func (e *engine) truncate(rec compaction.Pass, s compaction.State, w compaction.Plan) bool {
	cut, ok := e.planner().Truncate(s, w)
	if !ok {
		return false
	}
	require.Equal(e.t, e.watermark, cut.Start)
	require.LessOrEqual(e.t, cut.End, w.TailStart, "never the tail")
	e.whole(cut)
	left := e.index.Tokens(message.Span{Start: cut.End, End: w.TailStart})
	if int(float64(left)*e.factor) >= w.HardCap {
		require.Equal(e.t, w.TailStart, cut.End, "all that may go is gone")
	}
	rec.Kind, rec.Outcome = compaction.KindTruncation, compaction.OutcomeFailed
	rec.SpanStart, rec.SpanEnd, rec.SpanTokenCountIn = cut.Start, cut.End, e.index.Tokens(cut)
	note := compaction.TruncationNote(cut)
	sum := compaction.Summary{ID: rec.ID, Span: cut, Kind: rec.Kind, Text: note, Hash: compaction.TextHash(note)}
	e.carry(&sum, s)
	e.memory = e.memory.Failed(rec, w, e.turns)
	e.apply(rec, &sum, nil, cut.End)
	e.truncations++
	return true
}

// fold merges older summaries when they grew past half the threshold (spec 4.8).
func (e *engine) fold(place compaction.Place) {
	s := e.state(place)
	f, ok := e.planner().PlanFold(e.summaries, s.Raw(e.planner().Watch(s).Threshold))
	if !ok || e.ends("fold") != brings {
		return
	}
	require.Greater(e.t, len(f.Parents), 1)
	e.ids++
	id := fmt.Sprintf("fold%d", e.ids)
	sum := compaction.Summary{ID: id, Span: f.Span, Kind: compaction.KindMechanical, Model: "mechanical", Text: text(id, f.MaxTokens)}
	sum.Hash = compaction.TextHash(sum.Text)
	var parents []string
	for i, p := range f.Parents {
		require.Equal(e.t, e.summaries[i], p, "the oldest in order")
		parents = append(parents, p.ID)
		if len(p.Request) > 0 && p.RequestSeq == e.turnOpen {
			sum.Request, sum.RequestSeq = p.Request, p.RequestSeq
		}
	}
	if compaction.Futile(f.TokensIn, sum.TextTokens()+sum.CarriedTokens()) {
		return
	}
	rec := compaction.Pass{
		ID: id, Trigger: compaction.TriggerFold, Kind: sum.Kind, SpanStart: f.Span.Start, SpanEnd: f.Span.End,
		SpanTokenCountIn: f.TokensIn, Outcome: compaction.OutcomeCompleted,
	}
	e.memory = e.memory.Applied(rec)
	e.apply(rec, &sum, parents, e.watermark)
	e.folds++
}

// elide replaces the oldest read results by notes when the next request does not fit, and after an overflow until it is a
// quarter smaller than the one that was refused (spec 4.9).
func (e *engine) elide(place compaction.Place, refused compaction.State) {
	s := e.state(place)
	need := e.planner().Excess(s)
	if refused.Forced {
		need = max(need, s.Raw(s.NextRequest()-refused.NextRequest()*3/4))
	}
	unread := e.index.End()
	if len(e.rows[unread-1].ToolResults()) > 0 {
		unread--
	}
	el := compaction.Elide(e.kept(), e.elided, unread, need)
	if len(el.Seqs) == 0 {
		return
	}
	require.Less(e.t, el.Seqs[len(el.Seqs)-1], unread)
	rec := compaction.Pass{Kind: compaction.KindElision, ElidedSeqs: el.Seqs, Outcome: compaction.OutcomeCompleted}
	e.memory = e.memory.Applied(rec)
	e.apply(rec, nil, nil, e.watermark)
	e.elisions++
	after := e.state(place)
	require.Equal(e.t, s.ElidedTokens+el.Saved, after.ElidedTokens)
	if el.Saved >= need {
		require.Zero(e.t, e.planner().Excess(after))
	}
}

// undo takes the newest applied pass back: the exact earlier view (spec 6.7).
func (e *engine) undo() {
	n := len(e.applied) - 1
	if n < 0 {
		return
	}
	last := e.applied[n]
	if last.pass.Kind != compaction.KindElision && last.pass.Trigger != compaction.TriggerFold {
		e.memory = e.memory.TookBack(last.pass, e.planner().Watch(e.state(compaction.AtIdle)))
	}
	e.applied = e.applied[:n]
	e.restart()
	view := e.view()
	require.GreaterOrEqual(e.t, len(view), len(last.before))
	equal(e.t, last.before, view[:len(last.before)])
	e.rewritten()
	e.undos++
}

// restart rebuilds everything from rows and applied passes, as load does.
func (e *engine) restart() {
	e.summaries, e.watermark = nil, 0
	clear(e.elided)
	for _, a := range e.applied {
		if a.summary != nil {
			e.summaries = compaction.PlaceSummary(e.summaries, *a.summary, a.replaces)
			e.watermark = max(e.watermark, a.summary.Span.End)
		}
		for _, q := range a.pass.ElidedSeqs {
			e.elided[q] = true
		}
	}
	maps.DeleteFunc(e.elided, func(q message.Seq, _ bool) bool { return q < e.watermark })
	e.index = compaction.NewIndex(e.watermark, e.kept())
}

// hold checks the invariants of the cases on what the session has come to.
func (e *engine) hold(place compaction.Place) {
	view := e.view()
	require.NoError(e.t, message.ValidatePrefix(view[:max(len(view)-e.openRows(), 0)]))
	e.covered()
	e.keepsRequest(view)
	e.estimates(view, place)
	loaded := engine{rows: e.rows, applied: e.applied, elided: map[message.Seq]bool{}}
	loaded.restart()
	require.Equal(e.t, e.watermark, loaded.watermark)
	restored := loaded.view()
	require.Len(e.t, restored, len(view))
	equal(e.t, view, restored) // invariant 10
}

// openRows is 1 when the newest row makes calls that are not answered yet.
func (e *engine) openRows() int {
	if n := len(e.rows); n > 0 && len(e.rows[n-1].ToolUses()) > 0 {
		return 1
	}
	return 0
}

// covered holds invariant 3: the summaries' spans meet from the first row to the watermark, once.
func (e *engine) covered() {
	at := message.Seq(0)
	for _, s := range e.summaries {
		require.Equal(e.t, at, s.Span.Start)
		require.Greater(e.t, s.Span.End, at)
		at = s.Span.End
	}
	require.Equal(e.t, at, e.watermark)
	require.Empty(e.t, compaction.LinkCheck(e.summaries, e.watermark))
	require.Equal(e.t, len(e.rows), int(e.watermark)+len(e.kept()))
	require.Equal(e.t, e.watermark, e.index.Base())
}

// keepsRequest holds invariant 2: the watermark passes the current request only when the view carries it, and never a
// result that nobody has read.
func (e *engine) keepsRequest(view []message.Message) {
	if e.turnOpen < 0 {
		return
	}
	require.Less(e.t, e.watermark, e.index.End())
	if e.turnOpen >= e.watermark {
		return
	}
	carried := slices.IndexFunc(e.summaries, func(s compaction.Summary) bool {
		return s.RequestSeq == e.turnOpen && len(s.Request) > 0
	})
	require.GreaterOrEqual(e.t, carried, 0, "request %d is lost", e.turnOpen)
	open, got := e.rows[e.turnOpen], e.summaries[carried].Request
	if reflect.DeepEqual(open.Blocks, got) {
		return
	}
	require.Positive(e.t, e.cfg.TailMaxTokens)
	require.Contains(e.t, got.PlainText(), fmt.Sprintf("message %d", e.turnOpen))
}

// estimates holds what the planner thinks the view takes against the view.
func (e *engine) estimates(view []message.Message, place compaction.Place) {
	s := e.state(place)
	s.Factor, s.PrefixTokens = 1, 0
	thought := e.index.RequestTokens(message.Span{Start: e.watermark, End: e.index.End()}) -
		e.index.Tokens(message.Span{Start: e.watermark, End: e.index.End()})
	seams := len(e.summaries) * compaction.Ack().Tokens
	got, want := s.NextRequest()-thought, message.View{Messages: view}.Tokens()
	require.GreaterOrEqual(e.t, got, want, "a request is never larger than its estimate")
	require.LessOrEqual(e.t, got, want+seams+len(e.summaries))
}
