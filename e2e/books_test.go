package e2e_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"tidemark/e2e"
)

// costRow is a ledger row or a turn, as far as money goes.
type costRow struct {
	ID      string  `json:"id"`
	CostUSD *string `json:"cost_usd"`
}

// checkSums holds the sum of calls and the sum of turns to the session's own figure, digit by digit.
func checkSums(t *testing.T, p *e2e.Process, id, total string) {
	t.Helper()
	want, err := decimal.NewFromString(total)
	require.NoError(t, err)
	for _, list := range []string{"ledger", "turns"} {
		var page struct {
			Items []costRow `json:"items"`
		}
		read(t, p, "/api/v1/sessions/"+id+"/"+list+"?limit=5000", &page)
		sum, seen := decimal.Zero, make(map[string]bool)
		for _, r := range page.Items {
			require.False(t, seen[r.ID], "%s %s is there twice", list, r.ID)
			seen[r.ID] = true
			if r.CostUSD != nil {
				d, err := decimal.NewFromString(*r.CostUSD)
				require.NoError(t, err)
				sum = sum.Add(d)
			}
		}
		require.True(t, want.Equal(sum), "%s sums to %s, the session says %s", list, sum, want)
	}
}
