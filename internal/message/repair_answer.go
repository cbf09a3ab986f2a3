package message

import "fmt"

// answer writes the user side of an exchange: the results of all its calls in one message, first in it, and behind it
// what people said, in a message of their own (spec 3.4).
func (r *repairer) answer(x *exchange) {
	a := answer{repairer: r}
	if results := r.results(x); len(results) > 0 {
		a.openResults(x, results)
	}
	for _, p := range x.back {
		a.notePlaces(p)
		a.add(p)
		a.spoken = a.spoken || p.human
	}
	if a.cur != nil {
		r.out = append(r.out, *a.cur)
	}
}

// results gathers what answers the calls of an exchange: in the order in which it stands behind them, then what came from
// elsewhere, then a stand-in for what never came.
func (r *repairer) results(x *exchange) Blocks {
	var out Blocks
	for _, p := range x.back {
		out = append(out, p.resultBlocks()...)
	}
	for _, c := range x.calls() {
		if c.late != nil {
			out = append(out, *c.late)
		}
	}
	for _, c := range x.calls() {
		if len(c.results) == 0 {
			r.note(RepairOpenCall, c.at.piece.src, fmt.Sprintf("call %.80q", c.id))
			out = append(out, TextResult(c.id, InterruptedResult, true))
		}
	}
	return out
}

func (x *exchange) calls() []*call {
	var out []*call
	for _, p := range x.said {
		out = append(out, p.calls...)
	}
	return out
}

func (p *piece) resultBlocks() Blocks { return p.pick(true) }
func (p *piece) otherBlocks() Blocks  { return p.pick(false) }

func (p *piece) pick(results bool) Blocks {
	var out Blocks
	for _, b := range p.blocks {
		if _, isResult := b.(ToolResult); isResult == results {
			out = append(out, b)
		}
	}
	return out
}

// answer is the state of one user side.
type answer struct {
	*repairer
	cur    *Message
	src    int  // message that the newest blocks of cur came from, -1 for none
	closed bool // cur holds the results: human text may not follow in it
	spoken bool // human text was met
}

// openResults starts the message of the results with the metadata of the first row behind the calls that is no speech, or
// of the calls when there is none.
func (a *answer) openResults(x *exchange, results Blocks) {
	call := a.in[x.said[0].src]
	m := Message{Role: RoleUser, TurnID: call.TurnID, CreatedAt: call.CreatedAt}
	a.src = -1
	for _, p := range x.back {
		if !p.human {
			m, a.src = a.in[p.src].Clone(), p.src
			break
		}
	}
	m.Role, m.Blocks = RoleUser, results
	a.cur, a.closed = &m, true
}

func (a *answer) add(p *piece) {
	rest := p.otherBlocks()
	switch {
	case a.cur == nil:
		a.begin(p)
	case p.human && a.closed:
		a.note(RepairFiller, p.src, "human text after results")
		a.out = append(a.out, *a.cur, Filler(FillerNoAnswer))
		a.begin(p)
	case p.src == a.src:
		a.repairer.add(a.cur, rest)
	case len(rest) > 0 || !a.spoken: // results alone behind human text moved, they did not merge
		a.join(a.cur, p, rest)
		a.src = p.src
	}
}

func (a *answer) begin(p *piece) {
	m := a.start(p)
	a.cur, a.src, a.closed = &m, p.src, false
}

// notePlaces notes results that were not where they belong inside the user side.
func (a *answer) notePlaces(p *piece) {
	past := false
	for _, b := range p.blocks {
		v, isResult := b.(ToolResult)
		switch {
		case !isResult:
			past = true
		case a.spoken:
			a.noteMoved(p.src, v.ToolUseID)
		case past:
			a.note(RepairResultsFirst, p.src, fmt.Sprintf("result %.80q", v.ToolUseID))
		}
	}
}
