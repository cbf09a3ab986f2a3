package compaction_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
)

// failed is a pass that brought nothing, as the planner wanted it.
func failed(trigger compaction.Trigger) compaction.Pass {
	return compaction.Pass{Trigger: trigger, Outcome: compaction.OutcomeFailed}
}

// A soft failure is tried again in the next turn, not at the next step; three in a row wait five turns; the hard cap
// waits for nobody (spec 4.5, requirements A9.7).
func TestMemory_WaitsAfterFailures(t *testing.T) {
	p := planner(config(oneTurn))
	s := pendingOf(t, 40_000)
	tries := func(turn int) bool {
		s.Turns = turn
		return p.Plan(s).Verb == compaction.DoPass
	}
	fails := func(turn int) {
		require.True(t, tries(turn), "turn %d", turn)
		s.Memory = s.Memory.Failed(failed(compaction.TriggerThreshold), p.Plan(s), turn)
		require.False(t, tries(turn), "not again in turn %d", turn)
	}
	fails(10)
	fails(11)
	fails(12)
	for turn := 13; turn <= 17; turn++ {
		require.False(t, tries(turn), "turn %d waits", turn)
	}
	fails(18)
	require.False(t, tries(23))
	require.True(t, tries(24))

	capped := pendingOf(t, 80_000)
	capped.Memory, capped.Turns = s.Memory, 18
	require.Equal(t, compaction.DoPass, p.Plan(capped).Verb)

	s.Memory = s.Memory.Applied(compaction.Pass{SpanEnd: 2})
	require.True(t, tries(18))
}

// What does not count as a soft failure leaves the streak as it is.
func TestMemory_NotASoftFailure(t *testing.T) {
	before := compaction.Memory{FailStreak: 2, FailTurn: 4}
	forced := compaction.Plan{Forced: true}
	for name, tc := range map[string]struct {
		pass compaction.Pass
		plan compaction.Plan
	}{
		"cancelled": {compaction.Pass{Trigger: compaction.TriggerThreshold, Outcome: compaction.OutcomeCancelled}, compaction.Plan{}},
		"a fold":    {failed(compaction.TriggerFold), compaction.Plan{}},
		"a repair":  {failed(compaction.TriggerRepair), compaction.Plan{}},
		"a wish":    {failed(compaction.TriggerManual), compaction.Plan{}},
		"at cap":    {failed(compaction.TriggerHardCap), forced},
		"overflow":  {failed(compaction.TriggerOverflow), forced},
		"truncation of its own": {compaction.Pass{
			Trigger: compaction.TriggerHardCap, Kind: compaction.KindTruncation, Outcome: compaction.OutcomeFailed, SpanTokenCountIn: 500,
		}, forced},
	} {
		require.Equal(t, before, before.Failed(tc.pass, tc.plan, 9), name)
	}
}

// Two futile passes in a row stop automatic ones, also at the cap, until history grew by a quarter of the threshold
// (spec 4.11, case B22).
func TestMemory_FutilePause(t *testing.T) {
	p := planner(config(oneTurn))
	futile := failed(compaction.TriggerThreshold)
	futile.Futile = true
	s := pendingOf(t, 40_000)
	s.Memory = s.Memory.Failed(futile, p.Plan(s), s.Turns)
	require.Equal(t, compaction.DoPass, p.Plan(s).Verb, "one is no row")
	s.Memory = s.Memory.Failed(futile, p.Plan(s), s.Turns)
	require.Equal(t, 40_000, s.Memory.FutilePending)
	for pending, verb := range map[int]compaction.Verb{
		40_000: compaction.Nothing, 47_499: compaction.Nothing, 47_500: compaction.DoPass,
	} {
		grown := pendingOf(t, pending)
		grown.Memory = s.Memory
		require.Equal(t, verb, p.Plan(grown).Verb, "%d", pending)
	}
	s.Memory = s.Memory.Failed(futile, compaction.Plan{PendingRaw: 79_000}, s.Turns)
	capped := pendingOf(t, 82_000)
	capped.Memory = s.Memory
	require.Equal(t, compaction.Nothing, p.Plan(capped).Verb, "at the cap too: only truncation is left")
	capped.Manual = true
	require.Equal(t, compaction.DoPass, p.Plan(capped).Verb)

	require.Zero(t, s.Memory.Applied(compaction.Pass{SpanEnd: 2}).FutileStreak)
}

// A truncation keeps pending below the cap for ever; the pause ends all the same when history grows (spec 4.11).
func TestMemory_TruncationDoesNotProlongThePause(t *testing.T) {
	p := planner(config(oneTurn))
	m := compaction.Memory{FutileStreak: 2, FutilePending: 81_000}
	for range 5 { // each time the cap is reached again, 2 000 tokens go
		cut := compaction.Pass{
			Trigger: compaction.TriggerHardCap, Kind: compaction.KindTruncation, Outcome: compaction.OutcomeFailed, SpanTokenCountIn: 2_000,
		}
		m = m.Failed(cut, compaction.Plan{Forced: true, PendingRaw: 81_000}, 1)
	}
	require.Equal(t, 71_000, m.FutilePending)
	require.Equal(t, 2, m.FutileStreak)
	s := pendingOf(t, 79_000)
	s.Memory = m
	require.Equal(t, compaction.DoPass, p.Plan(s).Verb)
}

// Growth is measured unscaled: a new factor is no new history.
func TestMemory_FactorIsNoGrowth(t *testing.T) {
	p := planner(config(oneTurn))
	s := pendingOf(t, 40_000)
	s.Memory = compaction.Memory{FutileStreak: 2, FutilePending: 40_000}
	s.Factor = 1.9
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb)
}

// After an undo no automatic pass covers any of that span until pending grew by half the threshold or reaches the hard
// cap (spec 6.7).
func TestMemory_UndoGuard(t *testing.T) {
	p := planner(config(oneTurn))
	s := pendingOf(t, 50_000)
	// the pass took 35 000 tokens; when it is taken back, 15 000 more are pending behind it
	undone := compaction.Pass{SpanStart: 0, SpanEnd: 1, SpanTokenCountIn: 35_000}
	s.Memory = s.Memory.TookBack(undone, compaction.Plan{PendingRaw: 15_000})
	require.Equal(t, &compaction.UndoGuard{Span: span(0, 1), Pending: 50_000}, s.Memory.Undone)
	for pending, verb := range map[int]compaction.Verb{
		50_000: compaction.Nothing, 64_999: compaction.Nothing, 65_000: compaction.DoPass, 80_000: compaction.DoPass,
	} {
		grown := pendingOf(t, pending)
		grown.Memory = s.Memory
		require.Equal(t, verb, p.Plan(grown).Verb, "%d", pending)
	}
	late := pendingOf(t, 80_000)
	late.Memory = s.Memory
	late.Memory.Undone = &compaction.UndoGuard{Span: span(0, 1), Pending: 79_000}
	require.Equal(t, compaction.DoPass, p.Plan(late).Verb, "the hard cap is reached")

	s.Watermark = 1 // a wish has covered the span since
	require.Equal(t, compaction.DoPass, p.Plan(s).Verb)
	require.NotNil(t, s.Memory.Applied(compaction.Pass{Trigger: compaction.TriggerFold, SpanEnd: 9}).Undone)
	require.NotNil(t, s.Memory.Applied(compaction.Pass{Kind: compaction.KindElision, SpanEnd: 9}).Undone)
	require.Nil(t, s.Memory.Applied(compaction.Pass{SpanEnd: 1}).Undone, "spent")

	manual := pendingOf(t, 50_000)
	manual.Memory.Undone, manual.Manual = &compaction.UndoGuard{Span: span(0, 1), Pending: 50_000}, true
	require.Equal(t, compaction.DoPass, p.Plan(manual).Verb)
}

// Only a repair mends a broken link.
func TestMemory_LinkIsMendedByARepair(t *testing.T) {
	m := compaction.Memory{Link: compaction.ReasonSummaryLinkMissing, FailStreak: 2}
	require.Equal(t, m.Link, m.Applied(compaction.Pass{}).Link)
	require.Equal(t, compaction.Memory{FailStreak: 2}, m.Applied(compaction.Pass{Trigger: compaction.TriggerRepair}))
}
