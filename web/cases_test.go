package web_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/web"
)

// TestCaseB151: a reader that comes back is sent what follows its place, however long the log behind it is, and then goes
// live.
func TestCaseB151_ReconnectReadsOnlyWhatFollows(t *testing.T) {
	h := newHarness(t, web.Config{})
	const kept = 5000
	for i := range kept {
		h.fake.turnStarted(i)
	}
	for range 20 {
		s := h.stream("/ops/events", "viewer", "Last-Event-ID", fmt.Sprintf("e1-%d", kept-2))
		s.next() // retry
		require.Equal(t, fmt.Sprintf("e1-%d", kept-1), s.next()["id"])
		require.Equal(t, fmt.Sprintf("e1-%d", kept), s.next()["id"])
		s.close()
	}
	s := h.stream("/ops/events", "viewer", "Last-Event-ID", fmt.Sprintf("e1-%d", kept))
	defer s.close()
	s.next()
	h.fake.turnStarted(kept)
	require.Equal(t, fmt.Sprintf("e1-%d", kept+1), s.next()["id"])
}
