package message

import "fmt"

// settle decides what becomes of every result: it stays, moves to its call, turns into labeled text or goes.
func (r *repairer) settle() {
	for _, c := range r.calls {
		if len(c.results) > 0 {
			r.settleCall(c)
		}
	}
	for _, s := range r.early {
		v := s.get().(ToolResult)
		r.note(RepairOrphanResult, s.piece.src, fmt.Sprintf("result %.80q has no call", v.ToolUseID))
		s.set(label(labelOrphan, v))
	}
}

// settleCall lets the last result win (spec 3.4). The text of the others stays where it was.
func (r *repairer) settleCall(c *call) {
	last := len(c.results) - 1
	winner := c.results[last].get().(ToolResult)
	for _, s := range c.results[:last] {
		r.settleLoser(s, winner)
	}
	r.place(c, c.results[last], winner)
}

func (r *repairer) settleLoser(s slot, winner ToolResult) {
	v := s.get().(ToolResult)
	if sameContent(v, winner) {
		r.note(RepairDuplicateResult, s.piece.src, fmt.Sprintf("result %.80q repeats itself", v.ToolUseID))
		s.set(nil)
		return
	}
	r.note(RepairDuplicateResult, s.piece.src, fmt.Sprintf("result %.80q gave way to a later one", v.ToolUseID))
	s.set(label(labelReplaced, v))
}

// place leaves a result in the user pieces right behind its call, or takes it out for build to put there.
func (r *repairer) place(c *call, s slot, v ToolResult) {
	v.ToolUseID = c.id
	if s.piece.run == c.run {
		s.set(v)
		return
	}
	r.noteMoved(s.piece.src, c.id)
	s.set(nil)
	c.late = &v
}

func (r *repairer) noteMoved(src int, id string) {
	r.note(RepairResultMoved, src, fmt.Sprintf("result %.80q", id))
}
