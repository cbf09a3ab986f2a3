package compaction

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// gateFacts has facts of every class in the words of the mechanical summary.
func gateFacts() []Fact {
	return []Fact{
		newFact(ClassActiveGoal, "Please make the CSV importer stream rows instead of loading whole files into memory", 4),
		newFact(ClassActiveGoal, "Then write a benchmark for the importer with a large fixture", 20),
		newFact(ClassUserConstraint, "Never push to main.", 4),
		newFact(ClassUserConstraint, "Do not touch db/schema.sql and don't open a pull request.", 6),
		newFact(ClassPermissionBoundary, "You may delete anything under tmp/ without asking me.", 8),
		newFact(ClassPermissionBoundary, "refused: bash git push --force (user: no force pushes)", 10),
		newFact(ClassActivePath, "internal/importer/csv.go: edited 3x, read", 12),
		newFact(ClassActivePath, "internal/importer/csv_test.go: wrote", 13),
		newFact(ClassToolOutcome, "go build ./... -> ok", 14),
		newFact(ClassToolOutcome, "bash psql -h localhost failed: connection refused on port 5432 (2 times)", 15),
		newFact(ClassProviderPressure, "429 Too Many Requests: rate limit reached, retry after 30s", 16),
		newFact(ClassDecisionState, "I'll use encoding/csv instead of gocsv/v2 because it streams", 17),
		newFact(ClassDecisionState, "plan: document the new flag --batch-size: pending", 18),
		newFact(ClassValidationResult, "go test ./internal/importer -> failed: 12 passed, 3 failed", 19),
		newFact(ClassSummaryLink, "continues summary 01JDXY7ABC, version 3, messages 0 to 41", 3),
	}
}

// honestSummary keeps each fact: some word for word, some in its own words where the rules allow it.
const honestSummary = `## Goals and open asks
- Open: a benchmark for the importer with a large fixture.
- In progress: the CSV importer should stream rows and no longer load whole files into memory.

## What the user demanded or forbade
- "Never push to main."
- “Do not touch db/schema.sql and don’t open a pull request.”
- You may delete anything under tmp/ without asking me.
- refused: bash git push --force (user: no force pushes)

## State of the work
- Edited csv.go three times and wrote csv_test.go next to it.
- go build ./... -> ok
- go test ./internal/importer -> failed: 12 passed, 3 failed
- This continues summary 01JDXY7ABC, version 3, messages 0 to 41.

## Decisions
- I'll use encoding/csv instead of gocsv/v2 because it streams
- plan: document the new flag --batch-size: pending

## Errors
- bash psql -h localhost failed: connection refused on port 5432 (2 times)
- 429 Too Many Requests: rate limit reached, retry after 30s
`

const gateUserText = `Please make the CSV importer stream rows instead of loading whole files into memory. Never push to main.
Do not touch db/schema.sql and don't open a pull request. You may delete anything under tmp/ without asking me.
Then write a benchmark for the importer with a large fixture, and tell me what it is that you have found.`

func gateInput() GateInput {
	span := message.Span{Start: 3, End: 42}
	return GateInput{
		Text: honestSummary, Stop: provider.StopEndTurn, SpanTokens: 4000, TokensOut: textTokens(honestSummary),
		Span: span, Expect: span, Facts: gateFacts(), UserText: gateUserText,
	}
}

func TestGate_HonestSummaryPasses(t *testing.T) {
	v := Gate(gateInput())
	require.Empty(t, v.Reason)
	require.True(t, v.Accepted)
	require.Empty(t, v.Missing)
	require.Equal(t, GateCounts{2, 2}, v.Classes[ClassUserConstraint])
	require.Equal(t, GateCounts{1, 1}, v.Classes[ClassSummaryLink])
	require.Len(t, v.Classes, len(FactClasses))
}

func TestGate_MechanicalTextPasses(t *testing.T) {
	in := gateInput()
	var sb strings.Builder
	for _, f := range in.Facts {
		sb.WriteString("- " + f.Text + "\n")
	}
	in.Text = sb.String()
	require.Empty(t, Gate(in).Reason)
}

func TestGate_MajorityClasses(t *testing.T) {
	in := gateInput()
	in.Text = strings.Replace(in.Text, "- Edited csv.go three times and wrote csv_test.go next to it.\n", "", 1)
	require.Equal(t, "retention_majority_active_path", Gate(in).Reason)

	in = gateInput()
	from := strings.Index(in.Text, "- Open:")
	to := strings.Index(in.Text, "\n\n## What")
	in.Text = in.Text[:from] + "- Work goes on." + in.Text[to:]
	v := Gate(in)
	require.Equal(t, "retention_majority_active_goal", v.Reason)
	require.Equal(t, GateCounts{0, 2}, v.Classes[ClassActiveGoal])
}

// The order of spec 6.3: each fault alone names itself, and of two the earlier one does.
func TestGate_Order(t *testing.T) {
	faults := []struct {
		reason Reason
		do     func(*GateInput)
	}{
		{ReasonStaleVersion, func(in *GateInput) { in.VersionStale = true }},
		{ReasonSemanticCancelled, func(in *GateInput) { in.Cancelled = true }},
		{ReasonSemanticTimeout, func(in *GateInput) { in.TimedOut = true }},
		{ReasonSemanticEmpty, func(in *GateInput) { in.Text = " \n\t" }},
		{ReasonSemanticTruncated, func(in *GateInput) { in.Stop = provider.StopMaxTokens }},
		{ReasonSemanticTurnRange, func(in *GateInput) { in.Expect.End++ }},
		{ReasonSemanticZeroTokens, func(in *GateInput) { in.TokensOut = 0 }},
		{ReasonSemanticRatioExceeded, func(in *GateInput) { in.SpanTokens = in.TokensOut - 1 }},
		{RetentionDrop(ClassUserConstraint), func(in *GateInput) { in.Text = strings.Replace(in.Text, "Never push", "push", 1) }},
		{RetentionDrop(ClassActivePath), func(in *GateInput) { in.Text = strings.ReplaceAll(in.Text, "csv", "file") }},
	}
	for i, f := range faults[:9] {
		in := gateInput()
		f.do(&in)
		require.Equal(t, string(f.reason), Gate(in).Reason)
		for _, later := range faults[i+1 : 9] {
			if f.reason == ReasonSemanticEmpty && later.reason == RetentionDrop(ClassUserConstraint) {
				continue
			}
			both := gateInput()
			later.do(&both)
			f.do(&both)
			require.Equal(t, string(f.reason), Gate(both).Reason, "before %s", later.reason)
		}
	}
}

func TestGate_Edges(t *testing.T) {
	in := gateInput()
	in.SpanTokens = in.TokensOut // a ratio of exactly 1.0
	require.True(t, Gate(in).Accepted)

	in = gateInput()
	in.Stop = ""
	require.Equal(t, string(ReasonSemanticTruncated), Gate(in).Reason)
	for _, stop := range []provider.StopReason{provider.StopRefusal, provider.StopToolUse, provider.StopPauseTurn, "odd"} {
		in.Stop = stop
		require.Equal(t, string(ReasonSemanticUnclassifiable), Gate(in).Reason)
	}

	in = gateInput()
	in.Facts = nil
	require.True(t, Gate(in).Accepted)

	in = gateInput()
	in.Facts = append(in.Facts, Fact{ID: "f_x", Class: "new_class", Text: "something"})
	require.Equal(t, string(ReasonSemanticUnclassifiable), Gate(in).Reason)
	in = gateInput()
	in.Facts = append(in.Facts, newFact(ClassActiveGoal, "  ", 1))
	require.Equal(t, string(ReasonSemanticUnclassifiable), Gate(in).Reason)
	in = gateInput()
	in.Text += "\xff"
	require.Equal(t, string(ReasonSemanticUnclassifiable), Gate(in).Reason)
}

func TestGate_IsPure(t *testing.T) {
	in := gateInput()
	in.Text = strings.Replace(in.Text, "Never push", "push", 1)
	first := Gate(in)
	for range 20 {
		require.Equal(t, first, Gate(in))
	}
}

// A text of a thousand words is not demanded back.
func TestGate_LongGoal(t *testing.T) {
	var sb strings.Builder
	for i := range 300 {
		sb.WriteString(string([]rune{rune('a' + i%26), rune('a' + i/26), rune('p' + i%7), 'x', 'q'}) + " ")
	}
	goal := sb.String()
	in := gateInput()
	in.Facts = []Fact{newFact(ClassActiveGoal, goal, 1)}
	in.Text = strings.Join(strings.Fields(goal)[100:140], " ")
	require.True(t, Gate(in).Accepted)
	in.Text = strings.Join(strings.Fields(goal)[100:110], " ")
	require.False(t, Gate(in).Accepted)
}

func BenchmarkGate(b *testing.B) {
	in := gateInput()
	in.Text = strings.Repeat("Some more prose about what was done in between.\n", 150) + in.Text
	for b.Loop() {
		Gate(in)
	}
}
