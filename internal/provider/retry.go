package provider

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// RetryPolicy says how often and how patiently a call is tried again (requirements C8.2).
type RetryPolicy struct {
	Extra         int           // attempts after the first; 0 = none
	Initial       time.Duration // first wait; doubles each time
	Max           time.Duration // the longest wait, before jitter
	Jitter        float64       // waits vary by this share in both directions
	MaxRetryAfter time.Duration // a provider's own retry-after is honoured up to this

	// Deadline bounds the waiting; nil is the deadline of the context. A call that several callers wait for has none in
	// its context.
	Deadline func() (time.Time, bool)
	// OnWait hears of each wait before it begins.
	OnWait func(err *Error, attempt int, wait time.Duration)
}

// DefaultRetryPolicy is requirements C8.2: three attempts in all, waits of 1 s and 2 s give or take a quarter.
func DefaultRetryPolicy() RetryPolicy {
	return RetryPolicy{
		Extra: 2, Initial: time.Second, Max: 30 * time.Second, Jitter: 0.25, MaxRetryAfter: time.Minute,
	}
}

// Attempt makes one call. n counts from 1. accepted says that some of its output was passed on: what was shown cannot be
// taken back, so such a call is never repeated (spec 7.2).
type Attempt func(ctx context.Context, n int) (accepted bool, err *Error)

// Retry calls attempt until it succeeds, fails for good, or the policy is used up, and returns nil or the error of the
// last attempt. A context that ends while it waits ends it at once: cancelled gives class cancelled, a passed deadline
// the error it was waiting to repeat. A retry-after that would pass the deadline is not begun.
func Retry(ctx context.Context, p RetryPolicy, attempt Attempt) *Error {
	var last *Error
	n := 0
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		n++
		accepted, err := attempt(ctx, n)
		if last = err; err == nil {
			return struct{}{}, nil
		}
		return struct{}{}, p.sort(ctx, err, accepted)
	}, p.options(ctx, func(wait time.Duration) {
		if p.OnWait != nil {
			p.OnWait(last, n, wait)
		}
	})...)
	if err == nil {
		return nil
	}
	ended := ContextError(ctx)
	if ended != nil && ended.Class == ClassCancelled && last.Class != ClassCancelled {
		return ended // what the attempt before was billed for is its own, and was told to attempt
	}
	return last
}

// sort tells backoff whether to go on, and when.
func (p RetryPolicy) sort(ctx context.Context, err *Error, accepted bool) error {
	if accepted || !err.Retryable() || ctx.Err() != nil {
		return backoff.Permanent(err)
	}
	if err.RetryAfter <= 0 {
		return err
	}
	wait := min(err.RetryAfter, p.MaxRetryAfter)
	if end, ok := p.deadline(ctx); ok && !time.Now().Add(wait).Before(end) {
		return backoff.Permanent(err)
	}
	return &backoff.RetryAfterError{Duration: wait}
}

func (p RetryPolicy) deadline(ctx context.Context) (time.Time, bool) {
	if p.Deadline != nil {
		return p.Deadline()
	}
	return ctx.Deadline()
}

func (p RetryPolicy) options(ctx context.Context, onWait func(time.Duration)) []backoff.RetryOption {
	limit := time.Duration(0) // none; a deadline that may still move ends the context when it comes
	if end, ok := ctx.Deadline(); ok && p.Deadline == nil {
		limit = max(time.Until(end), 1)
	}
	return []backoff.RetryOption{
		backoff.WithMaxTries(uint(max(p.Extra, 0)) + 1),
		backoff.WithMaxElapsedTime(limit),
		backoff.WithNotify(func(_ error, wait time.Duration) { onWait(wait) }),
		backoff.WithBackOff(&backoff.ExponentialBackOff{
			InitialInterval: p.Initial, MaxInterval: p.Max, Multiplier: 2, RandomizationFactor: p.Jitter,
		}),
	}
}

// ContextError is the *Error of a context that ended, by its cause where that says more, and nil for a live one.
func ContextError(ctx context.Context) *Error {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return AsError(cause)
	}
	return AsError(ctx.Err())
}
