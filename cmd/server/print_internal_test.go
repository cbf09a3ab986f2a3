package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Nothing that a terminal acts on comes through, however the bytes are cut into writes.
func TestSafeWriter(t *testing.T) {
	const text = "plain\ttab\nnewline é 漢 🙂 \x1b[31mred\x1b]0;title\x07 \x00 \x7f \u009b31m \u202egnp.exe \u2066x\r end"
	const want = "plain\ttab\nnewline é 漢 🙂 ?[31mred?]0;title? ? ? ?31m ?gnp.exe ?x? end"
	for size := 1; size <= len(text); size++ {
		var out strings.Builder
		w := newSafeWriter(&out)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			wrote, err := w.Write([]byte(rest[:n]))
			require.NoError(t, err)
			require.Equal(t, n, wrote)
			rest = rest[n:]
		}
		require.Equal(t, want, out.String(), "writes of %d bytes", size)
	}
}

func TestSafeWriter_BrokenText(t *testing.T) {
	var out strings.Builder
	w := newSafeWriter(&out)
	_, err := w.Write([]byte("a\xff\xfe\x9bb\n"))
	require.NoError(t, err)
	require.NotContains(t, out.String(), "\x9b")
	require.True(t, strings.HasPrefix(out.String(), "a"))
	require.True(t, strings.HasSuffix(out.String(), "b\n"))
}

func FuzzSafeWriter(f *testing.F) {
	f.Add("a\x1b[0m", 1)
	f.Add("漢字", 2)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var out strings.Builder
		w := newSafeWriter(&out)
		cut = min(max(cut, 0), len(text))
		_, _ = w.Write([]byte(text[:cut]))
		_, _ = w.Write([]byte(text[cut:]))
		_, _ = w.Write([]byte("\n"))
		for _, r := range out.String() {
			require.Equal(t, r, harmless(r))
		}
	})
}

// JSON for scripts says exactly what the server said, and still holds nothing that a terminal acts on.
func TestPrintJSON(t *testing.T) {
	in := map[string]string{"text": "\x1b[31m \u009b \u202e <&> é"}
	var out strings.Builder
	require.NoError(t, printJSON(newSafeWriter(&out), in))
	for _, r := range out.String() {
		require.Equal(t, r, harmless(r))
	}
	require.Contains(t, out.String(), "<&> é")
	var back map[string]string
	require.NoError(t, json.Unmarshal([]byte(out.String()), &back))
	require.Equal(t, in, back)
}

func TestTable_KeepsRowsWhole(t *testing.T) {
	var out strings.Builder
	require.NoError(t, table(&out, "A\tB", [][]any{{"x\ny", ""}, {1, "z\tz"}}))
	require.Equal(t, "A    B\nx y  -\n1    z z\n", out.String())
}

func TestSettingsJSON(t *testing.T) {
	got, err := settingsJSON([]string{"threshold_tokens=20000", "max_cost_per_session_usd=0.50", "fold=false", "mode=semantic", "streaming.precompact_threshold=0.9", "summary_prompt_version=1.0.0"})
	require.NoError(t, err)
	require.JSONEq(t, `{"threshold_tokens":20000,"max_cost_per_session_usd":"0.50","fold":false,"mode":"semantic","streaming.precompact_threshold":0.9,"summary_prompt_version":"1.0.0"}`, string(got))
	none, err := settingsJSON(nil)
	require.NoError(t, err)
	require.Nil(t, none)
	_, err = settingsJSON([]string{"fold"})
	require.ErrorContains(t, err, "KEY=VALUE")
}
