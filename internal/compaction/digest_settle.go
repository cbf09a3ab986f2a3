package compaction

import (
	"slices"

	"tidemark/internal/message"
)

// settle decides what only the whole can tell: what became of asks, and which errors were overcome.
func (m *merger) settle() {
	d := &m.d
	d.Asks = slices.DeleteFunc(d.Asks, func(a Ask) bool { return a.Text == "" })
	settleAsks(d.Asks, d.Answers)
	for i := range d.Errors {
		d.Errors[i].Fixed = d.Errors[i].Fixed || m.overcome(&d.Errors[i])
	}
	d.Says = lastOf(d.Says, maxSays)
	d.Answers = lastOf(d.Answers, maxAnswers)
}

// settleAsks closes the asks that are followed by an answer of the model, or by the user's next words (case B48).
func settleAsks(asks []Ask, answers []Note) {
	for i := range asks {
		if asks[i].State != AskOpen {
			continue
		}
		next := message.Seq(-1)
		for j := i + 1; j < len(asks) && next < 0; j++ {
			if asks[j].Seq > asks[i].Seq {
				next = asks[j].Seq
			}
		}
		k := slices.IndexFunc(answers, func(n Note) bool { return n.Seq > asks[i].Seq })
		switch {
		case k >= 0 && (next < 0 || answers[k].Seq < next):
			asks[i].State = AskAnswered
		case next >= 0:
			asks[i].State = AskFollowed
		}
	}
}

func (m *merger) overcome(e *ErrorFact) bool {
	k := [2]string{e.Tool, e.Target}
	if i, ok := m.runs[k]; ok && m.d.Commands[i].OK && m.d.Commands[i].Last > e.Seq {
		return true
	}
	if i, ok := m.tools[k]; ok && m.d.Tools[i].OK && m.d.Tools[i].Last > e.Seq {
		return true
	}
	i, ok := m.files[e.Target]
	return ok && m.d.Files[i].done() && m.d.Files[i].Last > e.Seq
}
