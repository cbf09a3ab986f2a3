package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/session/sessiontest"
)

// withToolIDs is one recording whose tool ids begin with a prefix of the run.
func withToolIDs(prefix string) sessiontest.Recorded {
	var rows []message.Message
	for i := range 8 {
		id := fmt.Sprintf("%s_%d", prefix, i)
		rows = append(rows,
			message.NewUser(message.Text{Text: fmt.Sprintf("Look into part %d of the queue. Never restart the worker.", i)}),
			message.NewAssistant(message.ToolUse{ID: id, Name: "look", Input: []byte(`{"part":1}`)}),
			message.NewUser(message.TextResult(id, longText[:2400], false)),
			message.NewAssistant(message.Text{Text: fmt.Sprintf("Part %d backs off too slowly in internal/queue/retry.go.", i)}))
	}
	return sessiontest.Cut(rows)
}

// A rerun brings other random tool ids; the same spans are found in the summary cache all the same, after a restart too
// (spec 5.1, requirements A7.5).
func TestCacheHitOfARerunWithOtherToolIDs(t *testing.T) {
	for _, mode := range []string{"semantic", "two_phase"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			w := sessiontest.Open(t, sessiontest.Options{Dir: dir})
			first, err := w.Replay(withToolIDs("toolu_run1"), small(mode))
			require.NoError(t, err)
			one := status(t, w, first).Record
			require.NotZero(t, one.Passes)
			require.Zero(t, one.SummaryCacheHits)
			w.End()

			w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
			second, err := w.Replay(withToolIDs("call_zzz"), small(mode))
			require.NoError(t, err)
			two := status(t, w, second).Record
			require.Equal(t, one.Passes, two.Passes)
			require.NotZero(t, two.SummaryCacheHits)
			w.CheckBooks(second)
		})
	}
}
