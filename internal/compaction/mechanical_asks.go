package compaction

import (
	"cmp"
	"strings"
)

// asks writes the instructions, newest first. Those of up to 500 tokens stand word for word; longer ones keep both ends
// and share what room the others leave. The newest stands in any case, cut if need be.
func (w *writer) asks(share int) {
	if len(w.d.Asks) == 0 {
		return
	}
	s := section{title: "What the user said, newest first, word for word"}
	used := s.frame()
	long := w.longAsks(share - used)
	for i := len(w.d.Asks) - 1; i >= 0; i-- {
		a := &w.d.Asks[i]
		newest := i == len(w.d.Asks)-1
		label := w.askLabel(a, i)
		text := a.Text
		if a.Size > 0 {
			text = long.take(text, newest)
		}
		if newest {
			text = cutBytes(text, max(share-used-len(label)-1, 0))
		}
		if a.State == AskOpen || newest {
			w.facts = append(w.facts, Fact{Class: ClassActiveGoal, Text: cmp.Or(goalText(text), goalText(a.Text)), Seq: a.Seq})
		}
		l := line{text: label + text}
		if text == "" || used+len(l.text)+1 > share {
			s.left++
			continue
		}
		used += len(l.text) + 1
		s.lines = append(s.lines, l)
	}
	w.room -= used
	w.out = append(w.out, s)
}

// longRoom is what the long asks may take; the newest of them gets the most.
type longRoom struct {
	room, next, each int
}

// take cuts a long ask to its part, or drops it when nothing is left; the newest ask is never dropped.
func (r *longRoom) take(text string, newest bool) string {
	n := min(r.next, r.room)
	if newest {
		n = max(n, minLongAsk)
	}
	if n < minLongAsk {
		return ""
	}
	text = shrinkAsk(text, n)
	r.room -= len(text)
	r.next = r.each
	return text
}

// longAsks divides the room that is left when all other asks stand whole.
func (w *writer) longAsks(share int) *longRoom {
	n := 0
	for i := range w.d.Asks {
		a := &w.d.Asks[i]
		share -= len(w.askLabel(a, i)) + 1
		if a.Size == 0 {
			share -= len(a.Text)
		} else {
			n++
		}
	}
	if n == 0 {
		return &longRoom{}
	}
	share = min(share, w.room*longShare/100)
	each := min(max(share/(n+2), minLongAsk), maxAsk/3)
	return &longRoom{room: share, next: max(min(share-(n-1)*each, maxAsk), minLongAsk), each: each}
}

// longShare is what long asks may take of the whole room together, in hundredths.
const longShare = 24

// minLongAsk is the least that is kept of a long ask.
const minLongAsk = 200

// shrinkAsk cuts the kept ends of a long ask to about n bytes, around the gap that stands between them.
func shrinkAsk(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const gap = len(gapOpen) + len("left out") + len(gapClose)
	head, tail := (n-gap)*2/3, (n-gap)/3
	i, j := strings.Index(s, gapOpen), strings.Index(s, gapClose)
	if i < 0 || j < i {
		return headTail(s, head, tail)
	}
	end := s[j+len(gapClose):]
	return cutBytes(s[:i], head) + gapOpen + "left out" + gapClose + lastBytes(end, tail)
}

func goalText(s string) string {
	head, _, _ := strings.Cut(s, gapOpen)
	return strings.TrimSpace(head)
}

// askLabel says which message, and what became of it (cases B28, B48).
func (w *writer) askLabel(a *Ask, i int) string {
	s := "[" + itoa(int(a.Seq))
	switch {
	case a.State == AskAnswered:
		s += ", answered"
	case a.State == AskOpen && i == len(w.d.Asks)-1:
		s += ", newest, open"
	case a.State == AskOpen:
		s += ", open"
	}
	if a.Times > 0 {
		s += ", said " + itoa(a.Times+1) + " times"
	}
	if a.Size > 0 {
		s += ", " + itoa(a.Size) + " tokens long"
	}
	return s + "] "
}
