package compaction_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
)

// declared reads the constants of a type out of the source: the closed sets as they are written down.
func declared(t *testing.T, typ string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "posture.go", nil, 0)
	require.NoError(t, err)
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == typ {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			out = append(out, value)
		}
		return true
	})
	require.NotEmpty(t, out)
	return out
}

// The states are the closed set of spec 6.6, each with a reason at least, in precedence order.
func TestPostures_States(t *testing.T) {
	want := strings.Fields(`summary_link_broken swap_deferred semantic_running semantic_ready semantic_committed
		semantic_rejected mechanical_active precompact_staged disabled unavailable idle`)
	require.Equal(t, want, declared(t, "PostureState"))
	var got []string
	for _, p := range compaction.LegalPostures() {
		if n := len(got); n == 0 || got[n-1] != string(p.State) {
			got = append(got, string(p.State))
		}
	}
	require.Equal(t, want, got)
}

// The reasons are those of requirements D7.4 and spec 6.6, each legal with a state at least.
func TestPostures_Reasons(t *testing.T) {
	want := strings.Fields(`no_active_compaction auto_trigger manual_request burn_rate cooldown_active mechanical_only
		semantic_disabled semantic_in_flight semantic_timeout semantic_cancelled semantic_provider_error semantic_empty
		semantic_truncated semantic_turn_range_mismatch semantic_zero_tokens semantic_ratio_exceeded stale_version
		persist_failed summary_link_missing swap_committed config_disabled window_unknown
		budget_exhausted thrash_paused no_valid_boundary semantic_wrong_language semantic_unclassifiable
		semantic_retry_wait swap_not_free overflow_recovery truncated elided folded undone prepared trigger_unreachable
		summary_link_corrupt span_too_large`)
	require.ElementsMatch(t, want, declared(t, "Reason"))
	for _, class := range compaction.FactClasses {
		want = append(want, string(compaction.RetentionDrop(class)))
	}
	got := map[compaction.Reason]bool{}
	for _, p := range compaction.LegalPostures() {
		got[p.Reason] = true
	}
	require.Len(t, got, len(want))
	for _, r := range want {
		require.True(t, got[compaction.Reason(r)], r)
	}
}

func TestRetentionDrop(t *testing.T) {
	require.Equal(t, "retention_drop_user_constraint", string(compaction.RetentionDrop(compaction.ClassUserConstraint)))
	require.Equal(t, "retention_majority_active_path", string(compaction.RetentionDrop(compaction.ClassActivePath)))
	require.Equal(t, "retention_majority_active_goal", string(compaction.RetentionDrop(compaction.ClassActiveGoal)))
}

// Every pair of the closed sets is legal exactly when the table says so, and it says so once.
func TestPostures_Legal(t *testing.T) {
	seen := map[compaction.Posture]bool{}
	reasons := map[compaction.Reason]bool{"": true, "anything": true}
	for _, p := range compaction.LegalPostures() {
		require.False(t, seen[p], "%v stands twice", p)
		seen[p], reasons[p.Reason] = true, true
	}
	for _, state := range append(declared(t, "PostureState"), "", "busy") {
		for reason := range reasons {
			p := compaction.Posture{State: compaction.PostureState(state), Reason: reason}
			require.Equal(t, seen[p], p.Legal(), "%v", p)
		}
	}
	require.True(t, compaction.IdlePosture.Legal())
}
