package compaction

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/provider"
)

// callsTool answers with a call beside some text.
func callsTool(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
	yield(provider.Done{
		Blocks: message.Blocks{message.Text{Text: honest}, message.ToolUse{ID: "t1", Name: "bash", Input: []byte(`{}`)}},
		Stop:   provider.StopToolUse, Usage: message.Usage{Input: 1000, Output: 50},
	}, nil)
}

// endsQuietly closes the stream without its last chunk.
func endsQuietly(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
	yield(provider.TextDelta{Text: "The user wan"}, nil)
}

// isCut fails after some text, as a broken connection does.
func isCut(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
	if yield(provider.TextDelta{Text: "The user wan"}, nil) {
		yield(nil, &provider.Error{Class: provider.ClassNetwork, Message: "unexpected EOF"})
	}
}

// reportsNothing answers without usage.
func reportsNothing(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
	yield(provider.Done{Blocks: message.Blocks{message.Text{Text: honest}}, Stop: provider.StopEndTurn}, nil)
}

func thinksOnly(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
	yield(provider.ThinkingDelta{Text: "hm"}, nil)
	yield(provider.Done{
		Blocks: message.Blocks{message.Thinking{Thinking: "hm"}}, Stop: provider.StopEndTurn,
		Usage: message.Usage{Input: 1000, Output: 20, Reasoning: 20},
	}, nil)
}

func long(tokens int) answer { return ends(strings.Repeat("abc", tokens)) }

// The fault kit: what comes back in place of a summary, and what becomes of it (spec 4.5, 4.6).
func TestSummarizer_Faults(t *testing.T) {
	const validation, adapter = FailValidationFailed, FailAdapterError
	for _, tc := range []struct {
		name     string
		answers  []answer
		mode     FailureMode
		reason   Reason
		class    provider.ErrorClass
		calls    int
		remember bool
	}{
		{"empty", []answer{ends("")}, validation, ReasonSemanticEmpty, "", 1, true},
		{"whitespace", []answer{ends(" \n\t\u2003")}, validation, ReasonSemanticEmpty, "", 1, true},
		{"thinking alone", []answer{thinksOnly}, validation, ReasonSemanticEmpty, "", 1, true},
		{"refusal", []answer{says("I can't help with that.", provider.StopRefusal)}, validation, ReasonSemanticUnclassifiable, "", 1, true},
		{"max_tokens", []answer{says(honest, provider.StopMaxTokens)}, validation, ReasonSemanticTruncated, "", 1, true},
		{"no stop reason", []answer{says(honest, "")}, validation, ReasonSemanticTruncated, "", 1, true},
		{"stop sequence", []answer{says(honest, provider.StopSequence)}, validation, ReasonSemanticUnclassifiable, "", 1, true},
		{"pause", []answer{says(honest, provider.StopPauseTurn)}, validation, ReasonSemanticUnclassifiable, "", 1, true},
		{"tool call", []answer{callsTool}, validation, ReasonSemanticUnclassifiable, "", 1, true},
		{"longer than the span", []answer{long(5000)}, validation, ReasonSemanticRatioExceeded, "", 1, true},
		{"longer than a third of it", []answer{long(1500)}, validation, ReasonSemanticRatioExceeded, "", 1, true},
		{"cut", []answer{isCut}, adapter, ReasonSemanticProviderError, provider.ClassNetwork, 1, false},
		{"no last chunk", []answer{endsQuietly}, adapter, ReasonSemanticProviderError, provider.ClassNetwork, 1, false},
		{"rate limit", []answer{fails(provider.ClassRateLimit, 0)}, adapter, ReasonSemanticProviderError, provider.ClassRateLimit, 3, false},
		{"rate limit with retry-after", []answer{fails(provider.ClassRateLimit, 5*time.Second)}, adapter, ReasonSemanticProviderError, provider.ClassRateLimit, 3, false},
		{"overload", []answer{fails(provider.ClassServerError, 0)}, adapter, ReasonSemanticProviderError, provider.ClassServerError, 3, false},
		{"no balance", []answer{fails(provider.ClassInvalidRequest, 0)}, adapter, ReasonSemanticProviderError, provider.ClassInvalidRequest, 1, false},
		{"bad key", []answer{fails(provider.ClassAuth, 0)}, adapter, ReasonSemanticProviderError, provider.ClassAuth, 1, false},
		{"overflow", []answer{fails(provider.ClassContextOverflow, 0)}, adapter, ReasonSemanticProviderError, provider.ClassContextOverflow, 1, false},
		{"hang", []answer{hangs("")}, adapter, ReasonSemanticTimeout, provider.ClassNetwork, 1, false},
		{"hang after text", []answer{hangs("The user")}, adapter, ReasonSemanticTimeout, provider.ClassNetwork, 1, false},
		{"rate limit, then empty", []answer{fails(provider.ClassRateLimit, 0), ends("")}, validation, ReasonSemanticEmpty, "", 2, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(tc.answers...)
				p := r.prepare(t, testJob())
				err := r.fail(t, p)
				require.Equal(t, tc.mode, err.Mode)
				require.Equal(t, tc.reason, err.Reason)
				require.Equal(t, tc.class, err.Class)
				require.NotEmpty(t, err.Message)
				require.False(t, err.Remembered)
				require.Len(t, err.Text.Calls, tc.calls)
				require.Equal(t, tc.calls, r.model.Calls())
				require.Empty(t, r.cache.all())
				for i, c := range err.Text.Calls {
					require.Equal(t, i+1, c.Attempt)
					require.NotNil(t, c.CostUSD)
				}
				if !tc.remember {
					return
				}
				again := r.fail(t, p)
				require.True(t, again.Remembered)
				require.Equal(t, tc.reason, again.Reason)
				require.Empty(t, again.Text.Calls)
				require.Equal(t, tc.calls, r.model.Calls())
			})
		})
	}
}

func TestSummarizer_RetriesThenSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fails(provider.ClassRateLimit, 7*time.Second), fails(provider.ClassServerError, 0), ends(honest))
		got, err := r.Summarize(t.Context(), r.prepare(t, testJob()), nil, nil)
		require.NoError(t, err)
		require.Equal(t, honest, got.Text)
		require.Len(t, got.Calls, 3)
		require.Equal(t, provider.ClassRateLimit, got.Calls[0].Err.Class)
		require.True(t, got.Calls[0].CostUSD.IsZero())
		require.Nil(t, got.Calls[2].Err)
		require.GreaterOrEqual(t, got.Latency, 7750*time.Millisecond)
		require.Equal(t, 7*time.Second, got.Calls[1].StartedAt.Sub(got.Calls[0].StartedAt))
	})
}

// What a failed or cancelled call used is in the ledger too, reported or estimated (spec 7.2, 7.3).
func TestSummarizer_CallsThatUsedTokensAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		billed := func(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
			yield(nil, &provider.Error{
				Class: provider.ClassServerError, Message: "overloaded", RequestID: "req_9", Usage: message.Usage{Input: 700},
			})
		}
		r := newRig(billed, hangs("The user wants"))
		p := r.prepare(t, testJob())
		err := r.fail(t, p)
		calls := err.Text.Calls
		require.Len(t, calls, 2)
		require.Equal(t, "req_9", calls[0].RequestID)
		require.Equal(t, "0.0007", calls[0].CostUSD.String())
		require.Equal(t, message.Usage{Input: p.Tokens, Output: 5, Estimated: true}, calls[1].Usage)
		require.Equal(t, pricing.Charge(r.model.card, calls[1].Usage).USD, *calls[1].CostUSD)
	})
}

func TestSummarizer_MissingUsageIsEstimated(t *testing.T) {
	r := newRig(reportsNothing)
	p := r.prepare(t, testJob())
	got, err := r.Summarize(t.Context(), p, nil, nil)
	require.NoError(t, err)
	require.Equal(t, message.Usage{Input: p.Tokens, Output: textTokens(honest), Estimated: true}, got.Calls[0].Usage)
}

func TestSummarizer_UnknownPrice(t *testing.T) {
	r := newRig(fails(provider.ClassNetwork, 0), ends(honest))
	r.model.card.Rates = nil
	synctest.Test(t, func(t *testing.T) {
		p := r.prepare(t, testJob())
		require.False(t, p.Price.Known)
		got, err := r.Summarize(t.Context(), p, nil, nil)
		require.NoError(t, err)
		require.True(t, got.Calls[0].CostUSD.IsZero(), "nothing used costs nothing")
		require.Nil(t, got.Calls[1].CostUSD)
	})
}

// Plain English has four bytes a token: where max_tokens is the bound, the provider's count decides.
func TestSummarizer_ProvidersCountDecidesAboutMaxTokens(t *testing.T) {
	job := testJob()
	job.Rows, job.MaxTokens = testSpan(40), 400
	text := strings.Repeat("word ", 260) // 433 tokens by the fallback
	counts := func(output int) answer {
		return func(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
			yield(provider.Done{
				Blocks: message.Blocks{message.Text{Text: text}}, Stop: provider.StopEndTurn,
				Usage: message.Usage{Input: 1000, Output: output},
			}, nil)
		}
	}
	r := newRig(counts(330))
	_, err := r.Summarize(t.Context(), r.prepare(t, job), nil, nil)
	require.NoError(t, err)
	r = newRig(counts(430))
	require.Equal(t, ReasonSemanticRatioExceeded, r.fail(t, r.prepare(t, job)).Reason)
}
