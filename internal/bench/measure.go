package bench

import (
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// The schedule the measure compacts by: bounded tail, tested before each step.
const (
	measureThreshold = 30_000
	measureTail      = 20_000
)

// row is one message as the measure sees it: what was written by hand of user or model, and what tools answered.
type row struct {
	msg     message.Message
	uses    []message.ToolUse // calls that its results answer
	said    []int32           // specifics of text and calls
	results []int32           // specifics of results
	tokens  int
	texts   []string // instructions: text blocks of a user message without results
}

// recording is a transcript made ready for the measure: rows, running token sums and legal cuts.
type recording struct {
	name  string
	rows  []row
	sum   []int  // sum[i] = tokens before row i
	legal []bool // legal[i]: no call before i is answered at or after i
	ids   map[string]int32
}

// intern gives each distinct specific a number, so that sets are cheap.
func (r *recording) intern(s string, list []int32) []int32 {
	compaction.ScanSpecifics(s, func(from, to int, _ compaction.SpecificKind) {
		t := s[from:to]
		id, ok := r.ids[t]
		if !ok {
			id = int32(len(r.ids))
			r.ids[strings.Clone(t)] = id
		}
		list = append(list, id)
	})
	return list
}

func newRecording(name string, msgs []message.Message) *recording {
	r := &recording{name: name, ids: map[string]int32{}, sum: []int{0}}
	calls := map[string]message.ToolUse{}
	for i := range msgs {
		w := r.newRow(msgs[i], calls)
		r.rows = append(r.rows, w)
		r.sum = append(r.sum, r.sum[i]+w.tokens)
	}
	r.legal = legalCuts(msgs)
	return r
}

func (r *recording) newRow(m message.Message, calls map[string]message.ToolUse) row {
	w := row{msg: m}
	hasResult := len(m.ToolResults()) > 0
	for _, b := range m.Blocks {
		switch v := b.(type) {
		case message.Text:
			w.said = r.intern(v.Text, w.said)
			w.tokens += message.FallbackTokens(len(v.Text))
			if m.Role == message.RoleUser && !hasResult && strings.TrimSpace(v.Text) != "" {
				w.texts = append(w.texts, v.Text)
			}
		case message.ToolUse:
			in := spacedJSON(v.Input)
			w.said = r.intern(v.Name+" "+in, w.said)
			w.tokens += message.FallbackTokens(len(v.Name) + len(in))
			calls[v.ID] = v
		case message.ToolResult:
			w.results = r.intern(resultText(v, " "), w.results)
			w.tokens += resultTokens(v)
			if u, ok := calls[v.ToolUseID]; ok {
				w.uses = append(w.uses, u)
			}
		case message.Image:
			w.tokens += message.FallbackTokens(message.ImageUnits)
		}
	}
	return w
}

func resultText(v message.ToolResult, sep string) string {
	parts := make([]string, 0, len(v.Content))
	for _, b := range v.Content {
		if t, ok := b.(message.Text); ok {
			parts = append(parts, t.Text)
		} else {
			parts = append(parts, "")
		}
	}
	return strings.Join(parts, sep)
}

func resultTokens(v message.ToolResult) int {
	return message.FallbackTokens(v.Content.Units())
}

// legalCuts marks the indexes at which no tool cycle is cut.
func legalCuts(msgs []message.Message) []bool {
	answered := map[string]int{}
	for i := range msgs {
		for _, t := range msgs[i].ToolResults() {
			answered[t.ToolUseID] = i
		}
	}
	legal := make([]bool, len(msgs)+1)
	reach := -1
	for i := range msgs {
		legal[i] = i > reach
		for _, u := range msgs[i].ToolUses() {
			if a, ok := answered[u.ID]; ok {
				reach = max(reach, a)
			}
		}
	}
	legal[len(msgs)] = true
	return legal
}

// point is one compaction: rows [from, to) are summarized, [to, step) are the kept tail, the rest is the future.
type point struct{ from, to, step int }

// points are the compactions of the schedule: before each step, when the rows in front of the tail reach the threshold.
func (r *recording) points() []point {
	var out []point
	w := 0
	for s := 1; s < len(r.rows); s++ {
		if r.rows[s].msg.Role != message.RoleAssistant {
			continue
		}
		if t := r.tailStart(s, w); t > w && r.sum[t]-r.sum[w] >= measureThreshold {
			out = append(out, point{w, t, s})
			w = t
		}
	}
	return out
}

// tailStart is the first legal boundary that leaves at most the tail's tokens before step s, or low when there is none.
func (r *recording) tailStart(s, low int) int {
	j := s
	for j > low && r.sum[s]-r.sum[j-1] <= measureTail {
		j--
	}
	for j < s && !r.legal[j] {
		j++
	}
	if r.legal[j] && j < s {
		return j
	}
	return low
}

// needed are the facts that whoever goes on must remember: specifics of the span that are not in the kept tail and that
// the session writes again before any tool shows them.
func (r *recording) needed(p point) map[int32]bool {
	cand := map[int32]bool{}
	for i := p.from; i < p.to; i++ {
		mark(cand, r.rows[i].said, true)
		mark(cand, r.rows[i].results, true)
	}
	for i := p.to; i < p.step; i++ {
		mark(cand, r.rows[i].said, false)
		mark(cand, r.rows[i].results, false)
	}
	need := map[int32]bool{}
	for i := p.step; i < len(r.rows); i++ {
		mark(cand, r.rows[i].results, false)
		for _, id := range r.rows[i].said {
			if cand[id] {
				need[id] = true
			}
		}
		mark(cand, r.rows[i].said, false)
	}
	return need
}

func mark(set map[int32]bool, ids []int32, in bool) {
	for _, id := range ids {
		if in {
			set[id] = true
		} else {
			delete(set, id)
		}
	}
}

// hits counts the needed facts that stand in a text.
func (r *recording) hits(need map[int32]bool, text string) int {
	got := map[int32]bool{}
	compaction.ScanSpecifics(text, func(from, to int, _ compaction.SpecificKind) {
		if id, ok := r.ids[text[from:to]]; ok && need[id] {
			got[id] = true
		}
	})
	return len(got)
}
