package provider

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// script plays one error after another, nil at the end, and notes when each attempt began.
type script struct {
	errs     []*Error
	accepted bool
	began    []time.Duration
	start    time.Time
}

func (s *script) attempt(_ context.Context, n int) (bool, *Error) {
	s.began = append(s.began, time.Since(s.start))
	if n > len(s.errs) {
		return true, nil
	}
	return s.accepted, s.errs[n-1]
}

func fail(class ErrorClass, after time.Duration) *Error {
	return &Error{Class: class, RetryAfter: after}
}

// steady is the policy without jitter.
func steady() RetryPolicy {
	p := DefaultRetryPolicy()
	p.Jitter = 0
	return p
}

func TestRetry_Waits(t *testing.T) {
	rate, down, cut := fail(ClassRateLimit, 0), fail(ClassServerError, 0), fail(ClassNetwork, 0)
	for _, tc := range []struct {
		name string
		errs []*Error
		want []time.Duration // when each attempt begins
		ok   bool
	}{
		{"at once", nil, []time.Duration{0}, true},
		{"second", []*Error{rate}, []time.Duration{0, time.Second}, true},
		{"third", []*Error{down, cut}, []time.Duration{0, time.Second, 3 * time.Second}, true},
		{"given up", []*Error{rate, rate, rate}, []time.Duration{0, time.Second, 3 * time.Second}, false},
		{"retry after", []*Error{fail(ClassRateLimit, 7*time.Second)}, []time.Duration{0, 7 * time.Second}, true},
		{"retry after at most a minute", []*Error{fail(ClassRateLimit, time.Hour)}, []time.Duration{0, time.Minute}, true},
		{"auth", []*Error{fail(ClassAuth, 0)}, []time.Duration{0}, false},
		{"overflow", []*Error{fail(ClassContextOverflow, time.Second)}, []time.Duration{0}, false},
		{"invalid", []*Error{fail(ClassInvalidRequest, 0)}, []time.Duration{0}, false},
		{"cancelled", []*Error{fail(ClassCancelled, 0)}, []time.Duration{0}, false},
		{"other", []*Error{fail(ClassOther, 0)}, []time.Duration{0}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := script{errs: tc.errs, start: time.Now()}
				err := Retry(t.Context(), steady(), s.attempt)
				require.Equal(t, tc.ok, err == nil)
				require.Equal(t, tc.want, s.began)
				if !tc.ok {
					require.Same(t, tc.errs[len(tc.errs)-1], err)
				}
			})
		})
	}
}

// A call is never repeated once something of it was shown, and never more often than the policy says (case B30).
func TestRetry_NotAfterOutput(t *testing.T) {
	s := script{errs: []*Error{fail(ClassNetwork, 0)}, accepted: true}
	require.NotNil(t, Retry(t.Context(), steady(), s.attempt))
	require.Len(t, s.began, 1)
}

func TestRetry_NoExtraAttempts(t *testing.T) {
	s := script{errs: []*Error{fail(ClassNetwork, 0)}}
	require.NotNil(t, Retry(t.Context(), RetryPolicy{}, s.attempt))
	require.Len(t, s.began, 1)
}

func TestRetry_Jitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := make(map[time.Duration]bool)
		for range 50 {
			s := script{errs: []*Error{fail(ClassNetwork, 0)}, start: time.Now()}
			require.Nil(t, Retry(t.Context(), DefaultRetryPolicy(), s.attempt))
			wait := s.began[1]
			require.InDelta(t, float64(time.Second), float64(wait), float64(250*time.Millisecond)+1)
			seen[wait] = true
		}
		require.Greater(t, len(seen), 10)
	})
}

func TestRetry_CancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Millisecond, cancel)
		s := script{errs: []*Error{fail(ClassRateLimit, 30*time.Second)}, start: time.Now()}
		err := Retry(ctx, steady(), s.attempt)
		require.Equal(t, ClassCancelled, err.Class)
		require.Equal(t, 500*time.Millisecond, time.Since(s.start))
	})
}

// Waiting that cannot end in time is not begun (case B93); the provider's own error stays.
func TestRetry_Deadline(t *testing.T) {
	for _, dynamic := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, p := t.Context(), steady()
			end := time.Now().Add(20 * time.Second)
			if dynamic {
				p.Deadline = func() (time.Time, bool) { return end, true }
			} else {
				var cancel context.CancelFunc
				ctx, cancel = context.WithDeadline(ctx, end)
				defer cancel()
			}
			s := script{errs: []*Error{fail(ClassRateLimit, 15*time.Second), fail(ClassRateLimit, 15*time.Second)}, start: time.Now()}
			err := Retry(ctx, p, s.attempt)
			require.Equal(t, ClassRateLimit, err.Class)
			require.Equal(t, []time.Duration{0, 15 * time.Second}, s.began)
			require.Equal(t, 15*time.Second, time.Since(s.start))
		})
	}
}

func TestRetry_DeadlineDuringAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := Retry(ctx, steady(), func(ctx context.Context, _ int) (bool, *Error) {
			<-ctx.Done()
			return false, AsError(ctx.Err())
		})
		require.Equal(t, ClassNetwork, err.Class)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
	})
}

func TestRetry_OnWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := steady()
		var waits []time.Duration
		p.OnWait = func(err *Error, n int, wait time.Duration) {
			require.Equal(t, ClassServerError, err.Class)
			require.Len(t, waits, n-1)
			waits = append(waits, wait)
		}
		down := fail(ClassServerError, 0)
		Retry(t.Context(), p, (&script{errs: []*Error{down, down, down}}).attempt)
		require.Equal(t, []time.Duration{time.Second, 2 * time.Second}, waits)
	})
}

func TestContextError(t *testing.T) {
	require.Nil(t, ContextError(t.Context()))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	require.Equal(t, ClassNetwork, ContextError(ctx).Class)
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(errors.New("a newer one"))
	require.Equal(t, ClassCancelled, ContextError(ctx).Class)
}
