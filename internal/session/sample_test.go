package session_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

func TestSampleSessionCompacts(t *testing.T) {
	for _, mode := range []string{"two_phase", "semantic", "mechanical"} {
		t.Run(mode, func(t *testing.T) {
			w := sessiontest.Open(t, sessiontest.Options{})
			id := w.NewSession(session.NewSession{Overrides: []byte(`{"mode":"` + mode + `"}`)})
			for _, turn := range sim.SampleSession(0) {
				require.Nil(t, w.Say(id, turn.Prompt).Err)
			}
			st, err := w.Status(context.Background(), id)
			require.NoError(t, err)
			require.NotZero(t, st.Record.Passes)
			for _, p := range st.Posture.Recent {
				t.Logf("%s %s %s %d-%d in %d out %d before %d after %d %s %s cand %+v", p.Trigger, p.Kind, p.Outcome, p.SpanStart, p.SpanEnd, p.SpanTokenCountIn, p.SpanTokenCountOut, p.TokensBefore, p.TokensAfterEstimate, p.FailureMode, p.ErrorMessage, p.Candidate)
			}
			t.Logf("%+v", st.Record.Posture)
		})
	}
}
