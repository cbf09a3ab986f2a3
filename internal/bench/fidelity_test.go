package bench_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/bench"
	"tidemark/internal/transcript/corpus"
)

// TestFidelity_Corpus holds the mechanical summary to its targets on real sessions: what a session needs later is in
// the summary, instructions stand word for word, and the summary stays within its bound.
func TestFidelity_Corpus(t *testing.T) {
	rep, err := bench.Fidelity(corpus.Files(t))
	require.NoError(t, err)
	var table bytes.Buffer
	require.NoError(t, rep.WriteTable(&table))
	t.Log("\n" + table.String())
	m := rep.Methods[0]
	require.Equal(t, bench.MechanicalName, m.Name)
	if rep.Compactions < 50 {
		t.Skipf("only %d compactions: too few to judge by", rep.Compactions)
	}
	require.GreaterOrEqual(t, m.MeanRecall, 0.86, "future recall, mean over compactions")
	require.GreaterOrEqual(t, m.PooledRecall, 0.84, "future recall over all")
	require.GreaterOrEqual(t, m.InstructionShare, 0.98, "instructions kept word for word")
	require.LessOrEqual(t, m.MaxTokens, 4096)
	for _, b := range rep.Methods[1:] {
		if b.Name != "all specifics 4000" { // a bare list without instructions or context
			require.Greater(t, m.MeanRecall, b.MeanRecall, b.Name)
		}
	}
}

func TestFidelity_ShortSessionHasNoCompaction(t *testing.T) {
	f := filepath.Join(t.TempDir(), "short.jsonl")
	require.NoError(t, os.WriteFile(f, []byte(`{"type":"session","id":"s","source":"x"}
{"role":"user","content":"hello"}
{"role":"assistant","content":"hi"}
`), 0o600))
	rep, err := bench.Fidelity([]string{f})
	require.NoError(t, err)
	require.Equal(t, 1, rep.Files)
	require.Zero(t, rep.Compactions)
	var out bytes.Buffer
	require.NoError(t, rep.WriteJSON(&out))
	require.True(t, json.Valid(out.Bytes()))
}

func TestFidelity_MissingFileIsNamed(t *testing.T) {
	_, err := bench.Fidelity([]string{"no-such-file.jsonl"})
	require.ErrorContains(t, err, "no-such-file.jsonl")
}
