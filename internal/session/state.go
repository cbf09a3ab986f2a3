package session

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/model"
)

// state is what the actor knows of its session: committed rows from the watermark on and what was derived from them.
// Only the actor's goroutine touches it.
type state struct {
	rec  Record
	card model.Card // of the session's model, its window resolved once (case B69)

	rows      []message.Message // from the watermark on
	digests   []compaction.Digest
	index     *compaction.Index
	summaries []compaction.Summary
	elided    map[message.Seq]bool
	callIDs   map[string]bool   // of the rows seen: a model may give an id twice
	recent    []compaction.Pass // newest first, at most five
	lastTurn  *Turn             // the one that started last; calls outside turns belong to it (spec 7.7)

	turn      *turnRun
	manual    *manualRun
	candidate *candidateRun // the one semantic text being bought
	ready     *readyText    // one that waits for its swap
	staged    *stagedWork   // prepared ahead of the next check
	samples   []float64     // pressure at the newest turn boundaries
	stagedAt  time.Time
	inTurn    *inTurnPass // the newest mechanical pass inside the running turn

	budgetTold bool // that the compaction budget is used up

	wish *string // summarize_session asked for a pass; the text is the focus

	unmeasured []compaction.Pass // applied, no call since
	estimated  bool              // the gauge is an estimate until the next measured call
	prefix     int               // tokens of tools and system
	asked      int               // our unscaled estimate of the request being asked, or asked last
	ratio      float64           // the provider's count of it by ours, 0 until measured
	maxOutput  int
}

// newState rebuilds the state from what the store holds; live, restart and undo all come through here.
func newState(s Snapshot, card model.Card, maxOutput int) *state {
	st := &state{
		rec: s.Record, card: card, rows: s.Rows, digests: s.Digests, summaries: s.Summaries,
		elided: make(map[message.Seq]bool), recent: s.Passes, lastTurn: s.LastTurn, maxOutput: maxOutput,
		index: compaction.NewIndex(s.Record.Watermark, s.Rows), callIDs: make(map[string]bool),
	}
	for _, m := range s.Rows {
		st.noteCalls(m)
	}
	if s.Record.WindowTokens > 0 {
		st.card = card.WithWindow(s.Record.WindowTokens)
	}
	for _, q := range s.Elided {
		st.elided[q] = true
	}
	st.prefix = prefixTokens(s.Record.System, s.Record.Tools)
	st.maxOutput = min(maxOutput, card.MaxOutput)
	for _, p := range s.Passes { // a pass that no call has measured yet
		if p.Applied() && p.TokensAfterMeasured == nil && s.Record.LastCallAt.Before(p.CreatedAt) {
			st.unmeasured, st.estimated = append(st.unmeasured, p), true
		}
	}
	return st
}

func prefixTokens(system string, tools []message.ToolSpec) int {
	n := len(system)
	for _, t := range tools {
		n += len(t.Name) + len(t.Description) + len(t.InputSchema)
	}
	return message.FallbackTokens(n)
}

// appendRows takes committed rows into the live state.
func (s *state) appendRows(rows []message.Message, digests ...compaction.Digest) {
	for i, m := range rows {
		s.rows = append(s.rows, m)
		s.index.Append(m)
		s.noteCalls(m)
		if i < len(digests) {
			s.digests = append(s.digests, digests[i])
		} else {
			s.digests = append(s.digests, compaction.Digest{})
		}
		s.rec.NextSeq = m.Seq + 1
	}
}

// last is the newest row; ok is false in an empty session.
func (s *state) last() (message.Message, bool) {
	if len(s.rows) == 0 {
		return message.Message{}, false
	}
	return s.rows[len(s.rows)-1], true
}

// usesBefore are the calls of the newest row, which the next user row answers.
func (s *state) usesBefore() []message.ToolUse {
	if m, ok := s.last(); ok && m.Role == message.RoleAssistant {
		return m.ToolUses()
	}
	return nil
}

// span are the rows of a span and their digests, which must lie at or after the watermark.
func (s *state) span(sp message.Span) ([]message.Message, []compaction.Digest) {
	lo, hi := int(sp.Start-s.rec.Watermark), int(sp.End-s.rec.Watermark)
	return slices.Clone(s.rows[lo:hi]), slices.Clone(s.digests[lo:hi])
}

// advance moves the watermark and forgets the rows before it; copies release the old arrays.
func (s *state) advance(to message.Seq) {
	n := int(to - s.rec.Watermark)
	if n <= 0 {
		return
	}
	s.rows = slices.Clone(s.rows[n:])
	s.digests = slices.Clone(s.digests[n:])
	s.index.Forget(to)
	s.rec.Watermark = to
	maps.DeleteFunc(s.elided, func(q message.Seq, _ bool) bool { return q < to })
}

// view is what the model would be sent now.
func (s *state) view() message.View {
	return compaction.BuildView(s.summaries, s.rows, s.elided)
}

// planner decides with the session's knobs.
func (s *state) planner() compaction.Planner { return compaction.Planner{Config: s.rec.Compaction} }

// planState are the counts the planner decides on.
func (s *state) planState(at compaction.Place) compaction.State {
	ps := compaction.State{
		Index: s.index, Watermark: s.rec.Watermark, Place: at, TurnOpen: s.index.End(), Turns: s.rec.Turns,
		Window: s.card.Window, PrefixTokens: s.prefix, SummaryTokens: compaction.SummaryTokens(s.summaries),
		CarriedTokens: compaction.CarriedTokens(s.summaries), ElidedTokens: compaction.ElidedTokens(s.rows, s.elided),
		MaxOutput: s.maxOutput, Factor: s.rec.Factor, Memory: s.rec.Memory,
	}
	if s.turn != nil {
		ps.TurnOpen = s.turn.turn.OpenSeq
	}
	return ps
}

// scaled turns a count of the fallback estimator into the model's tokens.
func (s *state) scaled(n int) int {
	if s.rec.Factor <= 0 {
		return n
	}
	return int(float64(n) * s.rec.Factor)
}

// used is the context gauge: measured when a call has measured it, else the estimate of the next request.
func (s *state) used() int {
	if s.estimated || s.rec.ContextTokens == 0 {
		return s.planState(compaction.AtIdle).NextRequest()
	}
	return s.rec.ContextTokens
}

// amend takes the newer form of a record; one that is not among the recent any more stays where it is.
func (s *state) amend(p compaction.Pass) {
	if old := s.recentPass(p.ID); old != nil {
		*old = p
	}
}

// remember puts a record in front of the recent ones, or in the place of its older form.
func (s *state) remember(p compaction.Pass) {
	if old := s.recentPass(p.ID); old != nil {
		*old = p
		return
	}
	s.recent = slices.Insert(s.recent, 0, p)
	if len(s.recent) > recentPasses {
		s.recent = s.recent[:recentPasses]
	}
}

// recentPass finds a record among the recent ones.
func (s *state) recentPass(id string) *compaction.Pass {
	for i := range s.recent {
		if s.recent[i].ID == id {
			return &s.recent[i]
		}
	}
	return nil
}

// recentPasses is how many records the posture shows (spec 6.6).
const recentPasses = 5

// turnRun is a turn in flight.
type turnRun struct {
	turn      Turn
	script    []message.Blocks
	ctx       turnContext
	cancelled bool
	failure   *TurnError
	stop      string // set by the step that ended the turn

	check     *check // what is left of the check before the next step
	overflows int    // context overflows of the step being asked
	// quarantined says that a result the provider would not take was left out of the step being asked.
	quarantined bool
	attempt     int // of the step being asked

	messageID     string          // of the assistant message being streamed
	text, thought string          // of it, as far as it was shown
	announced     map[string]bool // calls that were shown while they streamed
	callID        string          // ledger id of the call being made
	startedAt     time.Time

	done   chan struct{}
	result *TurnResult
}

// manualRun is a pass asked for from outside a turn.
type manualRun struct {
	check *check
	focus string
	ctx   turnContext
	reply chan manualReply
	done  chan struct{}    // closed when it is over
	pass  *compaction.Pass // the newest record made
}

type manualReply struct {
	pass compaction.Pass
	err  error
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("session: " + err.Error()) // our own types always encode
	}
	return b
}
