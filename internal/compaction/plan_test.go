package compaction_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// pendingOf is a history at turn start in which exactly so many tokens pend before one preserved turn.
func pendingOf(t testing.TB, tokens int) compaction.State {
	t.Helper()
	return planState(history(t, fmt.Sprintf("U:20 A:%d U:20 A:20 U:20", tokens-20)))
}

// oneTurn keeps one turn without a bound, so that what pends is known to the token.
func oneTurn(c *compaction.Config) { c.PreserveRecentTurns, c.TailMaxTokens = 1, 0 }

// Every edge of the two limits; comparisons are inclusive (spec 4.1, requirements A3.8).
func TestPlan_ThresholdEdges(t *testing.T) {
	for _, tc := range []struct {
		pending int
		trigger compaction.Trigger
		forced  bool
	}{
		{29_998, "", false},
		{29_999, "", false},
		{30_000, compaction.TriggerThreshold, false},
		{30_001, compaction.TriggerThreshold, false},
		{79_999, compaction.TriggerThreshold, false},
		{80_000, compaction.TriggerHardCap, true},
		{80_001, compaction.TriggerHardCap, true},
	} {
		for name, cfg := range map[string]compaction.Config{"tidemark": config(oneTurn), "source": source(oneTurn)} {
			t.Run(fmt.Sprintf("%s/%d", name, tc.pending), func(t *testing.T) {
				got := planner(cfg).Plan(pendingOf(t, tc.pending))
				require.Equal(t, tc.pending, got.Pending)
				require.Equal(t, tc.trigger, got.Trigger)
				require.Equal(t, tc.forced, got.Forced)
				if tc.trigger == "" {
					require.Equal(t, compaction.Nothing, got.Verb)
					return
				}
				require.Equal(t, compaction.DoPass, got.Verb)
				require.Equal(t, span(0, 2), got.Span)
			})
		}
	}
}

// The factor scales sums, not rows; both sides of a comparison are then in the model's tokens (spec 4.2).
func TestPlan_FactorScalesSums(t *testing.T) {
	for _, tc := range []struct {
		pending int
		factor  float64
		scaled  int
		verb    compaction.Verb
	}{
		{15_000, 2, 30_000, compaction.DoPass},
		{14_999, 2, 29_998, compaction.Nothing},
		{60_000, 0.5, 30_000, compaction.DoPass},
		{59_999, 0.5, 29_999, compaction.Nothing},
		{30_000, 1, 30_000, compaction.DoPass},
		{30_000, 0, 30_000, compaction.DoPass}, // no factor known
	} {
		s := pendingOf(t, tc.pending)
		s.Factor = tc.factor
		got := planner(config(oneTurn)).Plan(s)
		require.Equal(t, tc.scaled, got.Pending, "%+v", tc)
		require.Equal(t, tc.pending, got.PendingRaw)
		require.Equal(t, tc.verb, got.Verb, "%+v", tc)
	}
}

// The effective hard cap is what the window leaves; at or below the threshold it halves it, never under 1 000, and never
// raises it (spec 4.1).
func TestWatch_EffectiveLimits(t *testing.T) {
	const window, reserve = 1_000_000, 1_000
	for _, tc := range []struct{ room, threshold, hardCap, wantThreshold, wantCap int }{
		{900_000, 30_000, 80_000, 30_000, 80_000},
		{80_000, 30_000, 80_000, 30_000, 80_000},
		{79_999, 30_000, 80_000, 30_000, 79_999},
		{30_001, 30_000, 80_000, 30_000, 30_001},
		{30_000, 30_000, 80_000, 15_000, 30_000},
		{29_999, 30_000, 80_000, 14_999, 29_999},
		{2_001, 30_000, 80_000, 1_000, 2_001},
		{2_000, 30_000, 80_000, 1_000, 2_000},
		{1_999, 30_000, 80_000, 1_000, 1_999},
		{1_000, 30_000, 80_000, 1_000, 1_000},
		{999, 30_000, 80_000, 1_000, 1_000},
		{-5_000, 30_000, 80_000, 1_000, 1_000},
		{700, 800, 900, 800, 800}, // a threshold below the least stays what it is
		{850, 800, 900, 800, 850},
	} {
		s := pendingOf(t, 5_000)
		s.Window, s.PrefixTokens = window, 200_000
		tail := s.Index.Tokens(message.Span{Start: 2, End: s.Index.End()})
		s.SummaryTokens = window - reserve - s.PrefixTokens - tail - 100 - tc.room
		s.CarriedTokens = 100
		cfg := config(oneTurn)
		cfg.ThresholdTokens, cfg.HardCapTokens, cfg.ReserveTokens = tc.threshold, tc.hardCap, reserve
		got := planner(cfg).Watch(s)
		require.Equal(t, tc.wantThreshold, got.Threshold, "%+v", tc)
		require.Equal(t, tc.wantCap, got.HardCap, "%+v", tc)

		cfg.Profile = compaction.ProfileSource // no window term
		got = planner(cfg).Watch(s)
		require.Equal(t, [2]int{tc.threshold, tc.hardCap}, [2]int{got.Threshold, got.HardCap}, "%+v", tc)
	}
}

func TestWatch_UnknownWindowLeavesTheKnobs(t *testing.T) {
	s := pendingOf(t, 5_000)
	s.PrefixTokens = 1_000_000
	got := planner(config(oneTurn)).Watch(s)
	require.Equal(t, 30_000, got.Threshold)
	require.Equal(t, 80_000, got.HardCap)
}

// A small model in numbers: 8 192 tokens, a reply of 1 024 and 2 % kept free.
func TestWatch_SmallWindow(t *testing.T) {
	s := pendingOf(t, 3_000)
	s.Window, s.MaxOutput, s.PrefixTokens = 8_192, 1_024, 1_000
	require.Equal(t, 1_024+163, planner(config(nil)).Reserve(s))
	got := planner(config(oneTurn)).Plan(s)
	room := 8_192 - 1_000 - 60 - 1_187
	require.Equal(t, room, got.HardCap)
	require.Equal(t, room/2, got.Threshold)
	require.Equal(t, compaction.TriggerThreshold, got.Trigger)
}

func TestReserve_Knob(t *testing.T) {
	s := compaction.State{Window: 200_000, MaxOutput: 8_000}
	require.Equal(t, 12_000, planner(config(nil)).Reserve(s))
	require.Equal(t, 500, planner(config(func(c *compaction.Config) { c.ReserveTokens = 500 })).Reserve(s))
}

// Windows over 200 000 are watched by the buffer, others by the ratio (spec 4.1, requirements D1.4). The estimate is that
// of the next request, whatever was measured before (cases B66, B67).
func TestPlan_WindowTriggerEdges(t *testing.T) {
	for _, tc := range []struct {
		window, left int
		fires        bool
	}{
		{1_000_000, 20_000, true},
		{1_000_000, 20_001, false},
		{200_001, 20_000, true},
		{200_001, 20_001, false},
		{200_000, 40_000, true},
		{200_000, 40_001, false},
		{128_000, 25_600, true},
		{128_000, 25_601, false},
	} {
		s := nearlyFull(t, 29_999, tc.window, tc.left)
		cfg := config(oneTurn)
		cfg.ReserveTokens = 1
		got := planner(cfg).Plan(s)
		if tc.fires {
			require.Equal(t, compaction.TriggerWindow, got.Trigger, "%+v", tc)
			require.Equal(t, compaction.DoPass, got.Verb)
			require.False(t, got.Forced)
		} else {
			require.Equal(t, compaction.Nothing, got.Verb, "%+v", tc)
		}
		cfg.Profile = compaction.ProfileSource
		require.Equal(t, compaction.Nothing, planner(cfg).Plan(s).Verb, "source: no window term")
		cfg.Profile, s.Window = compaction.ProfileTidemark, 0
		require.Equal(t, compaction.Nothing, planner(cfg).Plan(s).Verb, "unknown window: never")
	}
}

// nearlyFull is a session with so much pending whose next request leaves so much of the window.
func nearlyFull(t testing.TB, pending, window, left int) compaction.State {
	t.Helper()
	s := pendingOf(t, pending)
	s.Window = window
	s.PrefixTokens = window - left - s.Index.Tokens(message.Span{Start: 0, End: s.Index.End()})
	require.Equal(t, left, window-s.NextRequest())
	return s
}

// With less than an eighth of the threshold pending the window trigger never fires (spec 4.1).
func TestPlan_WindowTriggerWantsAnEighth(t *testing.T) {
	for _, tc := range []struct {
		threshold, pending int
		fires              bool
	}{
		{8_000, 1_000, true}, {8_000, 999, false}, {8_001, 1_000, false}, {8_001, 1_001, true}, {1, 0, false},
	} {
		s := nearlyFull(t, max(tc.pending, 21), 400_000, 20_000)
		if tc.pending == 0 {
			s.Watermark = 2
		}
		cfg := config(oneTurn)
		cfg.ReserveTokens, cfg.ThresholdTokens = 1, tc.threshold
		got := planner(cfg).Plan(s)
		require.Equal(t, tc.pending, got.Pending)
		require.Equal(t, tc.fires, got.Verb == compaction.DoPass, "%+v", tc)
	}
}

// What a request holds beyond its history counts towards the window: prefix, summaries, carried requests, thinking, the
// new prompt; what an elision saved does not (spec 4.2, case B67).
func TestNextRequest_CountsAllThatIsSent(t *testing.T) {
	rows := history(t, "U:100 A:100 U:5000")
	rows[1].Blocks = append(message.Blocks{message.Thinking{Thinking: filled(900).Text}}, rows[1].Blocks...)
	s := planState(rows)
	require.Equal(t, 5_200+300, s.NextRequest())
	s.PrefixTokens, s.SummaryTokens, s.CarriedTokens, s.ElidedTokens = 1_000, 200, 30, 4
	require.Equal(t, 6_726, s.NextRequest())
	s.Factor = 1.5
	require.Equal(t, 10_089, s.NextRequest())
	require.Equal(t, 5_200, s.Index.Tokens(span(0, 3)), "history counts leave thinking out")
}

func TestExcess(t *testing.T) {
	s := nearlyFull(t, 1_000, 100_000, 500)
	cfg := config(oneTurn)
	cfg.ReserveTokens = 500
	require.Zero(t, planner(cfg).Excess(s))
	cfg.ReserveTokens = 501
	require.Equal(t, 1, planner(cfg).Excess(s))
	s.Factor = 2 // the request is twice as large; what must go is counted unscaled again
	require.Equal(t, (99_500*2-100_000+501+1)/2, planner(cfg).Excess(s))
	s.Window = 0
	require.Zero(t, planner(cfg).Excess(s))
}

// Switched off: nothing at all, not even a wish (spec 2.3).
func TestPlan_Disabled(t *testing.T) {
	s := pendingOf(t, 90_000)
	s.Manual, s.Forced = true, true
	got := planner(config(func(c *compaction.Config) { c.Enabled = false })).Plan(s)
	require.Equal(t, compaction.Nothing, got.Verb)
}

// With the automatic off, wishes and overflow recovery stay, and nothing is forced by the cap (spec 2.3).
func TestPlan_AutoOff(t *testing.T) {
	p := planner(config(func(c *compaction.Config) { oneTurn(c); c.Auto = false }))
	s := pendingOf(t, 90_000)
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb)
	s.Manual = true
	got := p.Plan(s)
	require.Equal(t, compaction.DoPass, got.Verb)
	require.Equal(t, compaction.TriggerManual, got.Trigger)
	require.False(t, got.Forced)
	s.Manual, s.Forced = false, true
	got = p.Plan(s)
	require.Equal(t, compaction.TriggerOverflow, got.Trigger)
	require.True(t, got.Forced)
}

// A wish passes whatever is pending and is held back by nothing. At a check it is forced where an automatic pass would
// have been; at rest it is not, for the next turn start can still try (spec 4.5, 6.7).
func TestPlan_Manual(t *testing.T) {
	p := planner(config(oneTurn))
	for _, tc := range []struct {
		pending int
		place   compaction.Place
		forced  bool
	}{
		{40, compaction.AtIdle, false},
		{40, compaction.AtTurnStart, false},
		{79_999, compaction.AtStep, false},
		{80_000, compaction.AtStep, true},
		{80_000, compaction.AtTurnStart, true},
		{80_000, compaction.AtIdle, false},
	} {
		s := pendingOf(t, tc.pending)
		s.Manual, s.Place, s.Memory = true, tc.place, everythingHolds(s)
		got := p.Plan(s)
		require.Equal(t, compaction.DoPass, got.Verb, "%+v", tc)
		require.Equal(t, compaction.TriggerManual, got.Trigger)
		require.Equal(t, tc.forced, got.Forced, "%+v", tc)
	}
}

// everythingHolds is a memory that keeps every automatic pass back.
func everythingHolds(s compaction.State) compaction.Memory {
	return compaction.Memory{
		FailStreak: 3, FailTurn: s.Turns, FutileStreak: 2, FutilePending: 1_000_000,
		Undone: &compaction.UndoGuard{Span: span(0, 1_000), Pending: 1_000_000},
	}
}

// A provider's overflow is as at the hard cap, held back by nothing, and of its own trigger (spec 4.9).
func TestPlan_OverflowForces(t *testing.T) {
	s := pendingOf(t, 40)
	s.Forced, s.Memory = true, everythingHolds(s)
	got := planner(config(oneTurn)).Plan(s)
	require.Equal(t, compaction.DoPass, got.Verb)
	require.Equal(t, compaction.TriggerOverflow, got.Trigger)
	require.True(t, got.Forced)
}

// Planning changes nothing: the same state gives the same plan, and the figures are those of Watch (spec 4.1).
func TestPlan_IsPure(t *testing.T) {
	s := planState(history(t, turns(30, 700)+"U"))
	s.Window = 200_000
	p := planner(config(nil))
	first := p.Plan(s)
	require.Equal(t, compaction.DoPass, first.Verb)
	require.Equal(t, first, p.Plan(s))
	w := p.Watch(s)
	w.Verb, w.Trigger, w.Span = first.Verb, first.Trigger, first.Span
	require.Equal(t, first, w)
}
