package session

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/model"
)

// Spec 4.2: the factor of a session is what the provider reported by what we had estimated, within a half and two; it
// changes at turn start alone, and for models that are counted so.
func TestFactor(t *testing.T) {
	for _, tc := range []struct {
		estimator model.Estimator
		reported  int
		want      float64
	}{
		{model.EstimatorScaled, 1300, 1.3}, {model.EstimatorScaled, 700, 0.7}, {model.EstimatorScaled, 100, 0.5},
		{model.EstimatorScaled, 9000, 2}, {model.EstimatorScaled, 0, 1}, {model.EstimatorFallback, 1300, 1},
	} {
		s := &state{
			rec: Record{Factor: 1, Compaction: compaction.DefaultConfig()}, card: model.Card{Estimator: tc.estimator},
			index: compaction.NewIndex(0, nil), asked: 1000,
		}
		s.measure(message.Usage{Input: tc.reported})
		require.InDelta(t, 1, s.rec.Factor, 1e-9, "not before the next turn")
		s.rescale()
		require.InDelta(t, tc.want, s.rec.Factor, 1e-9, "%+v", tc)
		require.Equal(t, int(300*tc.want), s.scaled(300))
	}
}
