package sim

import (
	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// replay is sim:replay: it speaks the recorded answer that the request brings along, to the letter (protocol section 2).
// A recorded step may be empty or hold nothing but thinking; then so is the answer.
func replay(c *call) (reply, *provider.Error) {
	step := c.req.ScriptStep
	switch {
	case len(c.req.Script) == 0:
		return reply{}, invalid("sim:replay speaks only what a prompt brings along, and this one brought no steps")
	case step < 0 || step >= len(c.req.Script):
		return reply{}, invalid("sim:replay was asked for step %d of %d", step+1, len(c.req.Script))
	}
	r := reply{blocks: c.req.Script[step], stop: provider.StopEndTurn}
	if hasToolUse(r.blocks) {
		r.stop = provider.StopToolUse
	}
	return r, nil
}

func hasToolUse(blocks message.Blocks) bool {
	for _, b := range blocks {
		if _, ok := b.(message.ToolUse); ok {
			return true
		}
	}
	return false
}
