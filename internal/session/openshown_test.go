package session_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/event"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

// A call that was shown while it streamed and never came to its end does not stay open for whoever looks on.
func TestTurn_CallsOfABrokenStreamEnd(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(session.NewSession{}))
	looker(t, w, id, "seen")
	res := w.Say(id, `[[tools look {"a":1} look {"b":2} look {"c":3}]] [[fail cut]]`)
	require.NotNil(t, res.Err)
	rows, err := w.Store.Stream(context.Background(), id, 0, 100)
	require.NoError(t, err)
	shown := make(map[string]string)
	for _, r := range rows {
		var u event.ToolUpdate
		require.NoError(t, json.Unmarshal(r.Payload, &u))
		if r.Kind == event.StreamToolCall || r.Kind == event.StreamToolUpdate {
			shown[u.CallID] = u.Status
		}
	}
	require.NotEmpty(t, shown, "the stream was cut after a call began")
	for id, status := range shown {
		require.Equal(t, "failed", status, id)
	}
}
