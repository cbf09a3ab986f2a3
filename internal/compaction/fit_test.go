package compaction

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
)

func TestFitPrefix(t *testing.T) {
	rows := testSpan(10)
	require.Equal(t, 0, FitPrefix(rows, 0))
	require.Equal(t, len(rows), FitPrefix(rows, 1<<30))
	for room := range 3000 {
		n := FitPrefix(rows, room)
		if n < len(rows) {
			size := 0
			for _, m := range RenderSpan(rows[:n], "") {
				size += m.Units
			}
			require.LessOrEqual(t, message.FallbackTokens(size), max(room, message.FallbackTokens(len(spanStub))))
		}
	}
}

// What is counted is what is sent (case B42).
func TestCaseB42_MeasuredOnTheBytesSent(t *testing.T) {
	r := newRig(ends(honest))
	job := testJob()
	p := r.prepare(t, job)
	size := len(p.Request.System)
	for _, m := range p.Request.Messages {
		size += len(m.PlainText()) - (len(m.Blocks) - 1)
	}
	require.Equal(t, message.FallbackTokens(size), p.Tokens)

	r.model.card.Window = p.Tokens + p.Request.MaxTokens + (p.Tokens+p.Request.MaxTokens)/49 + 2
	require.True(t, r.prepare(t, job).Fits)
	r.model.card.Window -= 100
	tight := r.prepare(t, job)
	require.False(t, tight.Fits)
	n := FitPrefix(job.Rows, tight.Room)
	require.Positive(t, n)
	require.Less(t, n, len(job.Rows))
	job.Rows = job.Rows[:n]
	require.True(t, r.prepare(t, job).Fits)

	r.model.card.Window = 0 // unknown
	require.True(t, r.prepare(t, testJob()).Fits)
}
