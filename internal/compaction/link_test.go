package compaction_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// Deleted, altered and shortened summaries are seen, each with its span and reason, whatever the order they come in
// (spec 6.8).
func TestLinkCheck(t *testing.T) {
	a, b, c := summary("a", span(0, 10), 30), summary("b", span(10, 20), 30), summary("c", span(20, 30), 30)
	altered, shortened, emptied := b, b, b
	altered.Text = "t" + b.Text[1:]
	shortened.Text = b.Text[:29]
	emptied.Text = ""
	missing := func(start, end int) compaction.Break {
		return compaction.Break{Span: span(start, end), Reason: compaction.ReasonSummaryLinkMissing}
	}
	corrupt := compaction.Break{Span: span(10, 20), Reason: compaction.ReasonSummaryLinkCorrupt, ID: "b"}
	for name, tc := range map[string]struct {
		summaries []compaction.Summary
		watermark message.Seq
		want      []compaction.Break
	}{
		"whole":               {[]compaction.Summary{a, b, c}, 30, nil},
		"in any order":        {[]compaction.Summary{c, a, b}, 30, nil},
		"nothing covered":     {nil, 0, nil},
		"first gone":          {[]compaction.Summary{b, c}, 30, []compaction.Break{missing(0, 10)}},
		"middle gone":         {[]compaction.Summary{a, c}, 30, []compaction.Break{missing(10, 20)}},
		"last gone":           {[]compaction.Summary{a, b}, 30, []compaction.Break{missing(20, 30)}},
		"all gone":            {nil, 30, []compaction.Break{missing(0, 30)}},
		"altered":             {[]compaction.Summary{a, altered, c}, 30, []compaction.Break{corrupt}},
		"shortened":           {[]compaction.Summary{a, shortened, c}, 30, []compaction.Break{corrupt}},
		"emptied":             {[]compaction.Summary{a, emptied, c}, 30, []compaction.Break{corrupt}},
		"two breaks in order": {[]compaction.Summary{shortened, c}, 31, []compaction.Break{missing(0, 10), corrupt, missing(30, 31)}},
	} {
		require.Equal(t, tc.want, compaction.LinkCheck(tc.summaries, tc.watermark), name)
	}
}

func TestPlaceSummary(t *testing.T) {
	a, b, c := summary("a", span(0, 10), 9), summary("b", span(10, 20), 9), summary("c", span(20, 30), 9)
	list := compaction.PlaceSummary([]compaction.Summary{a, c}, b, nil)
	require.Equal(t, []string{"a", "b", "c"}, ids(list))
	require.Equal(t, []string{"a", "r", "c"}, ids(compaction.PlaceSummary(list, summary("r", span(10, 20), 9), []string{"b"})))
	require.Equal(t, []string{"f", "c"}, ids(compaction.PlaceSummary(list, summary("f", span(0, 20), 9), []string{"a", "b"})))
	require.Equal(t, []string{"a", "b", "c"}, ids(list), "the list it came from stays")
}
