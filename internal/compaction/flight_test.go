package compaction

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// slow streams the text in pieces, one a second, and stops when its context ends.
func slow(pieces ...string) answer {
	return func(ctx context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
		for _, p := range pieces {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				yield(nil, provider.AsError(ctx.Err()))
				return
			}
			if !yield(provider.TextDelta{Text: p}, nil) {
				return
			}
		}
		yield(provider.Done{
			Blocks: message.Blocks{message.Text{Text: strings.Join(pieces, "")}}, Stop: provider.StopEndTurn,
			Usage: message.Usage{Input: 1000, Output: 200},
		}, nil)
	}
}

// result of one asker.
type result struct {
	text  Text
	err   error
	heard string
}

// ask starts an asker in a goroutine and returns where its result comes.
func (r *rig) ask(ctx context.Context, p Prepared, accept func(string) error) <-chan result {
	out := make(chan result, 1)
	go func() {
		var res result
		res.text, res.err = r.Summarize(ctx, p, accept, func(s string) { res.heard += s })
		out <- res
	}()
	return out
}

func TestFlight_HundredAskersOneCall(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	release := make(chan struct{})
	r := newRig(func(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) {
		<-release
		ends(honest)(ctx, req, yield)
	})
	p := r.prepare(t, testJob())
	var wg sync.WaitGroup
	results := make([]result, 100)
	for i := range results {
		wg.Go(func() { results[i].text, results[i].err = r.Summarize(t.Context(), p, nil, nil) })
	}
	close(release)
	wg.Wait()
	paid, hits := 0, 0
	for _, res := range results {
		require.NoError(t, res.err)
		require.Equal(t, honest, res.text.Text)
		paid += len(res.text.Calls)
		if res.text.CacheHit {
			hits++
			require.Empty(t, res.text.Calls)
		}
	}
	require.Equal(t, 1, paid)
	require.Equal(t, 99, hits)
	require.Equal(t, 1, r.model.Calls())
	require.Equal(t, 1, r.cache.writes)
	require.Equal(t, 100, r.cache.all()[p.Key].UseCount, "one write and 99 hits, counted exactly")
	require.Empty(t, r.flights.open)
}

func TestFlight_DifferentKeysDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(slow(honest))
		start := time.Now()
		var outs []<-chan result
		for n := range 5 {
			job := testJob()
			job.Rows = testSpan(n + 5)
			outs = append(outs, r.ask(t.Context(), r.prepare(t, job), nil))
		}
		for range 2 { // nor do jobs without a key
			job := testJob()
			job.NoCache = true
			outs = append(outs, r.ask(t.Context(), r.prepare(t, job), nil))
		}
		for _, out := range outs {
			require.NoError(t, (<-out).err)
		}
		require.Equal(t, 7, r.model.Calls())
		require.Equal(t, time.Second, time.Since(start))
	})
}

// Cancelling the payer hands the running call to the next in line: nothing is bought twice, and the one who gets the
// text also gets the bill.
func TestFlight_PayerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(slow(honest[:10], honest[10:20], honest[20:]))
		p := r.prepare(t, testJob())
		ctx, cancel := context.WithCancel(t.Context())
		first := r.ask(ctx, p, nil)
		synctest.Wait()
		second := r.ask(t.Context(), p, nil)
		third := r.ask(t.Context(), p, nil)
		time.Sleep(1500 * time.Millisecond)
		cancel()
		gone := <-first
		var se *SummaryError
		require.ErrorAs(t, gone.err, &se)
		require.Equal(t, provider.ClassCancelled, se.Class)
		require.Empty(t, se.Text.Calls)
		require.Equal(t, honest[:10], gone.heard)

		a, b := <-second, <-third
		require.NoError(t, a.err)
		require.NoError(t, b.err)
		if a.text.CacheHit {
			a, b = b, a
		}
		require.Len(t, a.text.Calls, 1)
		require.Equal(t, honest[10:], a.heard, "the new payer hears the rest")
		require.True(t, b.text.CacheHit)
		require.Empty(t, b.heard)
		require.Equal(t, 1, r.model.Calls())
	})
}

// A payer whose time is up leaves too; the call goes on for those who have more.
func TestFlight_PayersTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(slow(honest[:10], honest[10:20], honest[20:]))
		hasty := testJob()
		hasty.Timeout = 2500 * time.Millisecond
		first := r.ask(t.Context(), r.prepare(t, hasty), nil)
		synctest.Wait()
		second := r.ask(t.Context(), r.prepare(t, testJob()), nil)
		var se *SummaryError
		require.ErrorAs(t, (<-first).err, &se)
		require.Equal(t, ReasonSemanticTimeout, se.Reason)
		res := <-second
		require.NoError(t, res.err)
		require.Len(t, res.text.Calls, 1)
	})
}

func TestFlight_WaiterLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(slow(honest))
		p := r.prepare(t, testJob())
		first := r.ask(t.Context(), p, nil)
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		second := r.ask(ctx, p, nil)
		synctest.Wait()
		cancel()
		require.Error(t, (<-second).err)
		res := <-first
		require.NoError(t, res.err)
		require.Len(t, res.text.Calls, 1)
	})
}

// The last to leave cancels the call and pays for what it used; whoever comes after starts anew.
func TestFlight_AllLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(slow(honest[:10], honest[10:]), ends(honest))
		p := r.prepare(t, testJob())
		ctx, cancel := context.WithCancel(t.Context())
		outs := []<-chan result{r.ask(ctx, p, nil), r.ask(ctx, p, nil), r.ask(ctx, p, nil)}
		time.Sleep(1500 * time.Millisecond)
		cancel()
		calls := 0
		for _, out := range outs {
			var se *SummaryError
			require.ErrorAs(t, (<-out).err, &se)
			require.Equal(t, provider.ClassCancelled, se.Class)
			calls += len(se.Text.Calls)
		}
		require.Equal(t, 1, calls, "one of them pays")
		require.Empty(t, r.cache.all())
		got, err := r.Summarize(t.Context(), p, nil, nil)
		require.NoError(t, err)
		require.Len(t, got.Calls, 1)
	})
}
