package sim

import (
	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// mark is the end of one block of a prompt: the hash of everything up to it and its size in units.
type mark struct {
	hash  uint64
	units int
}

// prompt is a request as the cache sees it: the ends of its blocks in wire order (tools, stable system, volatile,
// messages), and which of them carry a cache mark (spec 7.5: last tool, stable system, last block of the last message).
type prompt struct {
	marks  []mark
	cached []int
}

// tokens is the size of the prompt: the fallback of spec 4.2 over all that is sent, thinking included.
func (p *prompt) tokens() int { return message.FallbackTokens(p.last().units) }

func (p *prompt) last() mark {
	if len(p.marks) == 0 {
		return mark{}
	}
	return p.marks[len(p.marks)-1]
}

// PromptTokens counts a request as the sim models do.
func PromptTokens(req provider.Request) int {
	p := readPrompt("", &req)
	return p.tokens()
}

// readPrompt walks the request once. The hash is not keyed, so the same request gives the same call ids in every run.
func readPrompt(model string, req *provider.Request) prompt {
	r := reader{}
	r.digest.Reset()
	r.part('M', model)
	r.marks = make([]mark, 0, len(req.Tools)+2+3*len(req.Messages))
	for _, t := range req.Tools {
		r.tool(t)
	}
	r.breakpoint()
	if req.System != "" {
		r.segment('S', req.System)
		r.breakpoint()
	}
	if req.Volatile != "" {
		r.segment('V', req.Volatile)
	}
	for i := range req.Messages {
		r.message(&req.Messages[i])
	}
	r.breakpoint()
	return r.prompt
}

// foreign blocks belong to another provider and are left out of what is sent (spec 3.1).
func foreign(b message.Block) bool {
	o, ok := b.(message.Opaque)
	return ok && o.Provider != Name
}

// blockUnits counts a block of a request: unlike in history counts, thinking is sent and so it counts (spec 4.2).
func blockUnits(b message.Block) int {
	if t, ok := b.(message.Thinking); ok {
		return len(t.Thinking)
	}
	return b.Units()
}
