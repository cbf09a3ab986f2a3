package compaction

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
)

// shift is an invented stretch of work whose rows begin at first.
func shift(n, first int) *talk {
	k := &talk{}
	port := fmt.Sprintf("port%d", n)
	k.user(fmt.Sprintf("Chart the harbor of %s. Never dredge %s at low water.", port, port))
	k.calls("", "Edit", map[string]any{"file_path": "charts/" + port + ".go", "old_string": "a", "new_string": "depthOf" + strings.ToUpper(port)}, "updated", false)
	k.bash("make test CHART="+port, fmt.Sprintf("Exit code 1\nFAIL: chart %s: depth 7%d is wrong", port, 100+n), true)
	k.calls("I decided to keep the old datum for "+port+".", "Survey", map[string]any{"name": port}, "surveyed "+port, false)
	k.says("Done with " + port + ".")
	for i := range k.rows {
		k.rows[i].Seq += message.Seq(first)
	}
	return k
}

// foldShifts summarizes n shifts one by one and folds the summaries as spec 4.8 does: parents' digests in order.
func foldShifts(n, maxTokens int) ([]MechanicalSummary, MechanicalSummary) {
	var parents []MechanicalSummary
	var ds []Digest
	row := 0
	for i := range n {
		k := shift(i, row)
		row += len(k.rows)
		p := k.summary(2000)
		parents = append(parents, p)
		ds = append(ds, p.Digest)
	}
	return parents, Mechanical(ds, MechanicalOptions{MaxTokens: maxTokens})
}

// B43: the second compaction does not forget the first: a fact that exists only there stands in the fold.
func TestCaseB43_FoldKeepsWhatOnlyTheFirstParentKnew(t *testing.T) {
	_, m := foldShifts(3, 4096)
	require.Contains(t, m.Text, "Never dredge port0 at low water.")
	require.Contains(t, m.Text, "depth 7100 is wrong")
	require.Contains(t, m.Text, "charts/port0.go: edited")
	require.Contains(t, m.Text, "depthOfPORT0")
}

func TestMechanical_FoldKeepsFactsAndInstructionsWhileTheyFit(t *testing.T) {
	parents, m := foldShifts(8, 4096)
	text := foldSpace(m.Text)
	for _, p := range parents {
		for _, f := range p.Facts {
			if f.Class.FailClosed() {
				require.Contains(t, text, foldSpace(f.Text), f.Class)
			}
		}
		for _, a := range p.Digest.Asks {
			require.Contains(t, m.Text, a.Text)
		}
	}
	require.Less(t, strings.Index(m.Text, "port7"), strings.Index(m.Text, "port0"), "newest first")
	require.Less(t, strings.Index(m.Text, "## What the user said"), strings.Index(m.Text, "## Files"))
}

func TestMechanical_FoldOfManyNamesWhatItLeftOut(t *testing.T) {
	_, m := foldShifts(60, 1500)
	require.LessOrEqual(t, m.Tokens, 1500)
	require.Contains(t, m.Text, "Left out for room: ")
	require.NotEmpty(t, m.Left)
	require.Contains(t, m.Text, "Never dredge port59 at low water.", "the newest stay")
}

func TestMechanical_FoldOfFoldsStaysBounded(t *testing.T) {
	_, m := foldShifts(10, 4096)
	ds := []Digest{m.Digest}
	for range 30 {
		_, next := foldShifts(10, 4096)
		m = Mechanical(append(ds, next.Digest), MechanicalOptions{MaxTokens: 4096})
		require.LessOrEqual(t, m.Tokens, 4096)
		require.Less(t, len(mustJSON(t, m.Digest)), 2*DefaultDigestBound)
		ds = []Digest{m.Digest}
	}
	require.Contains(t, m.Text, "Never dredge port9 at low water.")
}
