package sim

import (
	"time"

	"tidemark/internal/message"
)

// cacheEntries bounds the entries of one session: three marks a call, and calls of the last five minutes.
const cacheEntries = 256

// promptCache is what a provider keeps of one session's prompts: the places that carried a cache mark, each until its
// TTL has passed since its last use (spec 7.6). Hits are looked for at every block, not only at the twenty before a
// mark as Anthropic does, so that a step with many parallel calls is not a special case.
type promptCache struct {
	entries map[uint64]cacheEntry
	clock   uint64
}

// cacheEntry orders by use count where two uses share a time, as they do under an injected clock.
type cacheEntry struct {
	used  time.Time
	order uint64
}

// ask reads the longest cached prefix and writes up to the last mark, and returns the disjoint buckets of spec 7.3.
// Prefixes below the model's minimum are neither read nor written; such a mark is silently ignored.
func (c *promptCache) ask(p *prompt, minTokens int, now time.Time, ttl time.Duration) message.Usage {
	c.expire(now, ttl)
	read := c.longest(p.marks, now)
	written := 0
	for _, i := range p.cached {
		m := p.marks[i]
		if tokens := message.FallbackTokens(m.units); tokens >= minTokens {
			c.use(m.hash, now)
			written = max(written, tokens-read)
		}
	}
	return message.Usage{Input: p.tokens() - read - written, CacheRead: read, CacheWrite5m: written}
}

// longest finds the newest cached block end, refreshes it and returns its tokens.
func (c *promptCache) longest(marks []mark, now time.Time) int {
	for i := len(marks) - 1; i >= 0; i-- {
		if _, ok := c.entries[marks[i].hash]; ok {
			c.use(marks[i].hash, now)
			return message.FallbackTokens(marks[i].units)
		}
	}
	return 0
}

func (c *promptCache) use(hash uint64, now time.Time) {
	if c.entries == nil {
		c.entries = make(map[uint64]cacheEntry)
	}
	c.clock++
	c.entries[hash] = cacheEntry{now, c.clock}
	if len(c.entries) > cacheEntries {
		c.evictOldest()
	}
}

// expire drops what was not used for the TTL. An entry used exactly that long ago is gone.
func (c *promptCache) expire(now time.Time, ttl time.Duration) {
	for hash, e := range c.entries {
		if now.Sub(e.used) >= ttl {
			delete(c.entries, hash)
		}
	}
}

func (c *promptCache) evictOldest() {
	var oldest uint64
	var least uint64
	for hash, e := range c.entries {
		if least == 0 || e.order < least {
			oldest, least = hash, e.order
		}
	}
	delete(c.entries, oldest)
}
