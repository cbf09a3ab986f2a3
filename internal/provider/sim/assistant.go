package sim

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// assist is sim:assistant: it does what the cues of the newest user text say, and without cues gives a short answer.
func assist(c *call) (reply, *provider.Error) {
	if calls := c.callsNow(); len(calls) > 0 {
		return c.withThought(c.callTools(calls)), nil
	}
	return c.withThought(textReply(c.finalText())), nil
}

// cue finds the first cue of a name.
func (t *turn) cue(name string) (cue, bool) {
	for _, c := range t.cues {
		if c.name == name {
			return c, true
		}
	}
	return cue{}, false
}

// withThought puts thinking in front of the turn's first answer.
func (c *call) withThought(r reply) reply {
	think, ok := c.turn.cue("think")
	if !ok || c.turn.step > 0 {
		return r
	}
	thought := message.Thinking{Thinking: prose(max(think.number(), 1)), Signature: "sim"}
	return reply{append(message.Blocks{thought}, r.blocks...), r.stop}
}

// callsNow lists the calls of this step, those to tools the request offers: each tool, tools or call cue is one step,
// and `steps N` goes round them until N were made.
func (c *call) callsNow() []toolCall {
	var rounds [][]toolCall
	for _, q := range c.turn.cues {
		if len(q.calls) > 0 {
			rounds = append(rounds, q.calls)
		}
	}
	total := len(rounds)
	if steps, ok := c.turn.cue("steps"); ok {
		total = steps.number()
		if len(rounds) == 0 && len(c.req.Tools) > 0 {
			rounds = [][]toolCall{{{name: c.req.Tools[0].Name, input: json.RawMessage("{}")}}}
		}
	}
	if c.turn.step >= total || len(rounds) == 0 {
		return nil
	}
	return c.offered(rounds[c.turn.step%len(rounds)])
}

func (c *call) offered(calls []toolCall) []toolCall {
	var out []toolCall
	for _, k := range calls {
		if k.unasked || c.offers(k.name) {
			out = append(out, k)
		}
	}
	return out
}

func (c *call) offers(tool string) bool {
	for _, t := range c.req.Tools {
		if t.Name == tool {
			return true
		}
	}
	return false
}

// callTools makes the calls; $n in a string of an input is the number of the step, so that rounds differ.
func (c *call) callTools(calls []toolCall) reply {
	names := make([]string, len(calls))
	blocks := make(message.Blocks, 1, len(calls)+1)
	for i, k := range calls {
		names[i] = k.name
		input := strings.ReplaceAll(string(k.input), "$n", strconv.Itoa(c.turn.step+1))
		blocks = append(blocks, message.ToolUse{
			ID: callID(c.prompt.last().hash, c.turn.step, i), Name: k.name, Input: json.RawMessage(input),
		})
	}
	blocks[0] = message.Text{Text: "Calling " + list(names) + "."}
	return reply{blocks, provider.StopToolUse}
}

// finalText is the answer that ends a turn.
func (c *call) finalText() string {
	if q, ok := c.turn.cue("echo"); ok && q.args != "" {
		return q.args
	}
	if q, ok := c.turn.cue("say"); ok {
		return prose(max(q.number(), 1))
	}
	if len(c.turn.results) > 0 {
		return c.aboutResults()
	}
	if missing := c.missingTools(); len(missing) > 0 {
		return fmt.Sprintf("I was asked to call %s, but this session does not offer it.", list(missing))
	}
	return c.chat()
}

// missingTools names tools the cues want and the request does not offer.
func (c *call) missingTools() []string {
	var out []string
	for _, q := range c.turn.cues {
		for _, k := range q.calls {
			if !k.unasked && !c.offers(k.name) {
				out = append(out, k.name)
			}
		}
	}
	return out
}

// list joins names as a sentence does.
func list(names []string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}
