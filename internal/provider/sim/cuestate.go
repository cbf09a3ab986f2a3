package sim

import "tidemark/internal/model"

// cueState counts what cues of the running turn have done, so that `once` means once: a retry succeeds.
type cueState struct {
	turn  uint64
	fired []int
	armed []Fault // for the session's next summarizer calls
}

// maxArmed bounds what prompts can heap up.
const maxArmed = 64

// pickFault asks the configuration first, then the cues.
func (c *call) pickFault() Fault {
	if cfg := &c.m.p.cfg; cfg.Faults != nil {
		if f := cfg.Faults(Call{Model: c.m.card.Name, Number: c.number, Request: *c.req}); f != (Fault{}) {
			return f
		}
	}
	var f Fault
	switch {
	case c.m.card.Name == model.SimSummarizer:
		c.m.p.withSession(c.req.SessionID, func(s *sessionState) { f = s.cues.popArmed() })
	case len(c.turn.cues) > 0:
		c.m.p.withSession(c.req.SessionID, func(s *sessionState) { f = s.cues.pick(&c.turn) })
	}
	return f
}

func (s *cueState) popArmed() Fault {
	if len(s.armed) == 0 {
		return Fault{}
	}
	f := s.armed[0]
	s.armed = s.armed[1:]
	return f
}

// pick finds the fault of this call: the first cue that is due and not used up, with the manner of slow, late and
// no_usage.
func (s *cueState) pick(t *turn) Fault {
	if s.turn != t.key || len(s.fired) != len(t.cues) {
		s.turn, s.fired = t.key, make([]int, len(t.cues))
		s.arm(t.cues)
	}
	var f Fault
	for i, c := range t.cues {
		fc, ok := faultOf(c)
		due := ok && c.name != "summarizer" && (fc.step == 0 || fc.step == t.step+1) && (fc.limit == 0 || s.fired[i] < fc.limit)
		if due {
			s.fired[i]++
			f = fc.Fault
			break
		}
	}
	for _, c := range t.cues {
		f.manner(c)
	}
	return f
}

// arm takes the summarizer's cues of a new turn.
func (s *cueState) arm(cues []cue) {
	for _, c := range cues {
		fc, ok := faultOf(c)
		if !ok || c.name != "summarizer" {
			continue
		}
		for range max(fc.limit, 1) {
			if len(s.armed) < maxArmed {
				s.armed = append(s.armed, fc.Fault)
			}
		}
	}
}

// endTurn forgets the counts, so that the same words in a later turn start anew.
func (c *call) endTurn() {
	if len(c.turn.cues) == 0 {
		return
	}
	c.m.p.withSession(c.req.SessionID, func(s *sessionState) {
		if s.cues.turn == c.turn.key {
			s.cues.turn, s.cues.fired = 0, nil
		}
	})
}
