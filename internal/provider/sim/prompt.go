package sim

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

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

type reader struct {
	prompt
	digest xxhash.Digest
	units  int
}

// breakpoint marks the newest block for the cache, once.
func (r *reader) breakpoint() {
	i := len(r.marks) - 1
	if i < 0 || len(r.cached) > 0 && r.cached[len(r.cached)-1] == i {
		return
	}
	r.cached = append(r.cached, i)
}

// part adds a string to the hash, framed so that no two prompts read alike.
func (r *reader) part(tag byte, s string) {
	var head [9]byte
	head[0] = tag
	binary.LittleEndian.PutUint64(head[1:], uint64(len(s)))
	_, _ = r.digest.Write(head[:])
	_, _ = r.digest.WriteString(s)
}

func (r *reader) bytes(tag byte, b []byte) {
	r.part(tag, "")
	_, _ = r.digest.Write(b)
}

func (r *reader) end(units int) {
	r.units += units
	r.marks = append(r.marks, mark{r.digest.Sum64(), r.units})
}

func (r *reader) tool(t message.ToolSpec) {
	r.part('t', t.Name)
	r.part('d', t.Description)
	r.bytes('s', t.InputSchema)
	r.end(len(t.Name) + len(t.Description) + len(t.InputSchema))
}

func (r *reader) segment(tag byte, s string) {
	r.part(tag, s)
	r.end(len(s))
}

func (r *reader) message(m *message.Message) {
	r.part('R', string(m.Role))
	for _, b := range m.Blocks {
		if foreign(b) {
			continue
		}
		r.block(b)
		r.end(blockUnits(b))
	}
}

func (r *reader) block(b message.Block) {
	r.part('B', b.Type())
	switch v := b.(type) {
	case message.Text:
		r.part('x', v.Text)
	case message.Thinking:
		r.part('x', v.Thinking)
		r.part('g', v.Signature)
	case message.ToolUse:
		r.part('i', v.ID)
		r.part('n', v.Name)
		r.bytes('j', v.Input)
	case message.ToolResult:
		r.result(v)
	case message.Image:
		r.part('m', v.MediaType)
		r.part('x', v.Data)
	case message.Opaque:
		r.part('k', v.Kind)
		r.bytes('j', v.Raw)
	}
}

func (r *reader) result(v message.ToolResult) {
	r.part('i', v.ToolUseID)
	if v.IsError {
		r.part('e', "")
	}
	for _, c := range v.Content {
		r.block(c)
	}
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
