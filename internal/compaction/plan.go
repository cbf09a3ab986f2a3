package compaction

import (
	"math"

	"tidemark/internal/message"
)

// MinThreshold is the least a threshold shrinks to when the window leaves no room (spec 4.1).
const MinThreshold = 1000

// Waits after soft failures (spec 4.5) and after futile passes (spec 4.11).
const (
	FailuresBeforeWait = 3
	TurnsToWait        = 5
	FutileBeforePause  = 2
)

// State is what the planner decides on: counts and seqs, no text. Token counts in it are those of the fallback
// estimator, unscaled.
type State struct {
	Index     *Index
	Watermark message.Seq
	Place     Place
	// TurnOpen is the seq of the row that opened the running turn; End of the index when no turn runs.
	TurnOpen message.Seq
	Turns    int // turns the session has begun, the running one among them, for the wait after failures

	Window        int // of the session's model; 0 = unknown
	PrefixTokens  int // tools and system
	SummaryTokens int // summary messages in the view, requests they carry left out
	CarriedTokens int // requests carried by summaries; they count as tail (spec 4.9)
	ElidedTokens  int // what elisions saved of the rows from the watermark on
	MaxOutput     int // of the request
	Factor        float64
	Memory        Memory

	Manual bool // a wish: pass whatever is pending
	Forced bool // a provider's overflow: as at the hard cap
}

// Verb says what a plan asks for.
type Verb int

// Verbs of a plan.
const (
	Nothing     Verb = iota
	DoPass           // cover Span
	NoBoundary       // report that there is none (spec 4.3)
	Unreachable      // nothing to do, but the configuration error of spec 4.11 is to be said
)

// Plan is what should happen. Pending, Threshold and HardCap are scaled by the session's factor, as the limits are meant.
type Plan struct {
	Verb      Verb
	Trigger   Trigger // of a pass or of the report that there is no boundary
	Forced    bool    // at or above the effective hard cap, or an overflow
	Span      message.Span
	TailStart message.Seq
	Pending   int
	Threshold int // effective
	HardCap   int // effective
	Reason    Reason

	// PendingRaw is Pending unscaled: growth is measured on it, so that a new factor does not look like new history.
	PendingRaw int
}

// Planner decides by one session's knobs. It is pure: the same state gives the same plan.
type Planner struct{ Config Config }

// Plan decides whether a pass should run now (spec 4.1, 4.3, 4.11). It reads no row.
func (p Planner) Plan(s State) Plan {
	w := p.Watch(s)
	if !p.Config.Enabled {
		return w
	}
	trigger, forced := p.trigger(s, w)
	if trigger == "" || !s.asked() && p.held(s, w, forced) {
		return p.unreachable(s, w)
	}
	w.Trigger, w.Forced = trigger, forced
	return p.cover(s, w)
}

// asked reports whether the pass is not an automatic one.
func (s State) asked() bool { return s.Manual || s.Forced }

// trigger says which rule fires, "" for none, and whether it forces (spec 4.1). Comparisons are inclusive. A wish that
// meets the hard cap at a check is forced too: a pass would have run there without it.
func (p Planner) trigger(s State, w Plan) (t Trigger, forced bool) {
	capped := p.Config.Auto && w.Pending >= w.HardCap
	switch {
	case s.Forced:
		return TriggerOverflow, true
	case s.Manual:
		return TriggerManual, capped && s.Place != AtIdle
	case capped:
		return TriggerHardCap, true
	case !p.Config.Auto:
		return "", false
	case w.Pending >= w.Threshold:
		return TriggerThreshold, false
	case p.windowShort(s, w):
		return TriggerWindow, false
	}
	return "", false
}

// windowShort is the window trigger: what the next request leaves of the window is within the buffer, or the ratio of a
// window of up to 200 000; never with less than an eighth of the threshold pending (spec 4.1, requirements D1.4).
func (p Planner) windowShort(s State, w Plan) bool {
	if s.Window == 0 || p.Config.Profile == ProfileSource || w.Pending == 0 || 8*w.Pending < w.Threshold {
		return false
	}
	left := s.Window - s.NextRequest()
	if s.Window > wideWindow {
		return left <= p.Config.ContextWindowBuffer
	}
	return float64(left) <= p.Config.ContextWindowRatio*float64(s.Window)
}

// wideWindow parts the windows that are watched by a buffer from those watched by a ratio.
const wideWindow = 200_000

// held reports whether an earlier outcome keeps an automatic pass back: a span given back by an undo (6.7), the wait
// after failures (4.5), the pause after futile passes (4.11). The source rules know neither of the last two.
func (p Planner) held(s State, w Plan, forced bool) bool {
	m := s.Memory
	if u := m.Undone; u != nil && !forced && s.Watermark < u.Span.End && 2*s.grown(w, u.Pending) < w.Threshold {
		return true
	}
	if p.Config.Profile == ProfileSource {
		return false
	}
	if !forced && s.Turns < m.retryTurn() {
		return true
	}
	return m.FutileStreak >= FutileBeforePause && 4*s.grown(w, m.FutilePending) < w.Threshold
}

// grown is how much more is pending than at an earlier outcome.
func (s State) grown(w Plan, since int) int { return s.scale(w.PendingRaw - since) }

// cover plans a pass over all that is pending, up to its last boundary (spec 4.3).
func (p Planner) cover(s State, w Plan) Plan {
	end, found := s.Index.CutBefore(w.TailStart, s.Watermark)
	if !found || end <= s.Watermark {
		return p.noBoundary(s, w)
	}
	w.Verb, w.Span = DoPass, message.Span{Start: s.Watermark, End: end}
	return w
}

// noBoundary reports that there is nothing to cut: once until watermark or tail start move, to a wish each time
// (spec 4.3).
func (p Planner) noBoundary(s State, w Plan) Plan {
	w.Span = message.Span{Start: s.Watermark, End: s.Watermark}
	if at := s.Memory.NoBoundary; at != nil && *at == (Stuck{s.Watermark, w.TailStart}) && !s.Manual {
		return w
	}
	w.Verb, w.Reason = NoBoundary, ReasonNoValidBoundary
	return w
}

// unreachable plans nothing but to say, once, that prefix, smallest legal tail and reserve exceed the window (spec 4.11).
func (p Planner) unreachable(s State, w Plan) Plan {
	if s.Window == 0 || s.Memory.Unreachable || p.Config.Profile == ProfileSource {
		return w
	}
	tail := s.Index.RequestTokens(message.Span{Start: newest(s), End: s.Index.End()})
	if s.scale(s.PrefixTokens+tail)+p.Reserve(s) > s.Window {
		w.Verb, w.Reason = Unreachable, ReasonTriggerUnreachable
	}
	return w
}

// Watch fills the figures of a plan without deciding anything: they are also what the gauge and the posture show.
func (p Planner) Watch(s State) Plan {
	w := Plan{TailStart: p.tailStart(s), Threshold: p.Config.ThresholdTokens, HardCap: p.Config.HardCapTokens}
	w.PendingRaw = s.Index.Tokens(message.Span{Start: s.Watermark, End: w.TailStart})
	w.Pending = s.scale(w.PendingRaw)
	if s.Window > 0 && p.Config.Profile != ProfileSource {
		w.HardCap = min(w.HardCap, p.room(s, w.TailStart))
	}
	if w.HardCap <= w.Threshold {
		w.Threshold = min(w.Threshold, max(w.HardCap/2, MinThreshold))
		w.HardCap = max(w.HardCap, w.Threshold) // a cap below the least threshold would force passes over next to nothing
	}
	return w
}

// room is what the window leaves for pending history after prefix, summaries, tail and reserve.
func (p Planner) room(s State, tail message.Seq) int {
	rest := s.PrefixTokens + s.SummaryTokens + s.CarriedTokens +
		s.Index.RequestTokens(message.Span{Start: tail, End: s.Index.End()})
	return s.Window - s.scale(rest) - p.Reserve(s)
}

// Reserve is the room kept free below the window (spec 2.3 compaction.reserve_tokens).
func (p Planner) Reserve(s State) int {
	if p.Config.ReserveTokens > 0 {
		return p.Config.ReserveTokens
	}
	return s.MaxOutput + s.Window/50
}

// NextRequest estimates the tokens of the request that would be sent now, thinking among them (spec 4.2).
func (s State) NextRequest() int {
	rows := s.Index.RequestTokens(message.Span{Start: s.Watermark, End: s.Index.End()})
	return s.scale(s.PrefixTokens + s.SummaryTokens + s.CarriedTokens + rows - s.ElidedTokens)
}

// Excess is by how many unscaled tokens the next request passes the window minus the reserve: what an elision has to
// save (spec 4.9). It is 0 while the request fits or the window is not known.
func (p Planner) Excess(s State) int {
	if s.Window == 0 {
		return 0
	}
	over := s.NextRequest() - (s.Window - p.Reserve(s))
	return int(math.Ceil(max(float64(over), 0) / s.factor()))
}

// Raw turns a limit, which is meant in the model's tokens, into the fallback's, in which rows and summaries are counted.
func (s State) Raw(limit int) int { return int(float64(limit) / s.factor()) }

func (s State) scale(n int) int { return int(float64(n) * s.factor()) }

func (s State) factor() float64 {
	if s.Factor <= 0 {
		return 1
	}
	return s.Factor
}

// tailStart is where the preserved tail begins (spec 4.3): with the oldest of the newest completed turns, or later where
// the bound asks for it, never with the results of a call. What pins the pass to an earlier boundary does not move it.
func (p Planner) tailStart(s State) message.Seq {
	start := s.Watermark
	if t := s.Index.TurnsBefore(s.TurnOpen, p.Config.PreserveRecentTurns); len(t) == p.Config.PreserveRecentTurns {
		start = max(start, t[0])
	}
	limit := p.TailMax(s)
	if limit < 0 {
		return start
	}
	bounded := s.Index.Bounded(limit)
	for !s.Index.starts(bounded) {
		bounded++
	}
	return max(min(max(start, bounded), newest(s)), s.Watermark)
}

// newest is where the smallest legal tail begins: with the calls whose results have not been read yet, else with the
// newest row, at turn start the request (spec 4.3, 4.9).
func newest(s State) message.Seq {
	q := s.Index.End() - 1
	for q > s.Watermark && !s.Index.starts(q) {
		q--
	}
	return max(q, s.Watermark)
}

// TailMax is the bound of the tail in unscaled tokens, -1 for none: less what carried requests take of it.
func (p Planner) TailMax(s State) int {
	limit := p.CarryLimit(s)
	if limit == 0 {
		return -1
	}
	return max(limit-s.CarriedTokens, 0)
}

// CarryLimit is the bound that a tail and the request a summary carries are held to, in unscaled tokens: the knob, never
// more than a quarter of the window; 0 = no bound at all (spec 2.3, 4.9).
func (p Planner) CarryLimit(s State) int {
	limit := p.Config.TailMaxTokens
	if limit == 0 {
		return 0
	}
	if s.Window > 0 {
		limit = min(limit, s.Window/4)
	}
	return max(s.Raw(limit), 1)
}
