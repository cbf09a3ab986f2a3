package message

import (
	"fmt"
	"strconv"
)

// openCalls holds the unanswered calls of one id: a stack of assistant runs, each a queue. Search is unbounded and still
// constant in time (case B06).
type openCalls struct {
	runs   []*callQueue
	latest *call // the one answered last, which a further result repeats
}

type callQueue struct {
	run   int
	calls []*call
}

func (o *openCalls) push(c *call) {
	if n := len(o.runs); n > 0 && o.runs[n-1].run == c.run {
		o.runs[n-1].calls = append(o.runs[n-1].calls, c)
		return
	}
	o.runs = append(o.runs, &callQueue{run: c.run, calls: []*call{c}})
}

// take gives the first open call of the newest run, and when all are answered the one answered last.
func (o *openCalls) take() *call {
	for n := len(o.runs); n > 0; n = len(o.runs) {
		q := o.runs[n-1]
		if len(q.calls) > 0 {
			o.latest, q.calls = q.calls[0], q.calls[1:]
			return o.latest
		}
		o.runs = o.runs[:n-1]
	}
	return o.latest
}

// match gives every result to a call, or to the early ones.
func (r *repairer) match() {
	open := make(map[string]*openCalls)
	r.ids = make(map[string]bool)
	for _, p := range r.pieces {
		for i, b := range p.blocks {
			switch v := b.(type) {
			case ToolUse:
				r.ids[v.ID] = true
				r.open(open, slot{p, i}, v)
			case ToolResult:
				r.ids[v.ToolUseID] = true
				r.claim(open[v.ToolUseID], slot{p, i})
			}
		}
	}
	r.matchEarly()
}

func (r *repairer) open(open map[string]*openCalls, at slot, v ToolUse) {
	c := &call{at: at, id: v.ID, run: at.piece.run}
	r.calls = append(r.calls, c)
	at.piece.calls = append(at.piece.calls, c)
	if open[v.ID] == nil {
		open[v.ID] = &openCalls{}
	}
	open[v.ID].push(c)
}

func (r *repairer) claim(open *openCalls, at slot) {
	if open == nil {
		r.early = append(r.early, at)
		return
	}
	c := open.take()
	c.results = append(c.results, at)
}

// matchEarly gives results that stand before their call to the first call of that id that got none: logs written by
// several hands come out of order (case B15). The rest are orphans.
func (r *repairer) matchEarly() {
	waiting := make(map[string][]*call)
	for _, c := range r.calls {
		if len(c.results) == 0 {
			waiting[c.id] = append(waiting[c.id], c)
		}
	}
	var orphans []slot
	for _, s := range r.early {
		id := s.get().(ToolResult).ToolUseID
		if q := waiting[id]; len(q) > 0 {
			q[0].results, waiting[id] = []slot{s}, q[1:]
			continue
		}
		orphans = append(orphans, s)
	}
	r.early = orphans
}

// rename gives calls without an id, and every call but the first of an id, a new one that nothing else uses.
func (r *repairer) rename() {
	used := make(map[string]bool, len(r.calls))
	next := make(map[string]int)
	for _, c := range r.calls {
		if c.id != "" && !used[c.id] {
			used[c.id] = true
			continue
		}
		fresh := r.freshID(c.id, next)
		r.note(RepairCallRenamed, c.at.piece.src, fmt.Sprintf("%.80q became %.90q", c.id, fresh))
		c.id, used[fresh] = fresh, true
		v := c.at.get().(ToolUse)
		v.ID = fresh
		c.at.set(v)
	}
}

func (r *repairer) freshID(id string, next map[string]int) string {
	base := id
	if base == "" {
		base = "call"
	}
	for n := max(next[base], 2); ; n++ {
		if fresh := base + "_" + strconv.Itoa(n); !r.ids[fresh] {
			r.ids[fresh], next[base] = true, n+1
			return fresh
		}
	}
}
