package compaction

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/pricing"
	"tidemark/internal/provider"
)

func TestSummarizer_MissThenHit(t *testing.T) {
	r := newRig(ends("  " + honest + "\n"))
	p := r.prepare(t, testJob())
	require.True(t, p.Fits)
	require.Len(t, p.Key, 64)

	var heard strings.Builder
	got, err := r.Summarize(t.Context(), p, nil, func(s string) { heard.WriteString(s) })
	require.NoError(t, err)
	require.Equal(t, honest, got.Text)
	require.Equal(t, provider.StopEndTurn, got.Stop)
	require.Equal(t, p.Key, got.CacheKey)
	require.False(t, got.CacheHit)
	require.Contains(t, heard.String(), honest)
	require.Len(t, got.Calls, 1)
	require.Equal(t, "0.002", got.Calls[0].CostUSD.String()) // 1000 in at $1, 200 out at $5 a million
	require.Equal(t, "req_1", got.Calls[0].RequestID)
	require.Equal(t, 1, got.Calls[0].Attempt)

	again, err := r.Summarize(t.Context(), p, nil, nil)
	require.NoError(t, err)
	require.Equal(t, honest, again.Text)
	require.True(t, again.CacheHit)
	require.Empty(t, again.Calls)
	require.Equal(t, 1, r.model.Calls())
	require.Equal(t, 2, r.cache.all()[p.Key].UseCount)

	found, ok := r.Lookup(t.Context(), p)
	require.True(t, ok)
	require.Equal(t, honest, found.Text)
}

func TestSummarizer_Request(t *testing.T) {
	r := newRig(ends(honest))
	p := r.prepare(t, testJob())
	_, err := r.Summarize(t.Context(), p, nil, nil)
	require.NoError(t, err)
	req := r.model.asked[0]
	require.Empty(t, req.Tools)
	require.True(t, req.NoCache)
	require.Equal(t, "s1", req.SessionID)
	require.Equal(t, prompt100.system, req.System)
	require.Equal(t, p.Limit, req.MaxTokens)
	require.Less(t, p.Limit, 4096) // a third of the span
}

func TestSummarizer_Price(t *testing.T) {
	r := newRig(ends(honest))
	p := r.prepare(t, testJob())
	require.Equal(t, pricing.Quote(r.model.card, 4000, 4096).USD.String(), p.Price.USD.String())
}

func TestSummarizer_FocusAndRepairsKeepOffTheCache(t *testing.T) {
	r := newRig(ends(honest))
	for _, change := range []func(*Job){func(j *Job) { j.Focus = "the importer" }, func(j *Job) { j.NoCache = true }} {
		job := testJob()
		change(&job)
		p := r.prepare(t, job)
		require.Empty(t, p.Key)
		_, ok := r.Lookup(t.Context(), p)
		require.False(t, ok)
		got, err := r.Summarize(t.Context(), p, nil, nil)
		require.NoError(t, err)
		require.Empty(t, got.CacheKey)
	}
	require.Equal(t, 2, r.model.Calls())
	require.Empty(t, r.cache.all())
}

func TestSummarizer_ModelThatCannotBeHad(t *testing.T) {
	r := newRig(ends(honest))
	job := testJob()
	job.Model = "none:model"
	_, err := r.Prepare(job)
	var un *UnavailableError
	require.ErrorAs(t, err, &un)
	require.Equal(t, "none:model", un.Model)
	require.ErrorContains(t, err, "no key")
}

func TestSummarizer_UnknownPromptVersion(t *testing.T) {
	job := testJob()
	job.PromptVersion = "9.9.9"
	_, err := newRig(ends(honest)).Prepare(job)
	require.ErrorContains(t, err, "9.9.9")
}
