package sim

import (
	"testing"
	"time"
)

// However many calls come within the TTL, a session's cache stays bounded, and what it drops is the oldest.
func TestPromptCache_Bounded(t *testing.T) {
	var c promptCache
	now := time.Unix(0, 0)
	for i := range uint64(10 * cacheEntries) {
		p := prompt{marks: []mark{{hash: i, units: 30_000}}, cached: []int{0}}
		if u := c.ask(&p, 1, now, time.Minute); u.CacheRead != 0 || u.CacheWrite5m != 10_000 {
			t.Fatalf("call %d: %+v", i, u)
		}
	}
	if len(c.entries) != cacheEntries {
		t.Errorf("%d entries", len(c.entries))
	}
	newest := prompt{marks: []mark{{hash: 10*cacheEntries - 1, units: 30_000}}, cached: []int{0}}
	if u := c.ask(&newest, 1, now, time.Minute); u.CacheRead != 10_000 {
		t.Errorf("the newest entry is gone: %+v", u)
	}
}

func TestReadPrompt_FramesItsParts(t *testing.T) {
	a := reader{}
	a.digest.Reset()
	a.part('x', "ab")
	a.part('x', "c")
	b := reader{}
	b.digest.Reset()
	b.part('x', "a")
	b.part('x', "bc")
	if a.digest.Sum64() == b.digest.Sum64() {
		t.Error("two prompts that differ only in where a block ends hash alike")
	}
}
