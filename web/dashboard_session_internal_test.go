package web

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/auth"
	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
)

// someFacts are a session of n turns of one call each, with a pass in front of each of the given calls (from 0).
func someFacts(n int, passesAt ...int) sessionFacts {
	f := sessionFacts{rec: someRecord("s1", "ada", "Incident 4411")}
	f.rec.Turns, f.rec.NextSeq = n, message.Seq(2*n)
	for i := range n {
		at := noon.Add(time.Duration(i) * time.Minute)
		turn := session.Turn{ID: fmt.Sprintf("t%d", i+1), State: session.TurnCompleted, StopReason: "end_turn", Steps: 1, OpenSeq: message.Seq(2 * i), StartedAt: at}
		f.turns = append(f.turns, turn)
		for k, p := range passesAt {
			if p == i {
				f.passes = append(f.passes, somePass(turn.ID, at.Add(time.Second), message.Seq(2*k), message.Seq(2*i)))
				f.ledger = append(f.ledger, session.LedgerRow{ID: "c" + turn.ID, Purpose: session.PurposeCompaction, Usage: message.Usage{Input: 50_000}, CreatedAt: at.Add(2 * time.Second)})
			}
		}
		f.ledger = append(f.ledger, session.LedgerRow{
			ID: "l" + turn.ID, TurnID: turn.ID, Purpose: session.PurposeTurn, Model: "sim:assistant", Outcome: "ok", CostUSD: usd("0.01"),
			Usage: message.Usage{Input: 100, CacheRead: 1000 * (i + 1), CacheWrite5m: 500, Output: 40}, CreatedAt: at.Add(5 * time.Second),
		})
	}
	f.info = session.NewInfo(f.rec)
	return f
}

func somePass(turn string, at time.Time, before, after message.Seq) compaction.Pass {
	return compaction.Pass{
		ID: "p-" + turn, SessionID: "s1", TurnID: turn, Trigger: compaction.TriggerThreshold, At: compaction.AtTurnStart, Attempt: 1,
		Kind: compaction.KindSemantic, WatermarkBefore: before, WatermarkAfter: after, SpanStart: before, SpanEnd: after,
		SpanMessageCount: int(after - before), SpanTokenCountIn: 38_000, SpanTokenCountOut: 622, TokensBefore: 58_214, TokensAfterEstimate: 21_930,
		CacheKey: "b57506d22787aaaabbbb", Outcome: compaction.OutcomeCompleted, Version: 1, CostUSD: usd("0.0198"), LatencyMS: 300, CreatedAt: at,
	}
}

func pixels(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	require.NoError(t, err)
	return v
}

func TestChart(t *testing.T) {
	f := someFacts(10, 4)
	f.posture = compaction.PostureRecord{PrefixTokens: 200, SummaryTokens: 800, TailTokens: 1000, ThresholdTokens: 3000, HardCapTokens: 900_000}
	c := newChart(f)
	require.Len(t, c.Bars, 10, "calls to summarizing models are no context of the session")
	require.Len(t, c.Marks, 1)
	require.Len(t, c.Rows, 11, "the table has a row for each bar and each pass")
	require.Equal(t, "58k → 22k", c.Marks[0].Text)
	require.Equal(t, c.Marks[0].X, "40.00%", "the drop stands at the left edge of the call after it")
	require.Equal(t, "hard cap about 902k lies above this chart", c.More)
	require.Equal(t, "compacts at about 5k", c.Levels[0].Text)

	for i, bar := range c.Bars {
		top := float64(chartHeight)
		for _, part := range bar.Parts {
			y, h := pixels(t, part.Y), pixels(t, part.H)
			require.InDelta(t, top, y+h, 1.2, "bar %d: the parts stand on each other", i)
			top = y
		}
		require.GreaterOrEqual(t, top, float64(chartTop)-0.1)
	}
	require.Equal(t, []string{"read", "write", "fresh"}, []string{c.Bars[0].Parts[0].Class, c.Bars[0].Parts[1].Class, c.Bars[0].Parts[2].Class})
	require.Contains(t, c.Bars[9].Title, "10,600 tokens in context, 10,000 cache read, 500 cache write, 100 fresh")
	require.Empty(t, newChart(sessionFacts{}).Bars)
}

func TestChartOfManyCallsLosesNoPass(t *testing.T) {
	c := newChart(someFacts(1000, 100, 101, 500, 999))
	require.LessOrEqual(t, len(c.Bars), chartBars)
	require.Len(t, c.Marks, 4)
	require.Contains(t, c.More, "each bar is the largest of up to 7 calls")
	require.Equal(t, "call 1000", strings.ReplaceAll(c.Last, ",", ""))
	require.NotEmpty(t, c.Marks[0].Text)
	require.Empty(t, c.Marks[1].Text, "words that would lie on those of the pass before are left to the table")
	last := c.Bars[len(c.Bars)-1]
	require.LessOrEqual(t, pixels(t, last.X)+pixels(t, last.W), 100.0)
}

func TestRoundSteps(t *testing.T) {
	for raw, want := range map[float64]int{0.3: 1, 1: 1, 3: 5, 900: 1000, 11_000: 20_000, 50_000: 50_000} {
		require.Equal(t, want, roundStep(raw))
	}
	ticks := newScale(260, 22, 42_203).ticks(5)
	require.Equal(t, "0", ticks[0].Text)
	require.Equal(t, "40k", ticks[len(ticks)-1].Text)
}

func TestWatermarkHistory(t *testing.T) {
	require.NotEmpty(t, newWatermark(someFacts(5)).None)
	f := someFacts(10, 4, 8)
	f.passes[1].Outcome = compaction.OutcomeUndone
	h := newWatermark(f)
	require.Len(t, h.Fill, 2, "one box before the pass and one after; the undone pass is not drawn")
	require.Equal(t, "0.00%", h.Fill[0].X)
	require.Equal(t, "40.00%", h.Fill[1].X)
	require.Equal(t, "60.00%", h.Fill[1].W)
	require.Len(t, h.Grown, 10)
	require.Equal(t, px(8), h.Grown[9].Y2, "the line of messages ends at the newest")
	require.Len(t, h.Rows, 2, "the table has the undone pass too")
	require.True(t, h.Rows[0].Undone)
	require.Equal(t, "0 → 8", h.Rows[1].Moved)
	require.Equal(t, "call", h.Rows[1].How)
}

func TestPassRow(t *testing.T) {
	r := asRole(auth.RoleOperator, "op")
	p := somePass("t1", noon, 0, 24)
	row := newPassRow(r, p)
	require.Equal(t, "0 → 24", row.Moved)
	require.Equal(t, "miss b57506d22787", row.Cache, "the key's first twelve characters")
	require.Equal(t, "58,214", row.Before)
	require.Equal(t, "21,930", row.Estimated)
	require.Equal(t, unknown, row.Measured, "blank until the next call")
	require.Equal(t, "$0.0198", row.Cost)
	require.Equal(t, "not asked", row.Gate.Text)
	require.Empty(t, row.Attempt)

	measured, turns := 22_041, 8.25
	p.TokensAfterMeasured, p.BreakEvenTurns, p.CacheHit, p.Attempt, p.CostUSD = &measured, &turns, true, 3, nil
	p.Gate = &compaction.GateVerdict{Reason: string(compaction.RetentionDrop(compaction.ClassPermissionBoundary)), Classes: map[compaction.FactClass]compaction.GateCounts{
		compaction.ClassPermissionBoundary: {Kept: 1, Total: 3}, compaction.ClassActivePath: {Kept: 4, Total: 4},
	}}
	p.Candidate = &compaction.Candidate{State: compaction.CandidateRejected}
	row = newPassRow(r, p)
	require.Equal(t, "hit b57506d22787", row.Cache)
	require.Equal(t, "22,041", row.Measured)
	require.Equal(t, "after 8.2 calls", row.BreakEven)
	require.Equal(t, "refused, kept 5/7", row.Gate.Text)
	require.Contains(t, row.Gate.About, "permission boundary")
	require.Equal(t, "rejected", row.Candidate.Text)
	require.Equal(t, "attempt 3", row.Attempt)
	require.Equal(t, "unpriced", row.Cost)
}

// What a pass lost, its summary and what it covers are text of the session.
func TestPassRecordForWhoMayNotRead(t *testing.T) {
	p := somePass("t1", noon, 0, 2)
	verdict := &compaction.GateVerdict{Missing: []string{"never touch billing"}, Classes: map[compaction.FactClass]compaction.GateCounts{compaction.ClassUserConstraint: {Kept: 0, Total: 1}}}
	other := *verdict
	other.Reason = "empty"
	p.Gate, p.Candidate = verdict, &compaction.Candidate{Gate: &other}
	facts := passFacts{pass: p, read: true, summary: "the goal", covered: []message.Message{message.NewUser(message.Text{Text: "hello"}), message.NewAssistant(message.ToolUse{ID: "1", Name: "look", Input: []byte(`{"a":1}`)})}}
	rec := newPassRecord(facts)
	require.Equal(t, "the goal", rec.Summary)
	require.Equal(t, `calls look {"a":1}`, rec.Covered[1].Text)
	require.Equal(t, []string{"never touch billing"}, rec.Gate.Missing)
	require.Equal(t, "0 of 1", rec.Gate.Rows[0].Kept)

	facts.read = false
	rec = newPassRecord(facts)
	require.NotEmpty(t, rec.Hidden)
	require.Empty(t, rec.Summary)
	require.Empty(t, rec.Covered)
	require.Empty(t, rec.Gate.Missing)
	require.Empty(t, rec.Candidate.Gate.Missing)
	require.Equal(t, "0 of 1", rec.Gate.Rows[0].Kept, "counts are numbers")

	facts.pass.Candidate = &compaction.Candidate{Gate: verdict}
	require.Nil(t, newPassRecord(facts).Candidate.Gate, "a candidate's gate that is the pass's own is shown once")
}

func TestLedgerAndTurns(t *testing.T) {
	r := asRole(auth.RoleOperator, "op")
	f := someFacts(3, 1)
	page := newSessionPage(r, f)
	require.Equal(t, "T3 · step 1", page.Ledger.Rows[0].Turn, "newest first")
	require.Equal(t, "T3", page.Turns.Rows[0].Number)
	require.Empty(t, page.Turns.Rows[0].Stop, "the usual end says nothing more")
	require.Equal(t, "compaction", page.Ledger.Rows[2].Purpose.Text)
	require.Equal(t, "unpriced", page.Ledger.Rows[2].Cost)
	require.Equal(t, "1 in force, 0 failed, of 1 attempt", page.Passes.Summary)

	f.turns[2].State, f.turns[2].StopReason, f.turns[2].ErrorCode, f.turns[2].ErrorClass = session.TurnFailed, "", session.CodeProviderError, "overload"
	require.Contains(t, newSessionPage(r, f).Turns.Rows[0].Error, "provider error overload")

	long := newSessionPage(r, someFacts(maxListed+50))
	require.Len(t, long.Ledger.Rows, maxListed)
	require.NotEmpty(t, long.Ledger.Older)
	require.Equal(t, fmt.Sprintf("T%d", maxListed+50), long.Turns.Rows[0].Number)
}

func TestActions(t *testing.T) {
	f := someFacts(2, 1)
	f.rec.State = session.StateRunning
	a := newActions(asRole(auth.RoleOperator, "op"), f)
	require.True(t, a.Show && a.Running && a.CanUndo && a.Chat)
	require.False(t, newActions(asRole(auth.RoleViewer, "val"), f).Show)
	require.False(t, newActions(asRole(auth.RoleViewer, "val"), f).Chat)
	require.True(t, newActions(asRole(auth.RoleClient, "ada"), f).Show, "an owner acts on its own")
	f.passes[0].Outcome = compaction.OutcomeUndone
	require.False(t, newActions(asRole(auth.RoleOperator, "op"), f).CanUndo)
}

func TestPosturePanel(t *testing.T) {
	pinned := message.Seq(1201)
	p := newPosturePanel(compaction.PostureRecord{
		State: compaction.StateMechanicalActive, Reason: compaction.ReasonMechanicalOnly, PrefixTokens: 100, SummaryTokens: 200,
		PendingTokens: 300, TailTokens: 400, PinnedBy: &pinned, CompactionBudget: pricing.Must("0.20"),
	})
	require.Equal(t, "mechanical_active · mechanical_only", p.Code)
	require.Contains(t, p.Pinned, "message 1,201")
	width := 0.0
	for _, s := range p.Split {
		require.InDelta(t, width, pixels(t, s.X), 0.02)
		width += pixels(t, s.W)
	}
	require.InDelta(t, 100, width, 0.05)
	require.Empty(t, newPosturePanel(compaction.PostureRecord{}).Split)
}

func TestSessionList(t *testing.T) {
	older, newer := someRecord("a", "ada", ""), someRecord("b", "ada", "Newer")
	older.UpdatedAt = noon.Add(-time.Hour)
	l := newSessionList(asRole(auth.RoleClient, "ada"), []session.Record{older, newer}, "a")
	require.Equal(t, "Newer", l.Items[0].Title)
	require.Equal(t, "New session", l.Items[1].Title, "no title yet")
	require.True(t, l.Items[1].Current)
}
