package compaction

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tidemark/internal/provider"
)

// A failure is shared: those in line do not buy it again, one after the other.
func TestFlight_FailureIsShared(t *testing.T) {
	for _, a := range []answer{fails(provider.ClassServerError, 0), says("", provider.StopRefusal)} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(func(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) {
				time.Sleep(time.Second)
				a(ctx, req, yield)
			})
			p := r.prepare(t, testJob())
			var outs []<-chan result
			for range 10 {
				outs = append(outs, r.ask(t.Context(), p, nil))
			}
			calls, remembered := 0, 0
			for _, out := range outs {
				var se *SummaryError
				require.ErrorAs(t, (<-out).err, &se)
				calls += len(se.Text.Calls)
				if se.Remembered {
					remembered++
				}
			}
			require.Equal(t, r.model.Calls(), calls)
			require.Equal(t, 9, remembered)
		})
	}
}

// Each asker judges for itself; a payer that lost interest costs the others nothing.
func TestFlight_EachJudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(slow(honest))
		p := r.prepare(t, testJob())
		first := r.ask(t.Context(), p, func(string) error { return &VerdictError{GateVerdict{Reason: string(ReasonStaleVersion)}} })
		synctest.Wait()
		second := r.ask(t.Context(), p, func(string) error { return errors.New("no valid view") })
		third := r.ask(t.Context(), p, nil)
		var se *SummaryError
		require.ErrorAs(t, (<-first).err, &se)
		require.Equal(t, ReasonStaleVersion, se.Reason)
		require.Len(t, se.Text.Calls, 1, "the payer pays all the same")
		require.ErrorContains(t, (<-second).err, "no valid view")
		res := <-third
		require.NoError(t, res.err)
		require.True(t, res.text.CacheHit)
		require.Equal(t, honest, r.cache.all()[p.Key].Text, "written by the first that accepted it")
		require.Equal(t, 1, r.model.Calls())
	})
}

// Askers come, leave and time out at random: each call is billed exactly once, and nothing is left over.
func TestFlight_Storm(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	r := newRig(func(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) {
		select {
		case <-time.After(time.Millisecond):
			ends(honest)(ctx, req, yield)
		case <-ctx.Done():
			yield(nil, provider.AsError(ctx.Err()))
		}
	})
	r.cache.rows = nil
	var wg sync.WaitGroup
	var mu sync.Mutex
	billed := 0
	for i := range 200 {
		job := testJob()
		job.Rows = testSpan(4 + i%3)
		job.MaxTokens = 1000 + i/20 // new keys as time goes by
		job.Timeout = time.Duration(1+i%5) * 400 * time.Microsecond
		p := r.prepare(t, job)
		wg.Go(func() {
			got, _ := r.Summarize(t.Context(), p, nil, func(string) {})
			mu.Lock()
			defer mu.Unlock()
			billed += len(got.Calls)
		})
	}
	wg.Wait()
	require.Equal(t, r.model.Calls(), billed)
	require.Empty(t, r.flights.open)
}
