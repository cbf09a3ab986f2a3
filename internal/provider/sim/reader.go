package sim

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"tidemark/internal/message"
)

// reader hashes and counts a request in one walk.
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
