package compaction

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// Only what the model says in answer is a summary: an empty answer never turns into an older one.
func TestCaseB31_EmptyAnswerIsNotReplaced(t *testing.T) {
	r := newRig(ends(""))
	err := r.fail(t, r.prepare(t, testJob()))
	require.Equal(t, ReasonSemanticEmpty, err.Reason)
	require.Empty(t, err.Text.Text)
}

// Usage present, text absent.
func TestCaseB33_BlankSummary(t *testing.T) {
	r := newRig(ends("\n \n"))
	err := r.fail(t, r.prepare(t, testJob()))
	require.Equal(t, FailValidationFailed, err.Mode)
	require.Equal(t, 1000, err.Text.Calls[0].Usage.Input)
	require.Equal(t, "0.002", err.Text.Calls[0].CostUSD.String())
}

// No retry with a larger cap: one call, turned down.
func TestCaseB34_CutOffAtTheCap(t *testing.T) {
	r := newRig(says(honest, provider.StopMaxTokens))
	require.Equal(t, ReasonSemanticTruncated, r.fail(t, r.prepare(t, testJob())).Reason)
	require.Equal(t, 1, r.model.Calls())
}

// No second model and no smaller input: one call with the whole span.
func TestCaseB36_Refusal(t *testing.T) {
	r := newRig(says("", provider.StopRefusal))
	p := r.prepare(t, testJob())
	require.Contains(t, r.fail(t, p).Message, "refused")
	require.Len(t, r.model.asked, 1)
	require.Equal(t, p.Request.Messages, r.model.asked[0].Messages)
}

func TestCaseB39_ToolCallIsAFailure(t *testing.T) {
	r := newRig(callsTool)
	require.Contains(t, r.fail(t, r.prepare(t, testJob())).Message, "tool")
	require.Empty(t, r.model.asked[0].Tools)
}

func TestCaseB40_LargerThanTheSource(t *testing.T) {
	job := testJob()
	job.Rows = job.Rows[:4]
	source := job.sourceTokens()
	for _, tc := range []struct {
		tokens int
		ok     bool
	}{{source * 10, false}, {source, false}, {source / 3, true}, {source/3 + 1, false}} {
		r := newRig(long(tc.tokens))
		_, err := r.Summarize(t.Context(), r.prepare(t, job), nil, nil)
		require.Equal(t, tc.ok, err == nil, "%d of %d", tc.tokens, source)
	}
}

// Every prohibition is asked for word for word, and demanded by the gate.
func TestCaseB45_ProhibitionWordForWord(t *testing.T) {
	fact := newFact(ClassUserConstraint, "Do not push and do not open a PR.", 1)
	job := testJob()
	job.Facts = []Fact{fact}
	p := newRig(ends(honest)).prepare(t, job)
	require.Contains(t, rendered(p.Request.Messages), "\n- Do not push and do not open a PR.\n")

	span := message.Span{Start: 0, End: 9}
	in := GateInput{Stop: provider.StopEndTurn, SpanTokens: 900, TokensOut: 9, Span: span, Expect: span, Facts: job.Facts}
	in.Text = "The user said: do not push."
	require.Equal(t, string(RetentionDrop(ClassUserConstraint)), Gate(in).Reason)
	in.Text = "The user said: \"Do not push and do not open a PR.\""
	require.True(t, Gate(in).Accepted)
}

// What only an older summary knows reaches the fold's request, and its key.
func TestCaseB43_ParentsAreMandatory(t *testing.T) {
	job := testJob()
	job.Rows, job.Parents, job.PromptVersion = nil, []string{strings.Repeat("The port is 7431. ", 40), "Newer work."}, PromptVersionFor("1.0.0", false, true)
	r := newRig(ends(honest))
	p := r.prepare(t, job)
	require.Contains(t, rendered(p.Request.Messages), "The port is 7431.")
	require.Contains(t, rendered(p.Request.Messages), "merge them into one summary")
	job.Parents = job.Parents[:1]
	require.NotEqual(t, p.Key, r.prepare(t, job).Key)
	_, err := r.Summarize(t.Context(), p, nil, nil)
	require.NoError(t, err)
	require.Equal(t, 2, r.cache.all()[p.Key].SpanMessageCount)
}

// Overload in the middle: retry-after is honoured within the deadline, and what cannot be in time is not waited for.
func TestCaseB93_OverloadWithinTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fails(provider.ClassRateLimit, 50*time.Second))
		job := testJob()
		job.Timeout = 80 * time.Second
		start := time.Now()
		err := r.fail(t, r.prepare(t, job))
		require.Equal(t, provider.ClassRateLimit, err.Class)
		require.Len(t, err.Text.Calls, 2)
		require.Equal(t, 50*time.Second, time.Since(start))
	})
}

// Many sessions do not retry in a burst: while a model asked to be left alone, none of them calls it.
func TestCaseB93_OneSharedLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fails(provider.ClassRateLimit, 20*time.Second), ends(honest))
		done := make(chan error)
		start := time.Now()
		ask := func(n int) {
			job := testJob()
			job.Rows = testSpan(n)
			_, err := r.Summarize(t.Context(), r.prepare(t, job), nil, nil)
			done <- err
		}
		go ask(5)
		synctest.Wait()
		for n := range 9 {
			go ask(6 + n)
		}
		synctest.Wait()
		require.Equal(t, 1, r.model.Calls())
		for range 10 {
			require.NoError(t, <-done)
		}
		require.Equal(t, 11, r.model.Calls())
		require.Equal(t, 20*time.Second, time.Since(start))

		late := testJob() // a job that cannot wait that long fails at once, without a call
		late.Rows, late.Timeout = testSpan(30), 5*time.Second
		r.model.answers = []answer{fails(provider.ClassRateLimit, 30*time.Second)}
		r.fail(t, r.prepare(t, late))
		calls := r.model.Calls()
		err := r.fail(t, r.prepare(t, late))
		require.Equal(t, provider.ClassRateLimit, err.Class)
		require.Empty(t, err.Text.Calls)
		require.Equal(t, calls, r.model.Calls())
	})
}

// Stop during the call ends it, at once, as cancelled; no text is heard afterwards.
func TestCaseB87_Cancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		gone := false
		r := newRig(hangs("The user"))
		p := r.prepare(t, testJob())
		time.AfterFunc(3*time.Second, cancel)
		start := time.Now()
		_, err := r.Summarize(ctx, p, nil, func(string) { require.False(t, gone) })
		gone = true
		var se *SummaryError
		require.ErrorAs(t, err, &se)
		require.Equal(t, FailAdapterError, se.Mode)
		require.Equal(t, provider.ClassCancelled, se.Class)
		require.Equal(t, ReasonSemanticCancelled, se.Reason)
		require.Equal(t, 3*time.Second, time.Since(start))
		require.Len(t, se.Text.Calls, 1, "what it used is billed")
		require.False(t, se.Text.Calls[0].CostUSD.IsZero())
		require.Empty(t, r.cache.all())
	})
}

func TestSummarizer_CancelledBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := newRig(ends(honest))
	_, err := r.Summarize(ctx, r.prepare(t, testJob()), nil, nil)
	var se *SummaryError
	require.ErrorAs(t, err, &se)
	require.Equal(t, provider.ClassCancelled, se.Class)
	require.Zero(t, r.model.Calls())
}

// Errors of a provider are redacted before anybody stores or shows them.
func TestSummarizer_ErrorsAreRedacted(t *testing.T) {
	r := newRig(func(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
		yield(nil, &provider.Error{Class: provider.ClassAuth, Message: "bad key sk-ant-api03-Zx81kQpLw93mNvB7aa01 of joe@example.org"})
	})
	err := r.fail(t, r.prepare(t, testJob()))
	require.NotContains(t, err.Message, "Zx81")
	require.NotContains(t, err.Message, "joe@")
}
