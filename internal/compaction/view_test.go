package compaction_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/message/messagetest"
)

// The request of the running turn follows the summary in the same message, unchanged (spec 4.9).
func TestBuildView_CarriesTheRequest(t *testing.T) {
	s := summary("p", span(0, 3), 30)
	s.Request = message.Blocks{message.Text{Text: "what is on it?"}, message.Image{MediaType: "image/png", Data: "aW1hZ2U="}}
	s.RequestSeq = 2
	view := compaction.BuildView([]compaction.Summary{s}, history(t, "A{t} R(t)"), nil).Messages
	require.NoError(t, message.ValidateHistory(view))
	require.Len(t, view, 3)
	require.Equal(t, s.Request, view[0].Blocks[1:])
	require.Equal(t, message.FallbackTokens(14+message.ImageUnits), s.CarriedTokens())
	require.Equal(t, view[0].Tokens, s.TextTokens()+s.CarriedTokens())
}

// A truncation is a note and no summary: it has no envelope (spec 4.5).
func TestBuildView_TruncationNote(t *testing.T) {
	cut := span(4, 16)
	note := compaction.TruncationNote(cut)
	s := compaction.Summary{ID: "p", Span: cut, Kind: compaction.KindTruncation, Text: note}
	m := s.Message()
	require.Equal(t, note, m.PlainText())
	require.Contains(t, note, "12 earlier messages (4 to 15)")
	require.True(t, m.Synthetic)
	require.Equal(t, cut, *m.CompactionSpan)
}

// What the estimates say of summaries is what stands in the view, seams included.
func TestSummaryTokens_AgreeWithTheView(t *testing.T) {
	list := []compaction.Summary{summary("a", span(0, 2), 901), summary("b", span(2, 4), 44), summary("c", span(4, 6), 300)}
	list[1].Request = message.Blocks{filled(70)}
	view := compaction.BuildView(list, history(t, "U"), nil)
	want := view.Tokens() - 20
	got := compaction.SummaryTokens(list) + compaction.CarriedTokens(list)
	require.InDelta(t, want, got, float64(len(list)), "each message rounds up once")
}

// A note names tool, size and seq, keeps id and error mark, and replaces every result of its row (spec 4.9).
func TestElide_Note(t *testing.T) {
	rows := history(t, "U A{a,b} R(b,a):1000 A U")
	rows[1].Blocks[1] = message.ToolUse{ID: "a", Name: "grep", Input: []byte(`{}`)}
	rows[2].Blocks[1] = message.TextResult("a", filled(1500).Text, true)
	rows[2].Blocks = append(rows[2].Blocks, message.Text{Text: "and be quick"})
	rows[2].Count()
	view := compaction.BuildView(nil, rows, map[message.Seq]bool{2: true}).Messages
	require.NoError(t, message.ValidateHistory(view))
	require.Equal(t, message.Blocks{
		message.TextResult("b", "[result of bash left out to save room: 1500 bytes, message 2]", false),
		message.TextResult("a", "[result of grep left out to save room: 1500 bytes, message 2]", true),
		message.Text{Text: "and be quick"},
	}, view[2].Blocks)
	require.Equal(t, view[2].Blocks.Units(), view[2].Units)
	require.Equal(t, 3012, rows[2].Units, "the transcript stays as it is")
}

// The oldest read results go first, as many as are needed; unread ones, elided ones and ones smaller than their note stay.
func TestElide_ChoosesTheOldestRead(t *testing.T) {
	rows := history(t, "U A{a} R(a):900 A{b} R(b):2 A{c} R(c):900 A{d} R(d):900")
	note := len("[result of bash left out to save room: 2700 bytes, message 2]")
	saved := 900 - message.FallbackTokens(note)
	for name, tc := range map[string]struct {
		already map[message.Seq]bool
		unread  message.Seq
		need    int
		want    []message.Seq
	}{
		"one is enough":         {nil, 8, saved, []message.Seq{2}},
		"one token more":        {nil, 8, saved + 1, []message.Seq{2, 6}},
		"the unread one stays":  {nil, 8, 1_000_000, []message.Seq{2, 6}},
		"all are read":          {nil, 9, 1_000_000, []message.Seq{2, 6, 8}},
		"what is elided stays":  {map[message.Seq]bool{2: true}, 8, 1, []message.Seq{6}},
		"nothing is needed":     {nil, 8, 0, nil},
		"nothing may go":        {nil, 2, 10, nil},
		"nothing is left to go": {map[message.Seq]bool{2: true, 6: true}, 8, 10, nil},
	} {
		got := compaction.Elide(rows, tc.already, tc.unread, tc.need)
		require.Equal(t, tc.want, got.Seqs, name)
		require.Equal(t, saved*len(got.Seqs), got.Saved, name)
		shown := seqSet(got.Seqs)
		require.Equal(t, got.Saved, compaction.ElidedTokens(rows, shown), name)
		before, after := compaction.BuildView(nil, rows, nil), compaction.BuildView(nil, rows, shown)
		require.Equal(t, got.Saved, before.Tokens()-after.Tokens(), name)
	}
}

func seqSet(seqs []message.Seq) map[message.Seq]bool {
	out := make(map[message.Seq]bool)
	for _, q := range seqs {
		out[q] = true
	}
	return out
}

// Elision laws on any history: it saves what it says, never an unread row, and the view stays valid (spec 4.9).
func TestElide_Laws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := messagetest.ValidHistory(t)
		unread := message.Seq(rapid.IntRange(0, len(rows)).Draw(t, "unread"))
		need := rapid.IntRange(0, 3_000).Draw(t, "need")
		first := compaction.Elide(rows, nil, unread, need)
		shown := seqSet(first.Seqs)
		for _, q := range first.Seqs {
			require.Less(t, q, unread)
		}
		require.NoError(t, message.ValidatePrefix(compaction.BuildView(nil, rows, shown).Messages))
		require.Equal(t, first.Saved, compaction.ElidedTokens(rows, shown))
		require.Equal(t, first, compaction.Elide(rows, nil, unread, need), "twice the same")
		again := compaction.Elide(rows, shown, unread, need)
		for _, q := range again.Seqs {
			require.False(t, shown[q], "elided twice")
		}
		if first.Saved < need {
			require.Empty(t, again.Seqs, "the first took all there was")
		}
	})
}

// A carried request is at most what its limit says, valid, and the same each time (spec 4.9, case B70).
func TestCarryRequest_Laws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.SampledFrom([]string{"x", "漢", "😀", "é "}).Draw(t, "text"), rapid.IntRange(1, 4_000).Draw(t, "n"))
		blocks := []message.Block{message.Text{Text: text}}
		if rapid.Bool().Draw(t, "image") {
			blocks = append(blocks, message.Image{MediaType: "image/png", Data: "aW1hZ2U="})
		}
		open := message.NewUser(blocks...)
		limit := rapid.IntRange(0, 6_000).Draw(t, "limit")
		got := compaction.CarryRequest(open, limit)
		require.Equal(t, got, compaction.CarryRequest(open, limit))
		m := message.NewUser(got...)
		require.NoError(t, message.ValidateHistory([]message.Message{m}))
		if limit == 0 || open.Tokens <= limit {
			require.Equal(t, open.Blocks, got)
			return
		}
		note := len("\n[… 999999 of 999999 bytes of this request left out, message 0 …]\n")
		require.LessOrEqual(t, m.Units, limit*3/2+note)
		require.Less(t, m.Units, open.Units+note)
		require.NotContains(t, m.PlainText(), "-")
	})
}
