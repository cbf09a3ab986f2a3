package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/config"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// Stream rows go ten minutes after their turn, events after the days set; audit events and the transcript stay.
func TestSweeper(t *testing.T) {
	var offset atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	cfg := config.Default()
	cfg.Data = filepath.Join(t.TempDir(), "data")
	a, err := Open(t.Context(), cfg, WithoutListening(), WithClock(clock))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(context.Background())) })
	rec, err := a.Sessions().Create(t.Context(), session.NewSession{Owner: "ada", CWD: "/"})
	require.NoError(t, err)
	turn, err := a.Sessions().Prompt(t.Context(), rec.ID, session.Prompt{Blocks: message.Blocks{message.Text{Text: "hello"}}, Key: "k"})
	require.NoError(t, err)
	<-turn.Done()

	s := sweeper{a.db, cfg.Retention, slog.New(slog.DiscardHandler)}
	rows := func() int {
		rows, err := a.Reader().Stream(t.Context(), rec.ID, 0, 1000)
		require.NoError(t, err)
		return len(rows)
	}
	events := func() (out []event.Kind) {
		list, err := a.Reader().Events(t.Context(), session.EventFilter{SessionID: rec.ID, Limit: 1000})
		require.NoError(t, err)
		for _, e := range list {
			out = append(out, e.Type)
		}
		return out
	}
	s.sweep(t.Context())
	require.NotZero(t, rows(), "fresh rows stay")
	all := len(events())

	offset.Store(int64(11 * time.Minute))
	s.sweep(t.Context())
	require.Zero(t, rows())
	require.Len(t, events(), all)

	offset.Store(int64(31 * 24 * time.Hour))
	s.sweep(t.Context())
	require.Equal(t, []event.Kind{event.SessionCreated}, events())
	messages, err := a.Reader().Messages(t.Context(), rec.ID, -1, 10)
	require.NoError(t, err)
	require.Len(t, messages, 2)
}
