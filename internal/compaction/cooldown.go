package compaction

import (
	"context"
	"sync"
	"time"

	"tidemark/internal/provider"
)

// cooldowns is the one shared limiter of all summarization calls (case B93): when a provider says how long to wait, no
// session asks that model again before, so that many sessions do not retry in a burst.
type cooldowns struct {
	mu    sync.Mutex
	until map[string]coldUntil
}

type coldUntil struct {
	at  time.Time
	err *provider.Error
}

func newCooldowns() *cooldowns { return &cooldowns{until: make(map[string]coldUntil)} }

// note remembers a rate limit's retry-after, at most limit.
func (c *cooldowns) note(model string, err *provider.Error, limit time.Duration) {
	if err.Class != provider.ClassRateLimit || err.RetryAfter <= 0 {
		return
	}
	at := time.Now().Add(min(err.RetryAfter, limit))
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.until[model].at) {
		c.until[model] = coldUntil{at, err}
	}
}

// wait returns when the model may be asked. When that is past the deadline it gives up at once, with the error that the
// provider gave and without a call.
func (c *cooldowns) wait(ctx context.Context, model string, deadline func() (time.Time, bool)) *provider.Error {
	c.mu.Lock()
	cold := c.until[model]
	c.mu.Unlock()
	left := time.Until(cold.at)
	if left <= 0 {
		return provider.ContextError(ctx)
	}
	if end, ok := deadline(); ok && !cold.at.Before(end) {
		return &provider.Error{
			Class: provider.ClassRateLimit, Status: cold.err.Status, Message: cold.err.Message, RetryAfter: left,
		}
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return provider.ContextError(ctx)
	}
}
