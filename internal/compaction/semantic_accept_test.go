package compaction

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// accept sees the text that would be stored, and nothing is stored before it agrees (case B52).
func TestCaseB52_AcceptDecidesAboutTheFinalBytes(t *testing.T) {
	r := newRig(ends("  " + honest + "\n\n"))
	p := r.prepare(t, testJob())
	verdict := GateVerdict{Reason: string(RetentionDrop(ClassUserConstraint)), Missing: []string{"f_1"}}
	_, err := r.Summarize(t.Context(), p, func(text string) error {
		require.Equal(t, honest, text)
		require.Empty(t, r.cache.all())
		return &VerdictError{verdict}
	}, nil)
	var se *SummaryError
	require.ErrorAs(t, err, &se)
	require.Equal(t, FailValidationFailed, se.Mode)
	require.Equal(t, RetentionDrop(ClassUserConstraint), se.Reason)
	require.Equal(t, verdict, *se.Verdict)
	require.Equal(t, honest, se.Text.Text, "the draft, for a repair")
	require.Len(t, se.Text.Calls, 1)
	require.Empty(t, r.cache.all())

	again := r.fail(t, p)
	require.True(t, again.Remembered)
	require.Equal(t, verdict, *again.Verdict)
	require.Empty(t, again.Text.Text)
	require.Equal(t, 1, r.model.Calls())
}

// A text that nobody judged is not at fault: it is neither stored nor remembered.
func TestSummarizer_NotJudged(t *testing.T) {
	r := newRig(ends(honest))
	p := r.prepare(t, testJob())
	for _, err := range []error{ErrNotJudged, &VerdictError{GateVerdict{Reason: string(ReasonStaleVersion)}}} {
		_, err := r.Summarize(t.Context(), p, func(string) error { return err }, nil)
		require.ErrorIs(t, err, ErrNotJudged)
	}
	require.Equal(t, 2, r.model.Calls())
	_, err := r.Summarize(t.Context(), p, nil, nil)
	require.NoError(t, err)
}

// A cached text that this session turns down makes way for a better one.
func TestSummarizer_CachedTextTurnedDown(t *testing.T) {
	r := newRig(ends("an older text"), ends(honest))
	p := r.prepare(t, testJob())
	_, err := r.Summarize(t.Context(), p, nil, nil)
	require.NoError(t, err)
	got, err := r.Summarize(t.Context(), p, func(text string) error {
		if text != honest {
			return errors.New("not good enough")
		}
		return nil
	}, nil)
	require.NoError(t, err)
	require.False(t, got.CacheHit)
	require.Len(t, got.Calls, 1)
	require.Equal(t, honest, r.cache.all()[p.Key].Text)

	_, err = r.Summarize(t.Context(), p, func(string) error { return ErrNotJudged }, nil)
	require.ErrorIs(t, err, ErrNotJudged)
	require.Equal(t, 2, r.model.Calls(), "no call is bought for a session that lost interest")
}

func TestSummarizer_RefusalsAreForgottenAfterTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(ends(""), ends(honest))
		p := r.prepare(t, testJob())
		r.fail(t, p)
		time.Sleep(DefaultNegativeFor - time.Second)
		require.True(t, r.fail(t, p).Remembered)
		time.Sleep(time.Second)
		got, err := r.Summarize(t.Context(), p, nil, nil)
		require.NoError(t, err)
		require.Equal(t, honest, got.Text)
	})
}

func TestNegatives_Bounded(t *testing.T) {
	now := time.Now()
	n := newNegatives(func() time.Time { return now }, time.Minute)
	for i := range maxNegatives + 10 {
		now = now.Add(time.Millisecond)
		n.remember(itoa(i), turnedDown(ReasonSemanticEmpty, "x"))
	}
	require.Len(t, n.bad, maxNegatives)
	require.Nil(t, n.recall("0"), "the oldest went first")
	require.NotNil(t, n.recall(itoa(maxNegatives+9)))
	now = now.Add(time.Hour)
	n.remember("new", turnedDown(ReasonSemanticEmpty, "x"))
	require.Len(t, n.bad, 1)
}
