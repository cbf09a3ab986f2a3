package views_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"tidemark/views"
)

var update = flag.Bool("update", false, "write the golden files of this package")

// hurt is text that would do something if it ever became markup.
const hurt = `<img src=x onerror=alert(1)> "&'`

var (
	chip   = views.Chip{Text: "running" + hurt, Tone: views.ToneSea, About: "about" + hurt}
	when   = views.Moment{ISO: "2026-11-30T12:00:00Z", Text: "12:00:00", Form: "clock"}
	gauge  = views.Gauge{Known: true, Fill: "62.00%", Tick: "72.00%", Tone: views.ToneSand, Text: "58k of 200k", About: hurt}
	figure = views.Figure{ID: "spend", Label: "Spend", Value: "$7.90", Note: hurt, Tone: views.ToneLeaf, About: hurt}
	facts  = []views.Fact{{Name: "Span", Value: hurt, About: hurt}}
	gate   = &views.GateTable{Verdict: chip, Reason: hurt, Rows: []views.GateRow{{Class: "active goal", Kept: "1 of 2", Fill: "50.00%", Tone: views.ToneCoral}}, Missing: []string{hurt}}
	pass   = views.PassRow{
		ID: "p1", Href: "/fragments/s/s1/pass/p1", At: when, Moved: "0 → 24", Trigger: "threshold passed", Place: "at turn start", Kind: chip,
		Cache: "miss b57506d22787", Before: "58,214", Estimated: "21,930", Measured: "–", Summary: "622 tokens", Took: "0.3 s", Cost: "$0.0198",
		Invalidated: "41,889 tokens", BreakEven: "after 3 calls", Gate: chip, Candidate: chip, Outcome: chip, Attempt: "attempt 2",
	}
	row = views.SessionRow{
		ID: "s1", Href: "/ops/s/s1", Title: hurt, Named: true, Model: "sim:assistant", Simulated: true, State: chip, Posture: chip, Turns: "61",
		Spend: "$7.90", Compact: "$0.1180", Unpriced: "2 unpriced", CacheHit: "88 %", Summaries: "2 / 5", Mark: gauge, Context: gauge, Last: when, Attached: "2 clients",
	}
	operator = views.Viewer{Owner: "op" + hurt, Role: "operator", Chat: true, Ops: true, Act: true}
)

// components are the cards of all pages, each with every part that it can have.
var components = map[string]templ.Component{
	"chip":           views.ChipView(chip),
	"moment_never":   views.MomentView(views.Moment{}),
	"gauge":          views.GaugeView(gauge),
	"gauge_unknown":  views.GaugeView(views.Gauge{Text: "not measured"}),
	"figures":        views.Figures("figures", []views.Figure{figure}),
	"glossary":       views.Glossary([]views.Figure{figure}),
	"session_row":    views.SessionRowView(row),
	"session_row_id": views.SessionRowView(views.SessionRow{ID: "s1", Href: "/ops/s/s1", Title: "01M8…JBA6X1"}),
	"session_table": views.SessionTableView(views.SessionTable{
		Filter: views.SessionFilter{Query: hurt, State: "idle", Keep: []views.Field{{Name: "sort", Value: hurt}}, States: []string{"running", "idle"}},
		Heads:  []views.Link{{Text: "Session", Href: "/ops?sort=title", About: "a"}, {Text: "Spend", Href: "/ops?sort=spend", Sort: "descending"}}, Summary: "0 of 3 sessions", None: "No session passes this filter.",
	}),
	"feed_item": views.FeedItemView(views.FeedItem{ID: "7", Group: "turn", Trouble: true, At: when, Chip: chip, Session: hurt, Href: "/ops/s/s1", Text: hurt}),
	"chart": views.ChartView(views.Chart{
		Height: 260, Bars: []views.Bar{{X: "1.00%", W: "9.00%", Parts: []views.Part{{Class: "read", Y: "10.0", H: "20.0"}}, Title: "Call 1: 10 tokens"}},
		Levels: []views.Level{{Y: "40.0", TextY: "34.0", Tone: views.ToneSand, Text: "compacts at about 50k"}},
		Marks:  []views.Mark{{X: "50.00%", Top: "8.0", Floor: "90.0", Text: "58k → 21k", TextX: "50.60%", TextY: "2.0", Anchor: "start", Title: "Compaction"}},
		Ticks:  []views.Tick{{Y: "259.0", Text: "0"}}, First: "call 1", Last: "call 1", Caption: "Tokens", More: "more",
		Rows: []views.ChartRow{{Call: "1", Total: "10", Read: "10", Write: "0", Fresh: "0"}, {Compact: "Compaction: 58,214 → 21,930 tokens"}},
	}),
	"chart_empty": views.ChartView(views.Chart{}),
	"watermark": views.WatermarkView(views.WatermarkHistory{
		Height: 170, Steps: []views.Line{{X1: "0%", Y1: "1", X2: "2%", Y2: "1"}}, Grown: []views.Line{{X1: "0%", Y1: "3", X2: "2%", Y2: "2"}},
		Fill: []views.Box{{X: "0%", Y: "1", W: "2%", H: "4"}}, Ticks: []views.Tick{{Y: "4", Text: "0"}}, First: "turn 1", Last: "turn 2",
		Rows: []views.WatermarkRow{{At: when, Moved: "0 → 24", Trigger: "threshold passed", How: "call", Cost: "$0.0198", Undone: true}},
	}),
	"posture": views.PostureView(views.PosturePanel{
		Chip: chip, Words: "Words.", Reason: "Reason.", Code: "idle · no_active_compaction", Facts: facts, Pinned: "pinned",
		Split: []views.Share{{Name: "prefix", Tone: "plain", Value: "164", X: "0.00%", W: "10.00%"}},
	}),
	"pass_row": views.PassRowView(pass),
	"pass_record": views.PassRecordView(views.PassRecord{
		ID: "p1", Facts: facts, Gate: gate, Candidate: &views.CandidateCard{State: chip, Reason: hurt, Facts: facts, Gate: gate}, Summary: hurt,
		Covered: []views.CoveredRow{{Seq: "0", Role: "user", Text: hurt}}, CoveredN: "1 message", Error: hurt,
	}),
	"pass_record_hidden": views.PassRecordView(views.PassRecord{ID: "p1", Hidden: "Your role sees numbers only."}),
	"ledger": views.LedgerView(views.Ledger{ID: "s1", Summary: "1 model call", Older: "/api/v1/sessions/s1/ledger", Rows: []views.LedgerRow{{
		ID: "l1", At: when, Turn: "T1 · step 1", Purpose: chip, Model: "sim:assistant", Attempt: "attempt 2", Fresh: "1", Read: "2", Write5m: "3", Write1h: "4",
		Output: "5", Reason: "6", Prices: "2026-11-30", Cost: "unpriced", Latency: "0.3 s", Outcome: chip, Break: hurt,
	}}}),
	"turns": views.TurnListView(views.TurnList{Summary: "1 turn", Rows: []views.TurnRow{{
		ID: "t1", Number: "T1", State: chip, Stop: "cancelled", Steps: "2", Input: "10", Cached: "90 %", Output: "5", Cost: "$0.01", Compact: "$0.00",
		Started: when, Took: "1.2 s", Error: hurt,
	}}}),
	"actions":         views.ActionBar(views.Actions{ID: "s1", Show: true, Chat: true, CanUndo: true}),
	"actions_running": views.ActionBar(views.Actions{ID: "s1", Show: true, Running: true}),
	"actions_viewer":  views.ActionBar(views.Actions{ID: "s1"}),
	"context_panel":   views.ContextPanelView(views.ContextPanel{Gauge: gauge, Operate: true, CanUndo: true, Passes: []views.PassRow{pass}}),
	"session_list":    views.SessionListView(views.SessionList{Items: []views.SessionItem{{ID: "s1", Href: "/s/s1", Title: hurt, State: chip, Cost: "$7.90", Last: when, Current: true}, {ID: "s2", Href: "/s/s2", Title: "b", Running: true}}}),
	"partial":         views.Partial("#feed-items", "upsert"),
	"login":           views.Login(views.LoginPage{Page: views.Page{Title: "Sign in", Scripts: []string{"login.js"}}, Error: hurt}),
	"error":           views.Error(views.ErrorPage{Page: views.Page{Title: "Error", Who: operator}, Status: "404", Title: "Not found", Detail: hurt, Code: "not_found"}),
	"ops_empty":       views.Ops(views.OpsPage{Page: views.Page{Title: "Operations", Nav: views.NavOps, Who: operator, Live: true}, Empty: &views.EmptyOps{CanSample: true, Turns: 40}}),
	"chat": views.Chat(views.ChatPage{
		Page: views.Page{Title: hurt, Nav: views.NavChat, Who: operator, Fixed: true}, MaxMessage: 1 << 20,
		Session: &views.ChatSession{ID: "s1", Title: hurt, Model: "sim:assistant", State: chip, Cost: "$7.90", Owner: "ada", Drive: true},
	}),
	"chat_new": views.Chat(views.ChatPage{Page: views.Page{Title: "Chat", Who: operator}, Models: []views.Choice{{Value: "sim:assistant", Text: "assistant (simulated)"}}}),
}

func draw(t *testing.T, c templ.Component) string {
	t.Helper()
	var sb strings.Builder
	require.NoError(t, c.Render(t.Context(), &sb))
	return sb.String()
}

// between puts each tag of a golden file on a line of its own, so that a difference can be read.
var between = regexp.MustCompile(`>\s*<`)

func TestGolden(t *testing.T) {
	for name, c := range components {
		t.Run(name, func(t *testing.T) {
			got := between.ReplaceAllString(draw(t, c), ">\n<") + "\n"
			path := filepath.Join("testdata", name+".html")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got, "run with -update and look at the difference")
		})
	}
	files, err := filepath.Glob("testdata/*.html")
	require.NoError(t, err)
	require.Len(t, files, len(components), "a golden file without its component")
}

// Text stays text wherever it is put, and no component has what the content policy refuses.
func TestNothingBecomesMarkup(t *testing.T) {
	for name, c := range components {
		nodes := html.NewTokenizer(strings.NewReader(draw(t, c)))
		for nodes.Next() != html.ErrorToken {
			tok := nodes.Token()
			require.NotEqual(t, "img", tok.Data, name)
			for _, a := range tok.Attr {
				require.False(t, strings.HasPrefix(a.Key, "on") || a.Key == "style", "%s: <%s %s>", name, tok.Data, a.Key)
			}
			if tok.Data == "style" && tok.Type == html.StartTagToken {
				t.Errorf("%s has a style of its own", name)
			}
		}
	}
}

// Ids are what the event stream and labels aim at: each stands once.
func TestIDsAreUnique(t *testing.T) {
	for name, c := range components {
		seen := make(map[string]bool)
		nodes := html.NewTokenizer(strings.NewReader(draw(t, c)))
		for nodes.Next() != html.ErrorToken {
			for _, a := range nodes.Token().Attr {
				if a.Key == "id" {
					require.False(t, seen[a.Val], "%s: id %s stands twice", name, a.Val)
					seen[a.Val] = true
				}
			}
		}
	}
}
