package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
	"tidemark/internal/transcript"
	"tidemark/internal/transcript/corpus"
)

// proving runs the long form: the whole corpus at all settings.
func proving() bool { return os.Getenv("TIDEMARK_PROVE") != "" }

// representative bounds the transcripts of the short form, in bytes.
const representative = 450 << 10

// recordings are the smallest transcript of each form, or all of them.
func recordings(t *testing.T) []string {
	t.Helper()
	files := corpus.Files(t)
	if proving() {
		return files
	}
	smallest, size := make(map[string]string), make(map[string]int64)
	for _, f := range files {
		form, _, _ := strings.Cut(filepath.Base(f), "-")
		st, err := os.Stat(f)
		require.NoError(t, err)
		if st.Size() > representative {
			continue
		}
		if n, ok := size[form]; !ok || st.Size() < n {
			smallest[form], size[form] = f, st.Size()
		}
	}
	var out []string
	for _, f := range files {
		if form, _, _ := strings.Cut(filepath.Base(f), "-"); smallest[form] == f {
			out = append(out, f)
		}
	}
	return out
}

// setting is one row of knobs that the corpus is played at.
type setting struct {
	threshold, hardCap, tail int
	mode                     string
}

// settings are the thresholds, tails and modes of the invariants in full, or a representative part of them.
func settings() []setting {
	if !proving() {
		return []setting{
			{2_000, 4_000, 20_000, "mechanical"}, {2_000, 4_000, 2_000, "semantic"}, {8_000, 16_000, 20_000, "two_phase"},
			{8_000, 16_000, 0, "mechanical"}, {30_000, 80_000, 20_000, "two_phase"}, {80_000, 120_000, 0, "two_phase"},
		}
	}
	var out []setting
	for _, k := range []struct{ threshold, hardCap int }{{2_000, 4_000}, {8_000, 16_000}, {30_000, 80_000}, {80_000, 120_000}} {
		for _, tail := range []int{0, 2_000, 20_000} {
			for _, mode := range []string{"two_phase", "mechanical", "semantic"} {
				out = append(out, setting{k.threshold, k.hardCap, tail, mode})
			}
		}
	}
	return out
}

// TestCorpus plays recorded sessions through the engine at several thresholds, tails and modes: no refused request, exact
// books.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("the corpus is played without -short")
	}
	files := recordings(t)
	for _, k := range settings() {
		t.Run(fmt.Sprintf("%dk-%dk/tail-%d/%s", k.threshold/1000, k.hardCap/1000, k.tail, k.mode), func(t *testing.T) {
			t.Parallel()
			playCorpus(t, files, fmt.Sprintf(`{"threshold_tokens":%d,"hard_cap_tokens":%d,"tail_max_tokens":%d,"mode":%q}`, k.threshold, k.hardCap, k.tail, k.mode))
		})
	}
}

func TestCorpusBySourceRules(t *testing.T) {
	if testing.Short() {
		t.Skip("the corpus is played without -short")
	}
	t.Parallel()
	playCorpus(t, recordings(t), `{"profile":"source"}`)
}

func playCorpus(t *testing.T, files []string, knobs string) {
	t.Helper()
	var largest atomic.Int64
	w := sessiontest.Open(t, sessiontest.Options{OnServed: func(s sim.Served) {
		if n := int64(s.Usage.Prompt()); s.Model == model.SimReplay && n > largest.Load() {
			largest.Store(n) // approximate when calls race; each file plays one call at a time
		}
	}})
	for _, f := range files {
		rec, err := transcript.ReadFile(f)
		require.NoError(t, err)
		rows, _ := message.Repair(rec.Messages)
		id, err := w.Replay(sessiontest.Cut(rows), session.NewSession{System: rec.System, Overrides: []byte(knobs)})
		require.NoError(t, err, f)
		w.CheckBooks(id)
	}
	t.Logf("largest request %d tokens", largest.Load())
}
