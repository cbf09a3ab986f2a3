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

func TestTurnIsStoredAndAnswered(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{})
	res := w.Say(id, "hello there")
	require.Nil(t, res.Err)
	require.Equal(t, "end_turn", res.StopReason)
	rows, err := w.Store.Messages(context.Background(), id, -1, 100)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	rec, err := w.Store.Record(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, rec.CostUSD.String(), res.Usage.CostUSD.String())
}

// Unknown price, free and zero are three things (spec 7.4): nothing that is not known is told as 0.
func TestTurn_UnpricedIsNotZero(t *testing.T) {
	for model, want := range map[string]string{"sim:unpriced": `"cost_usd":null`, "sim:free": `"cost_usd":"0"`} {
		w := sessiontest.Open(t, sessiontest.Options{})
		id := w.NewSession(session.NewSession{Model: model})
		require.Nil(t, w.Say(id, "hello there").Err)
		require.Contains(t, string(eventsOf(t, w, id, event.TurnCompleted)[0].Payload), want)
		rows, err := w.Store.Stream(context.Background(), id, 0, 100)
		require.NoError(t, err)
		for _, r := range rows {
			if r.Kind == event.StreamUsage {
				var g event.Gauge
				require.NoError(t, json.Unmarshal(r.Payload, &g))
				require.Equal(t, model == "sim:unpriced", g.CostUSD == "", g)
			}
		}
	}
}

// The stored answer of a failed turn says what the first one said.
func TestTurn_StoredFailureStaysRetryable(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{})
	for cue, want := range map[string]bool{"rate_limit": true, "auth": false} {
		p := text("[[fail " + cue + "]]")
		p.Key = cue
		first, again := w.Do(id, p), w.Do(id, p)
		require.Equal(t, want, first.Err.Retryable, cue)
		require.Equal(t, want, again.Err.Retryable, cue)
	}
}
