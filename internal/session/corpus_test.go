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

// recordings are the smallest transcript of each form, or all of them.
func recordings(t *testing.T) []string {
	t.Helper()
	files := corpus.Files(t)
	if proving() {
		return files
	}
	smallest := make(map[string]string)
	size := make(map[string]int64)
	for _, f := range files {
		form, _, _ := strings.Cut(filepath.Base(f), "-")
		st, err := os.Stat(f)
		require.NoError(t, err)
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

// TestCorpus plays recorded sessions through the engine at several thresholds, tails and modes: no refused request, exact
// books, no request beyond what its knobs allow.
func TestCorpus(t *testing.T) {
	files := recordings(t)
	for _, k := range []struct{ threshold, hardCap int }{{2_000, 4_000}, {8_000, 16_000}, {30_000, 80_000}, {80_000, 120_000}} {
		for _, tail := range []int{0, 2_000, 20_000} {
			for _, mode := range []string{"two_phase", "mechanical", "semantic"} {
				name := fmt.Sprintf("%dk-%dk/tail-%d/%s", k.threshold/1000, k.hardCap/1000, tail, mode)
				if !proving() && (mode == "semantic") != (tail == 2_000) {
					continue // the long run has them all
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					knobs := fmt.Sprintf(`{"threshold_tokens":%d,"hard_cap_tokens":%d,"tail_max_tokens":%d,"mode":%q}`, k.threshold, k.hardCap, tail, mode)
					playCorpus(t, files, knobs)
				})
			}
		}
	}
}

func TestCorpusBySourceRules(t *testing.T) {
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
