package compaction_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// viewJSON is a view as bytes, to be compared.
func viewJSON(t testing.TB, v message.View) string {
	t.Helper()
	b, err := json.Marshal(v.Messages)
	require.NoError(t, err)
	return string(b)
}

// B01: after chained passes no result is left whose call is gone; a cut that would leave one is seen before it is
// committed.
func TestCaseB01_ChainedPassesLeaveNoOrphan(t *testing.T) {
	rows := history(t, "U A{t1} R(t1) A U A{t2} R(t2) A{t3} R(t3) A U")
	for _, first := range cutsOf(rows) {
		for _, second := range cutsOf(rows) {
			if first == 0 || second <= first {
				continue
			}
			list := compaction.PlaceSummary(nil, summary("p2", message.Span{Start: first, End: second}, 9), nil)
			list = compaction.PlaceSummary(list, summary("p1", message.Span{End: first}, 9), nil)
			require.Empty(t, compaction.LinkCheck(list, second))
			require.NoError(t, message.ValidatePrefix(compaction.BuildView(list, rows[second:], nil).Messages))
		}
	}
	bad := compaction.BuildView([]compaction.Summary{summary("p1", span(0, 2), 9)}, rows[2:], nil)
	require.Error(t, message.ValidatePrefix(bad.Messages))
}

// B03, B07: a cut stands only where the open-call set is empty, and stepping back goes on until it is.
func TestCaseB03_CutInsideAParallelBatch(t *testing.T) {
	rows := history(t, "U A{t1,t2} R(t1) R(t2) A U A")
	require.Equal(t, []message.Seq{0, 1, 4, 5, 6, 7}, cutsOf(rows))
}

func TestCaseB07_StepsBackUntilNoCallIsOpen(t *testing.T) {
	x := compaction.NewIndex(0, history(t, "U A{t1,t2} R(t1) R(t2) A"))
	for q := message.Seq(1); q <= 3; q++ {
		got, ok := x.CutBefore(q, 0)
		require.True(t, ok)
		require.Equal(t, message.Seq(1), got)
	}
	_, ok := x.CutBefore(3, 2)
	require.False(t, ok, "not before low")
	require.Equal(t, message.Seq(4), x.CutAfter(2, 5))
	require.Equal(t, message.Seq(3), x.CutAfter(2, 3), "not after high")
}

// B06: the search for the pair has no bound.
func TestCaseB06_TwelveCallsInOneRow(t *testing.T) {
	rows := history(t, "U A{a,b,c,d,e,f,g,h,i,j,k,l} R(a) R(b) R(c) R(d) R(e) R(f) R(g) R(h) R(i) R(j) R(k) R(l) A")
	require.Equal(t, []message.Seq{0, 1, 14, 15}, cutsOf(rows))
}

// B09: an unanswered call pins the watermark at its row, however much follows, and can be named.
func TestCaseB09_UnansweredCallPins(t *testing.T) {
	rows := history(t, "U:20000 A{confirm1}:20000 "+turns(10, 5_000)+"U")
	s := planState(rows)
	got := planner(config(nil)).Plan(s)
	require.Equal(t, compaction.DoPass, got.Verb)
	require.Equal(t, span(0, 1), got.Span)
	at, open := s.Index.OpenCall()
	require.True(t, open)
	require.Equal(t, message.Seq(1), at)

	answered := compaction.NewIndex(0, append(rows, resultRow([]string{"confirm1"}, 30)))
	_, open = answered.OpenCall()
	require.False(t, open)
	require.True(t, answered.Cut(answered.End()))
}

// B15: results in any order; the boundary is where the last of them has come.
func TestCaseB15_ResultsOutOfOrder(t *testing.T) {
	require.Equal(t, []message.Seq{0, 1, 4, 5}, cutsOf(history(t, "U A{t1,t2} R(t2) R(t1) A")))
}

// B16: right after a pass nothing is due; synthetic rows start no turn and make nothing due.
func TestCaseB16_NoSecondPassAfterTheFirst(t *testing.T) {
	rows := history(t, turns(30, 700)+"U")
	s := planState(rows)
	p := planner(config(nil))
	first := p.Plan(s)
	require.Equal(t, compaction.DoPass, first.Verb)
	s.Watermark, s.SummaryTokens = first.Span.End, 4_000
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb)

	before := p.Watch(s)
	filler := message.Filler(message.FillerNoAnswer)
	s.Index.Append(filler)
	go1 := message.NewUser(message.Text{Text: "go on"})
	go1.Synthetic = true
	s.Index.Append(go1)
	require.Equal(t, before.TailStart, p.Watch(s).TailStart)
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb)
}

// B24: what fires is counted anew from rows and summaries; no figure from before the pass is part of the state.
func TestCaseB24_NothingStaleFires(t *testing.T) {
	s := nearlyFull(t, 29_999, 200_000, 40_000)
	p := planner(config(oneTurn))
	first := p.Plan(s)
	require.Equal(t, compaction.TriggerWindow, first.Trigger)
	before := s.NextRequest()
	s.Watermark, s.SummaryTokens = first.Span.End, 1_000
	s.Index.Forget(s.Watermark)
	require.Equal(t, before-29_999+1_000, s.NextRequest())
	require.Equal(t, compaction.Nothing, p.Plan(s).Verb)
}

// B21: a pass that ends a hair below the trigger is not applied: it must free a fifth of what it covers.
func TestCaseB21_FutileEdges(t *testing.T) {
	for _, tc := range []struct {
		in, out int
		futile  bool
	}{
		{1_000, 800, false}, {1_000, 801, true}, {1_000, 0, false}, {1_000, 1_000, true}, {1_000, 4_000, true},
		{4, 3, false}, {5, 4, false}, {6, 5, true}, {1, 1, true}, {0, 0, false},
	} {
		require.Equal(t, tc.futile, compaction.Futile(tc.in, tc.out), "%+v", tc)
	}
}

// B22: a kept turn that is larger than the threshold starts no pass that frees nothing, and no row of them.
func TestCaseB22_OneTurnAboveTheThreshold(t *testing.T) {
	unread := planState(history(t, "U A{a} R(a):110000"))
	unread.Window = 115_000
	require.NotEqual(t, compaction.DoPass, planner(config(nil)).Plan(unread).Verb, "nothing but the unread result")

	kept := planState(history(t, "U A:110000 U A U"))
	kept.Window = 115_000
	require.NotEqual(t, compaction.DoPass, planner(source(nil)).Plan(kept).Verb, "five turns kept without a bound")
	require.Equal(t, span(0, 2), planner(config(nil)).Plan(kept).Span, "a bounded tail lets it go")
}

// B27, and invariant 4: a pass covers at least one row, whatever asked for it; with none it is an error.
func TestCaseB27_NoPassOverNothing(t *testing.T) {
	for _, ask := range []func(*compaction.State){
		func(s *compaction.State) { s.Forced = true },
		func(s *compaction.State) { s.Manual = true },
		func(s *compaction.State) { s.Window = 4_000 }, // a model with another window
	} {
		s := planState(history(t, "U:3000"))
		ask(&s)
		got := planner(config(nil)).Plan(s)
		require.NotEqual(t, compaction.DoPass, got.Verb)
		require.Zero(t, got.Span.Len())
	}
}

// B60, B61: bytes are counted, so neither CJK nor emoji are taken for less than they cost, and a longer text never
// counts for less.
func TestCaseB60_BytesNotCharacters(t *testing.T) {
	han := message.NewUser(message.Text{Text: strings.Repeat("漢", 30_000)})
	require.Equal(t, 30_000, han.Tokens)
	s := planState([]message.Message{
		message.NewUser(message.Text{Text: "q"}), message.NewAssistant(han.Blocks[0]),
		message.NewUser(message.Text{Text: "q"}), message.NewAssistant(message.Text{Text: "a"}),
		message.NewUser(message.Text{Text: "q"}),
	})
	require.Equal(t, compaction.TriggerThreshold, planner(config(oneTurn)).Plan(s).Trigger)
}

func TestCaseB61_EmojiAndRareCharacters(t *testing.T) {
	for _, text := range []string{strings.Repeat("😀", 1_000), strings.Repeat("𠮷", 1_000), strings.Repeat("👩‍👩‍👧", 300)} {
		require.GreaterOrEqual(t, message.NewUser(message.Text{Text: text}).Tokens, utf8.RuneCountInString(text))
		open := message.NewUser(message.Text{Text: text})
		for limit := 1; limit < 60; limit++ {
			require.True(t, utf8.ValidString(compaction.CarryRequest(open, limit).PlainText()), "cut inside a character")
		}
		last := 0
		for i := 0; i <= len(text); i += 7 {
			n := message.FallbackTokens(i)
			require.GreaterOrEqual(t, n, last)
			last = n
		}
	}
}

// B64: a block that a provider will not take goes with an elision: the note has no image.
func TestCaseB64_ElisionRemovesTheImage(t *testing.T) {
	rows := history(t, "U A{shot} R(shot) A U")
	rows[2] = message.NewUser(message.ToolResult{ToolUseID: "shot", Content: message.Blocks{
		message.Image{MediaType: "image/png", Data: "aW1hZ2U="}, message.Text{Text: "9600x7734"},
	}})
	rows[2].Seq = 2
	e := compaction.Elide(rows, nil, 5, 1)
	require.Equal(t, []message.Seq{2}, e.Seqs)
	view := compaction.BuildView(nil, rows, map[message.Seq]bool{2: true})
	require.NoError(t, message.ValidateHistory(view.Messages))
	require.NotContains(t, viewJSON(t, view), "image/png")
	require.Contains(t, viewJSON(t, view), "4509 bytes, message 2")
}

// B66: at a million tokens one step may jump over any buffer; the estimate of the next request sees it at the next check.
func TestCaseB66_JumpOverTheBuffer(t *testing.T) {
	s := planState(history(t, turns(5, 900)+"U A{a} R(a) A{b,c} R(b,c):50000"))
	s.Window, s.PrefixTokens = 1_000_000, 915_000
	cfg := config(func(c *compaction.Config) { c.ReserveTokens = 1 })
	got := planner(cfg).Plan(s)
	require.Equal(t, compaction.TriggerWindow, got.Trigger, "%d left", s.Window-s.NextRequest())
	require.Equal(t, compaction.DoPass, got.Verb)
	require.LessOrEqual(t, got.Span.End, message.Seq(23), "the unread results stay")
}

// B67: history at 60 % and a prompt of half the window: the pass runs before the call.
func TestCaseB67_PendingPromptCounts(t *testing.T) {
	rows := history(t, "U:10000 A:50000 U A U:50000")
	s := planState(rows)
	s.Window = 100_000
	got := planner(config(oneTurn)).Plan(s)
	require.Equal(t, compaction.DoPass, got.Verb)
	require.True(t, got.Forced, "the prompt leaves less room than is pending")
	without := planState(rows[:4])
	without.Window = 100_000
	require.False(t, planner(config(oneTurn)).Plan(without).Forced)
}

// B69, B112: what fires is what is pending, not a share of the window; a session at 6 % or 17 % of a large window is left
// alone, and the window of the summarizer is no part of the plan.
func TestCaseB69_FarBelowTheWindow(t *testing.T) {
	s := pendingOf(t, 29_999)
	s.Window, s.PrefixTokens = 1_000_000, 140_000
	require.Equal(t, compaction.Nothing, planner(config(oneTurn)).Plan(s).Verb)
}

func TestCaseB112_ParkedSessionIsLeftAlone(t *testing.T) {
	s := planState(history(t, "U:6000 A:6000 U"))
	s.Window = 200_000
	require.Equal(t, compaction.Nothing, planner(config(nil)).Plan(s).Verb)
}

// B70: a request above its limit is carried with head, tail, size and seq; the numbers add up and nothing stands twice.
func TestCaseB70_OversizeRequestIsCarriedWithHeadAndTail(t *testing.T) {
	open := message.NewUser(message.Text{Text: "HEAD" + strings.Repeat("m", 1_330_000) + "TAIL"})
	open.Seq = 7
	got := compaction.CarryRequest(open, 20_000)
	text := got.PlainText()
	require.True(t, strings.HasPrefix(text, "HEAD"))
	require.True(t, strings.HasSuffix(text, "TAIL"))
	require.Contains(t, text, "1300008 of 1330008 bytes of this request left out, message 7")
	require.LessOrEqual(t, message.FallbackTokens(got.Units()), 20_000)

	require.Equal(t, open.Blocks, compaction.CarryRequest(open, 0), "0 = no limit")
	require.Equal(t, open.Blocks, compaction.CarryRequest(open, open.Tokens))
}

// B70: weight that is not text goes; the words stay, once.
func TestCaseB70_OversizeImages(t *testing.T) {
	blocks := []message.Block{message.Text{Text: "what is on these?"}}
	for range 20 {
		blocks = append(blocks, message.Image{MediaType: "image/png", Data: "aW1hZ2U="})
	}
	open := message.NewUser(blocks...)
	got := compaction.CarryRequest(open, 20_000)
	require.Equal(t, message.Blocks{message.Text{
		Text: "what is on these?\n[… 90000 of 90017 bytes of this request left out, message 0 …]\n",
	}}, got)
}

// B76: the tail is kept by tokens, not by rows: few huge rows at the end do not stay.
func TestCaseB76_TailByTokens(t *testing.T) {
	s := planState(history(t, "20*U:10 A:10 U A{a} R(a):90000 A U"))
	got := planner(config(nil)).Plan(s)
	require.Equal(t, span(0, 24), got.Span)
	tail := s.Index.Tokens(message.Span{Start: got.TailStart, End: s.Index.End()})
	require.LessOrEqual(t, tail, 20_000)
}

// B96: the watermark is the end of what was covered: covered and kept rows are all rows, once.
func TestCaseB96_CoveredAndKeptAreAll(t *testing.T) {
	rows := history(t, turns(30, 700)+"U")
	got := planner(config(nil)).Plan(planState(rows))
	require.Equal(t, message.Seq(0), got.Span.Start)
	require.Equal(t, len(rows), got.Span.Len()+len(rows[got.Span.End:]))
	require.Equal(t, got.Span.End, rows[got.Span.End].Seq)
}

// B100, B102: one builder for live, restart and fork: what went through the database gives the same bytes, and a fork at a
// seq sees the beginning of the same view.
func TestCaseB100_SameBytesAfterRestart(t *testing.T) {
	rows := history(t, "U A{t1} R(t1) A U A{t2} R(t2):900 A U")
	list := []compaction.Summary{summary("p1", span(0, 4), 60)}
	list[0].Request, list[0].RequestSeq = rows[0].Blocks, 0
	live := viewJSON(t, compaction.BuildView(list, rows[4:], map[message.Seq]bool{6: true}))

	var storedRows []message.Message
	var storedList []compaction.Summary
	roundTrip(t, rows[4:], &storedRows)
	roundTrip(t, list, &storedList)
	require.Equal(t, live, viewJSON(t, compaction.BuildView(storedList, storedRows, map[message.Seq]bool{6: true})))
}

func roundTrip(t testing.TB, in, out any) {
	t.Helper()
	b, err := json.Marshal(in)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, out))
}

func TestCaseB102_ForkBySeq(t *testing.T) {
	rows := history(t, turns(4, 50))
	list := []compaction.Summary{summary("p1", span(0, 4), 60)}
	full := compaction.BuildView(list, rows[4:], nil).Messages
	for q := message.Seq(4); q <= 16; q++ {
		fork := compaction.BuildView(list, rows[4:q], nil).Messages
		require.Equal(t, viewJSON(t, message.View{Messages: full[:len(fork)]}), viewJSON(t, message.View{Messages: fork}))
	}
}

// B103: putting a summary into a view leaves the list it came from, and its parents, as they were.
func TestCaseB103_OldSummariesAreNotDestroyed(t *testing.T) {
	list := []compaction.Summary{summary("p1", span(0, 2), 9), summary("p2", span(2, 4), 9), summary("p3", span(4, 6), 9)}
	before := slices.Clone(list)
	folded := compaction.PlaceSummary(list, summary("f1", span(0, 4), 9), []string{"p1", "p2"})
	require.Equal(t, before, list)
	require.Equal(t, []string{"f1", "p3"}, ids(folded))
	require.Equal(t, []string{"f1", "p3"}, ids(compaction.PlaceSummary(folded, list[2], []string{"p3"})))
}

func ids(list []compaction.Summary) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.ID)
	}
	return out
}

// B105: order and coverage go by seq; clocks that run back and ids that sort the other way change nothing.
func TestCaseB105_ClocksAndIDsDoNotOrder(t *testing.T) {
	rows := history(t, "U A U A U")
	at := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		rows[i].CreatedAt = at.Add(-time.Duration(i) * time.Hour)
	}
	list := compaction.PlaceSummary(nil, summary("01A", span(2, 4), 9), nil)
	list = compaction.PlaceSummary(list, summary("01Z", span(0, 2), 9), nil)
	require.Equal(t, []string{"01Z", "01A"}, ids(list))
	require.Empty(t, compaction.LinkCheck(list, 4))
	require.Equal(t, planState(history(t, "U A U A U")).Index, planState(rows).Index)
}

// B111, B129: a pass never keeps nothing: the newest user row always follows the summaries, word for word.
func TestCaseB111_TheRequestStays(t *testing.T) {
	for _, notation := range []string{turns(9, 9_000) + "U:90000", "U:50000 A:50000 U", turns(2, 40_000) + "U:1"} {
		rows := history(t, notation)
		for _, force := range []bool{false, true} {
			s := planState(rows)
			s.Forced, s.Window = force, 50_000
			got := planner(config(func(c *compaction.Config) { c.TailMaxTokens = 1 })).Plan(s)
			require.Equal(t, compaction.DoPass, got.Verb)
			require.Less(t, got.Span.End, s.Index.End())
			view := compaction.BuildView([]compaction.Summary{summary("p", got.Span, 90)}, rows[got.Span.End:], nil)
			require.NoError(t, message.ValidateHistory(view.Messages))
			require.Equal(t, rows[len(rows)-1].Blocks, view.Messages[len(view.Messages)-1].Blocks)
		}
	}
}

// B127: a summary is a user message; no user message follows it directly.
func TestCaseB127_NoTwoUserRows(t *testing.T) {
	view := compaction.BuildView([]compaction.Summary{summary("p", span(0, 2), 9)}, history(t, "U"), nil)
	require.NoError(t, message.ValidateHistory(view.Messages))
	require.Len(t, view.Messages, 3)
}

// B129: with all rows covered the view is still valid as soon as the next prompt comes.
func TestCaseB129_NothingLeftAfterTheSummary(t *testing.T) {
	list := []compaction.Summary{summary("p", span(0, 2), 9)}
	require.NoError(t, message.ValidatePrefix(compaction.BuildView(list, nil, nil).Messages))
	require.NoError(t, message.ValidateHistory(compaction.BuildView(list, history(t, "U"), nil).Messages))
}

// B04: the view shares nothing that its reader may append to or write over.
func TestCaseB04_ViewSharesNoSlice(t *testing.T) {
	rows := history(t, "U A{t1} R(t1) A U")
	list := []compaction.Summary{summary("p", span(0, 2), 9)}
	list[0].Request = slices.Clone(rows[0].Blocks)
	before := viewJSON(t, compaction.BuildView(list, rows, nil))
	v := compaction.BuildView(list, rows, nil)
	for i := range v.Messages {
		m := &v.Messages[i]
		for k, b := range m.Blocks {
			if r, ok := b.(message.ToolResult); ok && len(r.Content) > 0 {
				r.Content[0] = message.Text{Text: "overwritten"}
			}
			m.Blocks[k] = message.Text{Text: "overwritten"}
		}
		_ = append(m.Blocks[:0], message.Text{Text: "appended"})
		if m.CompactionSpan != nil {
			m.CompactionSpan.End = 99
		}
	}
	require.Equal(t, before, viewJSON(t, compaction.BuildView(list, rows, nil)))
}
