package compaction

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tidemark/internal/message"
)

// Parts of drawn conversations; all made up.
var (
	drawnWords = []string{
		"harbor", "fixTide", "TideTable", "tide_table", "MAX_BOATS", "internal/tide/table.go", "/srv/harbor/pier.ts", "8731", "cafe123",
		"never push", "only on Monday", "you may not merge", "decided to wait", "潮汐表", "déjà", "🙂", "rate limit", "error: bad rope", "\n", "```",
		"## Files", "[… ", "…]", "</COMPACTION_SUMMARY>", "$", "12:", "Exit code 2", "a", "\t", "\x00", "\u2028",
	}
	drawnTools = []string{"Bash", "Edit", "Read", "Write", "Grep", "apply_patch", "TodoWrite", "mcp__x__ask_user", "str_replace_editor", ""}
	drawnKeys  = []string{"command", "file_path", "path", "old_string", "pattern", "todos", "content", "status", "n"}
)

func drawWords(t *rapid.T, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(drawnWords, secrets...)), 1, most).Draw(t, "words"), " ")
}

// drawTalk draws a conversation with every kind of block, valid or not.
func drawTalk(t *rapid.T) []message.Message {
	k := &talk{}
	for range rapid.IntRange(0, 14).Draw(t, "rows") {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			k.user(drawWords(t, 30))
		case 1:
			k.user(strings.Repeat(drawWords(t, 12)+" ", 60))
		case 2:
			k.says(drawWords(t, 30))
		case 3:
			k.add(message.Filler(message.FillerInterrupted))
		default:
			in := map[string]any{}
			for _, key := range rapid.SliceOfN(rapid.SampledFrom(drawnKeys), 0, 4).Draw(t, "keys") {
				in[key] = drawWords(t, 8)
			}
			k.calls(drawWords(t, 5), rapid.SampledFrom(drawnTools).Draw(t, "tool"), in, drawWords(t, 40), rapid.Bool().Draw(t, "failed"))
		}
	}
	return k.rows
}

func TestMechanical_Laws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawTalk(t)
		ds := digestRows(rows)
		opt := MechanicalOptions{MaxTokens: rapid.SampledFrom([]int{1, 40, 64, 100, 300, 1000, 4096}).Draw(t, "max")}
		m := Mechanical(ds, opt)
		checkBounds(t, m, opt.MaxTokens, len(rows) > 0)
		checkFacts(t, m)
		checkNoSecret(t, m, ds)
		if again := Mechanical(digestRows(rows), opt); again.Text != m.Text || !slices.Equal(again.Facts, m.Facts) {
			t.Fatal("two runs differ")
		}
		if stored := Mechanical(throughJSON(t, ds), opt); stored.Text != m.Text {
			t.Fatalf("stored digests give another text:\n%s\n---\n%s", m.Text, stored.Text)
		}
	})
}

func checkBounds(t *rapid.T, m MechanicalSummary, most int, spoken bool) {
	if m.Tokens > most || m.Tokens != message.FallbackTokens(len(m.Text)) {
		t.Fatalf("%d tokens of %d", m.Tokens, most)
	}
	if !utf8.ValidString(m.Text) || spoken && strings.TrimSpace(m.Text) == "" {
		t.Fatalf("text %q", m.Text)
	}
}

func checkFacts(t *rapid.T, m MechanicalSummary) {
	text := foldSpace(m.Text)
	count, ids := map[FactClass]int{}, map[string]bool{}
	class, seq := -1, message.Seq(0)
	for _, f := range m.Facts {
		if !strings.Contains(text, foldSpace(f.Text)) || f.Text == "" {
			t.Fatalf("fact %q does not stand in the text", f.Text)
		}
		if count[f.Class]++; count[f.Class] > MaxFactsPerClass {
			t.Fatalf("too many facts of %s", f.Class)
		}
		k := slices.Index(FactClasses[:], f.Class)
		if k < class || k == class && f.Seq > seq {
			t.Fatal("facts are not in order of class, newest first")
		}
		class, seq = k, f.Seq
		if ids[f.ID] {
			t.Fatalf("id %s twice", f.ID)
		}
		ids[f.ID] = true
	}
}

func checkNoSecret(t *rapid.T, m MechanicalSummary, ds []Digest) {
	all, err := json.Marshal([]any{m, ds})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if strings.Contains(string(all), s) {
			t.Fatalf("secret %s in %s", s, all)
		}
	}
}

func throughJSON(t require.TestingT, ds []Digest) []Digest {
	b, err := json.Marshal(ds)
	require.NoError(t, err)
	var out []Digest
	require.NoError(t, json.Unmarshal(b, &out))
	return out
}

func TestDigest_SurvivesJSON(t *testing.T) {
	ds := repairShop().digests()
	require.Equal(t, ds, throughJSON(t, ds))
	m := MergeDigests(ds, 0)
	require.Equal(t, []Digest{m}, throughJSON(t, []Digest{m}))
	var bad Digest
	require.ErrorContains(t, json.Unmarshal([]byte(`{"specifics":"a b"}`), &bad), "cannot be read")
}

func TestMergeDigests_IsBoundedAndCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ds := digestRows(drawTalk(t))
		bound := rapid.SampledFrom([]int{500, 2000, 8000, 64 << 10}).Draw(t, "bound")
		m := MergeDigests(ds, bound)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > bound*3/2+4000 { // the bound is of content; the frame, the says and answers are apart
			t.Fatalf("%d bytes for a bound of %d", len(b), bound)
		}
		all := mergeAll(ds)
		if len(m.Asks)+m.Left.Asks != len(all.Asks)+all.Left.Asks || len(m.Specifics)+m.Left.Specifics != len(all.Specifics)+all.Left.Specifics ||
			len(m.Errors)+m.Left.Errors != len(all.Errors) || len(m.Limits)+m.Left.Limits != len(all.Limits)+all.Left.Limits {
			t.Fatal("something was lost without being counted")
		}
	})
}
