package compaction

import (
	"sync"
	"time"
)

// negatives remembers, in memory and for a while, what came back for a key and was no summary, so that a poisoned span
// is not bought again at each check (spec 5.3). It never holds the text.
type negatives struct {
	now func() time.Time
	age time.Duration

	mu  sync.Mutex
	bad map[string]negative
}

type negative struct {
	err   SummaryError // without calls and text
	until time.Time
}

// maxNegatives bounds the memory; a server that has this many poisoned spans at once forgets the oldest.
const maxNegatives = 4096

func newNegatives(now func() time.Time, age time.Duration) *negatives {
	return &negatives{now: now, age: age, bad: make(map[string]negative)}
}

// remember keeps why a key has no summary.
func (n *negatives) remember(key string, err *SummaryError) {
	if key == "" {
		return
	}
	kept := *err
	kept.Text, kept.Remembered = Text{}, true
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.bad) >= maxNegatives {
		n.sweep()
	}
	n.bad[key] = negative{err: kept, until: n.now().Add(n.age)}
}

// recall returns a copy of the error remembered for a key, or nil.
func (n *negatives) recall(key string) *SummaryError {
	if key == "" {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	got, ok := n.bad[key]
	if !ok {
		return nil
	}
	if !n.now().Before(got.until) {
		delete(n.bad, key)
		return nil
	}
	err := got.err
	return &err
}

// sweep drops what is too old, and when nothing is, the one that ends first.
func (n *negatives) sweep() {
	now, oldest := n.now(), ""
	for key, v := range n.bad {
		if !now.Before(v.until) {
			delete(n.bad, key)
		} else if oldest == "" || v.until.Before(n.bad[oldest].until) {
			oldest = key
		}
	}
	if len(n.bad) >= maxNegatives {
		delete(n.bad, oldest)
	}
}
