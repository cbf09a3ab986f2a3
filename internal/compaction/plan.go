package compaction

import (
	"tidemark/internal/message"
)

// MinThreshold is the least a threshold shrinks to when the window leaves no room (spec 4.1).
const MinThreshold = 1000

// State is what the planner decides on: counts and seqs, no text.
type State struct {
	Index     *Index
	Watermark message.Seq
	Place     Place
	// TurnOpen is the seq of the row that opened the running turn; End of the index when no turn runs.
	TurnOpen message.Seq
	Turns    int // turns the session has begun, for the wait after failures

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
	Unreachable      // report the configuration error of spec 4.11
)

// Plan is what should happen. Token figures are scaled by the session's factor.
type Plan struct {
	Verb      Verb
	Trigger   Trigger
	Forced    bool // at or above the effective hard cap, or an overflow
	Span      message.Span
	TailStart message.Seq
	Pending   int
	Threshold int // effective
	HardCap   int // effective
	Reason    Reason
}

// Planner decides by one session's knobs. It is pure: the same state gives the same plan.
type Planner struct{ Config Config }

// Plan decides whether a pass should run now (spec 4.1, 4.3, 4.11). It reads no row.
func (p Planner) Plan(s State) Plan {
	w := p.Watch(s)
	if !p.Config.Enabled || (!s.Manual && !s.Forced && !p.Config.Auto) {
		return w
	}
	trigger, ok := p.trigger(s, w)
	if !ok {
		return w
	}
	w.Trigger = trigger
	w.Forced = s.Forced || (!s.Manual && w.Pending >= w.HardCap)
	if !s.Manual && !s.Forced && p.held(s, w) {
		return w
	}
	end, found := s.Index.CutBefore(w.TailStart, s.Watermark)
	if !found || end <= s.Watermark {
		return p.noBoundary(s, w)
	}
	w.Verb, w.Span = DoPass, message.Span{Start: s.Watermark, End: end}
	return w
}

// Watch fills the figures of a plan without deciding anything: they are also what the gauge and the posture show.
func (p Planner) Watch(s State) Plan {
	tail := p.tailStart(s)
	w := Plan{TailStart: tail, Threshold: p.Config.ThresholdTokens, HardCap: p.Config.HardCapTokens}
	w.Pending = s.scale(s.Index.Tokens(message.Span{Start: s.Watermark, End: tail}))
	if s.Window > 0 && p.Config.Profile != ProfileSource {
		w.HardCap = min(w.HardCap, p.room(s, tail))
		if w.HardCap <= w.Threshold {
			w.Threshold = max(w.HardCap/2, MinThreshold)
			w.HardCap = max(w.HardCap, w.Threshold)
		}
	}
	return w
}

// room is what the window leaves for pending history after prefix, summaries, tail and reserve.
func (p Planner) room(s State, tail message.Seq) int {
	rest := s.PrefixTokens + s.SummaryTokens + s.CarriedTokens + s.Index.Tokens(message.Span{Start: tail, End: s.Index.End()})
	return s.Window - s.scale(rest) - p.Reserve(s)
}

// Reserve is the room kept free below the window (spec 2.3 compaction.reserve_tokens).
func (p Planner) Reserve(s State) int {
	if p.Config.ReserveTokens > 0 {
		return p.Config.ReserveTokens
	}
	return s.MaxOutput + s.Window/50
}

// NextRequest estimates the tokens of the request that would be sent now.
func (s State) NextRequest() int {
	rows := s.Index.Tokens(message.Span{Start: s.Watermark, End: s.Index.End()})
	return s.scale(s.PrefixTokens + s.SummaryTokens + s.CarriedTokens + rows - s.ElidedTokens)
}

func (s State) scale(n int) int {
	if s.Factor == 0 || s.Factor == 1 {
		return n
	}
	return int(float64(n) * s.Factor)
}

// trigger says which rule fires, if any (spec 4.1). Comparisons are inclusive.
func (p Planner) trigger(s State, w Plan) (Trigger, bool) {
	switch {
	case s.Forced:
		return TriggerOverflow, true
	case s.Manual:
		return TriggerManual, true
	case w.Pending >= w.HardCap:
		return TriggerHardCap, true
	case w.Pending >= w.Threshold:
		return TriggerThreshold, true
	case p.windowShort(s, w):
		return TriggerWindow, true
	}
	return "", false
}

// windowShort is the window trigger: what the next request leaves of the window is within the buffer, or the ratio of a
// window of up to 200 000 (requirements D1.4).
func (p Planner) windowShort(s State, w Plan) bool {
	if s.Window == 0 || p.Config.Profile == ProfileSource || w.Pending < w.Threshold/8 || w.Pending == 0 {
		return false
	}
	left := s.Window - s.NextRequest()
	if s.Window > 200_000 {
		return left <= p.Config.ContextWindowBuffer
	}
	return float64(left) <= p.Config.ContextWindowRatio*float64(s.Window)
}

// held reports whether an earlier outcome keeps an automatic pass back: the wait after failures (4.5), the pause after
// futile passes (4.11), a span given back by an undo (6.7).
func (p Planner) held(s State, w Plan) bool {
	m := s.Memory
	if u := m.Undone; u != nil && s.Watermark < u.Span.End && !w.Forced && w.Pending < u.Pending+w.Threshold/2 {
		return true
	}
	if p.Config.Profile == ProfileSource {
		return false
	}
	if m.FailStreak >= FailuresBeforeWait && !w.Forced && s.Turns < m.FailTurn+TurnsToWait {
		return true
	}
	return m.FutileStreak >= FutileBeforePause && w.Pending < m.FutilePending+w.Threshold/4
}

// Waits after soft failures (spec 4.5) and after futile passes (spec 4.11).
const (
	FailuresBeforeWait = 3
	TurnsToWait        = 5
	FutileBeforePause  = 2
)

// noBoundary reports once that there is nothing to cut (spec 4.3).
func (p Planner) noBoundary(s State, w Plan) Plan {
	at := Stuck{s.Watermark, w.TailStart}
	if s.Memory.NoBoundary != nil && *s.Memory.NoBoundary == at && !s.Manual {
		return w
	}
	w.Verb, w.Reason = NoBoundary, ReasonNoValidBoundary
	w.Span = message.Span{Start: s.Watermark, End: s.Watermark}
	return w
}

// tailStart is where the preserved tail begins (spec 4.3), before it is moved to a boundary.
func (p Planner) tailStart(s State) message.Seq {
	start := s.Watermark
	if t := s.Index.TurnsBefore(s.TurnOpen, p.Config.PreserveRecentTurns); len(t) >= p.Config.PreserveRecentTurns {
		start = max(start, t[0])
	}
	limit := p.TailMax(s)
	if limit < 0 {
		return start
	}
	start = max(start, s.Index.CutAfter(s.Index.Bounded(limit), s.Index.End()))
	return p.keepNewest(s, start)
}

// TailMax is the bound of the tail in unscaled tokens, -1 for none: the knob, never more than a quarter of the window,
// less what carried requests take of it.
func (p Planner) TailMax(s State) int {
	if p.Config.TailMaxTokens == 0 {
		return -1
	}
	limit := p.Config.TailMaxTokens
	if s.Window > 0 {
		limit = min(limit, s.Window/4)
	}
	if f := s.Factor; f > 0 {
		limit = int(float64(limit) / f)
	}
	return max(limit-s.CarriedTokens, 0)
}

// keepNewest moves a tail start back so that the newest whole tool cycle and the current request stay (spec 4.3, 4.9).
func (p Planner) keepNewest(s State, start message.Seq) message.Seq {
	end := s.Index.End()
	last := end - 1 // at turn start: the request; at rest: the last answer
	if s.Place == AtStep || !s.Index.Cut(last) {
		last = end - 2 // the calls and the results that nobody has read yet
	}
	last, _ = s.Index.CutBefore(max(last, s.Watermark), s.Watermark)
	return max(min(start, last), s.Watermark)
}
