package compaction_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// Where the preserved tail begins (spec 4.3, 4.9). Rows count 20 tokens unless they say more.
func TestPlan_TailStart(t *testing.T) {
	keep := func(turns, tail int) compaction.Config {
		return config(func(c *compaction.Config) { c.PreserveRecentTurns, c.TailMaxTokens = turns, tail })
	}
	for name, tc := range map[string]struct {
		rows      string
		cfg       compaction.Config
		watermark message.Seq
		window    int
		carried   int
		factor    float64
		want      message.Seq
	}{
		"the turn now starting comes on top of the N newest": {rows: "U A U A U A U", cfg: keep(2, 0), want: 2},
		"at rest the newest turn is one of the N":            {rows: "U A U A U A", cfg: keep(2, 0), want: 2},
		"fewer turns than N: all is tail":                    {rows: "U A U A U", cfg: keep(5, 0), want: 0},
		"exactly N completed turns: all is tail":             {rows: "U A U A U", cfg: keep(2, 0), want: 0},
		"a step of the running turn keeps N completed ones": {
			rows: "U A U A U A U A{a} R(a)", cfg: keep(2, 0), want: 2,
		},
		"a turn the watermark cuts into is no whole turn": {rows: "U A U A U A U", cfg: keep(2, 0), watermark: 3, want: 3},

		"a tail within the bound stays":              {rows: "U A U A U A U", cfg: keep(2, 100), want: 2},
		"a longer one starts at the first boundary":  {rows: "U A U A U A U", cfg: keep(2, 99), want: 3},
		"fewer turns than N are bounded too":         {rows: "U A U A U", cfg: keep(5, 60), want: 2},
		"a bound below the request keeps it all":     {rows: "U A U A U:500", cfg: keep(5, 60), want: 4},
		"the boundary may lie inside a turn":         {rows: "U A{a} R(a) A{b} R(b) A U", cfg: keep(1, 90), want: 3},
		"no cycle is cut: the tail starts after it":  {rows: "U A{a} R(a) A{b} R(b) A U", cfg: keep(1, 60), want: 5},
		"at a step the newest cycle stays whole":     {rows: "U A U A{a} R(a) A{b}:900 R(b):90000", cfg: keep(5, 60), want: 5},
		"unread results of a parallel batch stay":    {rows: "U A U A{a} R(a) A{b,c,d} R(d,b,c):90000", cfg: keep(5, 60), want: 5},
		"read results of the turn may go":            {rows: "U A U A{a} R(a):9000 A{b} R(b)", cfg: keep(5, 60), want: 5},
		"the request itself may go inside the turn":  {rows: "U A U:400 A{a} R(a) A{b} R(b)", cfg: keep(5, 100), want: 3},
		"at rest the newest answer stays":            {rows: "U A U A{a} R(a) A:700", cfg: keep(1, 60), want: 5},
		"an unanswered call at the end stays":        {rows: "U A U A{a}:800", cfg: keep(1, 60), want: 3},
		"a quarter of the window is the bound":       {rows: "U A U A U A U", cfg: keep(2, 20_000), window: 400, want: 2},
		"and no token more":                          {rows: "U A U A U A U", cfg: keep(2, 20_000), window: 399, want: 3},
		"0 is no bound, whatever the window":         {rows: "U A U A U A U", cfg: keep(2, 0), window: 40, want: 2},
		"carried requests count as tail":             {rows: "U A U A U A U", cfg: keep(2, 120), carried: 20, want: 2},
		"and push it on":                             {rows: "U A U A U A U", cfg: keep(2, 120), carried: 21, want: 3},
		"carried requests may take all of the bound": {rows: "U A U A U A U", cfg: keep(2, 120), carried: 500, want: 6},
		"the bound is meant in the model's tokens":   {rows: "U A U A U A U", cfg: keep(2, 200), factor: 2, want: 2},
		"and scaled for the rows":                    {rows: "U A U A U A U", cfg: keep(2, 199), factor: 2, want: 3},
		"it never starts before the watermark":       {rows: "U A U A U A U", cfg: keep(5, 500), watermark: 4, want: 4},
		"an empty session has an empty tail":         {rows: "", cfg: keep(5, 500), want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			rows := history(t, tc.rows)
			s := planState(rows)
			s.Window, s.CarriedTokens, s.Factor = tc.window, tc.carried, tc.factor
			s.Watermark = tc.watermark
			s.Index.Forget(tc.watermark)
			require.Equal(t, tc.want, planner(tc.cfg).Watch(s).TailStart)
		})
	}
}

// The pass ends at tail_start moved earlier until no tool cycle is cut; unanswered calls pin it (spec 4.3).
func TestPlan_SpanEndsAtABoundary(t *testing.T) {
	for name, tc := range map[string]struct {
		rows string
		want message.Span // empty: no valid boundary
	}{
		"at a turn":                 {"U A{a} R(a) A U A U", span(0, 4)},
		"a call nobody answered":    {"U A A{open} U A U A U", span(0, 2)},
		"one of a batch unanswered": {"U A{a,open} R(a) A U A U A U", span(0, 1)},
		"pinned at the first row":   {"A{open} U A U A U A U", message.Span{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := planState(history(t, tc.rows))
			s.Manual = true
			got := planner(config(oneTurn)).Plan(s)
			require.Equal(t, tc.want, got.Span)
			if tc.want.Len() == 0 {
				require.Equal(t, compaction.NoBoundary, got.Verb)
				return
			}
			require.Equal(t, compaction.DoPass, got.Verb)
		})
	}
}

// No valid boundary is said once until watermark or tail start move; a wish hears it each time (spec 4.3).
func TestPlan_NoBoundarySaidOnce(t *testing.T) {
	p := planner(config(oneTurn))
	rows := history(t, "A{open}:90000 U A U A U")
	s := planState(rows)
	got := p.Plan(s)
	require.Equal(t, compaction.NoBoundary, got.Verb)
	require.Equal(t, compaction.ReasonNoValidBoundary, got.Reason)
	require.Equal(t, compaction.TriggerHardCap, got.Trigger)
	require.True(t, got.Forced)
	require.Equal(t, span(0, 0), got.Span, "a failed attempt leaves after = before")

	bounded := planner(config(nil)).Plan(s)
	require.Equal(t, compaction.NoBoundary, bounded.Verb, "the bound of the tail does not hide what pends")

	s.Memory.NoBoundary = &compaction.Stuck{Watermark: s.Watermark, TailStart: got.TailStart}
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb)
	s.Forced = true
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb)
	s.Forced, s.Manual = false, true
	require.Equal(t, compaction.NoBoundary, p.Plan(s).Verb)

	moved := planState(history(t, "A{open}:90000 U A U A U A U"))
	moved.Memory = s.Memory
	require.Equal(t, compaction.NoBoundary, p.Plan(moved).Verb, "tail start moved")
	s.Manual, s.Memory.NoBoundary.Watermark = false, 1
	require.Equal(t, compaction.NoBoundary, p.Plan(s).Verb, "watermark moved")
}

// A wish with nothing pending has no boundary either (requirements A4.7).
func TestPlan_NothingPending(t *testing.T) {
	s := planState(history(t, "U A U"))
	require.Equal(t, compaction.Nothing, planner(config(nil)).Plan(s).Verb)
	s.Manual = true
	got := planner(config(nil)).Plan(s)
	require.Equal(t, compaction.NoBoundary, got.Verb)
	require.Zero(t, got.Pending)
}

func TestCarryLimit(t *testing.T) {
	for _, tc := range []struct {
		tail, window int
		factor       float64
		carried      int
		carry, max   int
	}{
		{20_000, 0, 1, 0, 20_000, 20_000},
		{20_000, 200_000, 1, 0, 20_000, 20_000},
		{20_000, 40_000, 1, 0, 10_000, 10_000},
		{20_000, 40_000, 2, 1_000, 5_000, 4_000},
		{20_000, 0, 1, 30_000, 20_000, 0},
		{0, 40_000, 1, 1_000, 0, -1},
		{1, 0, 2, 0, 1, 1}, // 0 would be no bound at all
	} {
		s := compaction.State{Window: tc.window, Factor: tc.factor, CarriedTokens: tc.carried}
		p := planner(config(func(c *compaction.Config) { c.TailMaxTokens = tc.tail }))
		require.Equal(t, tc.carry, p.CarryLimit(s), "%+v", tc)
		require.Equal(t, tc.max, p.TailMax(s), "%+v", tc)
	}
}

// Prefix, smallest legal tail and reserve beyond the window are said once, and compaction stays armed (spec 4.11).
func TestPlan_Unreachable(t *testing.T) {
	p := planner(config(func(c *compaction.Config) { c.ReserveTokens = 1_000 }))
	s := planState(history(t, "U A U:500"))
	s.Window, s.PrefixTokens = 10_000, 8_500
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb, "exactly the window still fits")
	s.PrefixTokens++
	got := p.Plan(s)
	require.Equal(t, compaction.Unreachable, got.Verb)
	require.Equal(t, compaction.ReasonTriggerUnreachable, got.Reason)
	require.Empty(t, got.Trigger)

	s.Memory.Unreachable = true
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb)
	armed := planState(history(t, turns(9, 400)+"U"))
	armed.Window, armed.PrefixTokens, armed.Memory = s.Window, s.PrefixTokens, s.Memory
	require.Equal(t, compaction.DoPass, p.Plan(armed).Verb)

	s.Memory.Unreachable, s.Window = false, 0
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb, "unknown window")
	s.Window = 10_000
	require.Equal(t, compaction.Nothing, planner(source(nil)).Plan(s).Verb, "source rules know no such error")
}
