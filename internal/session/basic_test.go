package session_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

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
