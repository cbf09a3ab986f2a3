package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tidemark/internal/message"
	"tidemark/internal/model"
)

// turn is what the assistant makes of a request: what the user said last and how far the work on it has come.
type turn struct {
	text    string // without cues
	cues    []cue
	key     uint64 // of the whole text
	step    int    // model calls of this turn before this one
	uses    []message.ToolUse
	results []message.ToolResult // answers to uses, when the request ends with results
}

// summaryTag opens a summary block (spec 4.7). Cues inside a summary are quotations and not meant.
const summaryTag = "<COMPACTION_SUMMARY"

// readTurn looks from the end for the newest user message without tool results. After a pass inside a turn that is the
// summary, which carries the request's own blocks behind it (spec 4.9).
func readTurn(msgs []message.Message) turn {
	var t turn
	last := msgs[len(msgs)-1]
	t.results = last.ToolResults()
	if len(t.results) > 0 {
		t.uses = msgs[len(msgs)-2].ToolUses()
		t.step = stepOf(t.uses) + 1
	}
	for _, m := range slices.Backward(msgs) {
		if m.Role == message.RoleUser && len(m.ToolResults()) == 0 {
			text := ownText(m.Blocks)
			t.key = xxhash.Sum64String(text)
			t.cues, t.text = readCues(text)
			return t
		}
	}
	return t
}

func ownText(blocks message.Blocks) string {
	var own message.Blocks
	for _, b := range blocks {
		if t, ok := b.(message.Text); ok && !strings.HasPrefix(t.Text, summaryTag) {
			own = append(own, t)
		}
	}
	return own.PlainText()
}

// callID names a call by the prompt it answers, its step and its place. The step stands in the id because the view may
// have lost the turn's earlier steps to a pass; the newest calls are always there (spec 4.9).
func callID(prompt uint64, step, place int) string {
	return fmt.Sprintf("call_%016x_%d_%d", prompt, step, place)
}

// stepOf reads the step out of the newest calls; calls of another model count as the first.
func stepOf(uses []message.ToolUse) int {
	if len(uses) == 0 {
		return 0
	}
	parts := strings.Split(uses[0].ID, "_")
	if len(parts) != 4 || parts[0] != "call" {
		return 0
	}
	step, _ := strconv.Atoi(parts[2])
	return step
}

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
