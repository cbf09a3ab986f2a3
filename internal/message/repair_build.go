package message

import (
	"fmt"
)

// exchange is a run of assistant pieces and the user pieces up to the next run.
type exchange struct {
	said []*piece
	back []*piece
}

// build puts the pieces together again, exchange by exchange.
func (r *repairer) build() []Message {
	for _, x := range r.exchanges() {
		r.assistant(x)
		r.answer(x)
	}
	return r.out
}

// exchanges regroups what is left of the pieces. A run that only thought is no message a provider accepts: it goes, and
// the user pieces around it become neighbors.
func (r *repairer) exchanges() []*exchange {
	runs := []*exchange{{}}
	for _, p := range r.pieces {
		if p.compact(); len(p.blocks) == 0 {
			continue
		}
		last := runs[len(runs)-1]
		if p.role == RoleUser {
			last.back = append(last.back, p)
			continue
		}
		if len(last.back) > 0 || len(last.said) == 0 {
			last = &exchange{}
			runs = append(runs, last)
		}
		last.said = append(last.said, p)
	}
	return r.dropThinking(runs)
}

func (p *piece) compact() {
	kept := p.blocks[:0]
	for _, b := range p.blocks {
		if b != nil {
			kept = append(kept, b)
		}
	}
	p.blocks = kept
}

func (r *repairer) dropThinking(runs []*exchange) []*exchange {
	out := runs[:1] // the first has no assistant pieces
	for _, x := range runs[1:] {
		if !x.onlyThinks() {
			out = append(out, x)
			continue
		}
		for _, p := range x.said {
			r.note(RepairEmptyDropped, p.src, "nothing but thinking")
		}
		before := out[len(out)-1]
		before.back = append(before.back, x.back...)
	}
	return out
}

func (x *exchange) onlyThinks() bool {
	for _, p := range x.said {
		if !onlyThinking(p.blocks) {
			return false
		}
	}
	return true
}

// assistant joins the assistant pieces of an exchange to one message.
func (r *repairer) assistant(x *exchange) {
	if len(x.said) == 0 {
		return
	}
	first := x.said[0]
	if len(r.out) == 0 {
		r.note(RepairUserStub, first.src, "the assistant opens")
		stub := NewUser(Text{Text: StubText})
		stub.Synthetic = true
		r.out = append(r.out, stub)
	}
	m, src := r.start(first), first.src
	for _, p := range x.said[1:] {
		if p.src == src {
			r.add(&m, p.blocks)
			continue
		}
		r.join(&m, p, p.blocks)
		src = p.src
	}
	r.out = append(r.out, m)
}

// start opens a message with the metadata of the one the piece came from, still without later pieces.
func (r *repairer) start(p *piece) Message {
	m := r.in[p.src].Clone()
	m.Role, m.Blocks = p.role, nil
	r.add(&m, p.blocks)
	m.Synthetic = m.Synthetic || p.onlyLabels()
	return m
}

func (p *piece) onlyLabels() bool {
	for _, b := range p.blocks {
		if _, ok := b.(labeled); !ok {
			return false
		}
	}
	return true
}

func (r *repairer) add(m *Message, blocks Blocks) {
	for _, b := range blocks {
		if l, ok := b.(labeled); ok {
			m.Blocks = append(m.Blocks, l.blocks...)
			continue
		}
		m.Blocks = append(m.Blocks, b)
	}
}

// join adds blocks of a further piece. One real voice makes the whole real: a merged summary is no summary any more.
func (r *repairer) join(m *Message, p *piece, blocks Blocks) {
	r.add(m, blocks)
	if m.Synthetic && !r.in[p.src].Synthetic && !p.onlyLabels() {
		m.Synthetic, m.CompactionSpan, m.CompactionCacheKey = false, nil, ""
	}
	r.note(RepairMerged, p.src, fmt.Sprintf("joined to the %s message before", m.Role))
}
