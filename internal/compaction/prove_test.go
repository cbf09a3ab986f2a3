package compaction_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/transcript"
	"tidemark/internal/transcript/corpus"
)

// envProve asks for all transcripts with all settings instead of a representative part.
const envProve = "TIDEMARK_PROVE"

// setting is one way to run a transcript.
type setting struct {
	limits [2]int
	tail   int
	window int
	check  compaction.Check
	mode   compaction.Mode
}

func (s setting) String() string {
	return fmt.Sprintf("%dk/%dk tail %d window %d %s %s", s.limits[0]/1_000, s.limits[1]/1_000, s.tail, s.window, s.check, s.mode)
}

func (s setting) config() compaction.Config {
	return config(func(c *compaction.Config) {
		c.ThresholdTokens, c.HardCapTokens, c.TailMaxTokens = s.limits[0], s.limits[1], s.tail
		c.Check, c.Mode = s.check, s.mode
	})
}

// settings crosses every limit with every tail, at each step and at turn starts alone, with windows from small to
// unknown; a few of them stand for the rest unless all are asked for.
func settings(all bool) []setting {
	windows := []int{0, 32_000, 200_000, 1_000_000}
	var out []setting
	for i, l := range [][2]int{{2_000, 4_000}, {8_000, 16_000}, {30_000, 80_000}, {80_000, 120_000}} {
		for k, tail := range []int{0, 2_000, 20_000} {
			for w, window := range windows {
				s := setting{l, tail, window, compaction.CheckStep, compaction.ModeTwoPhase}
				if all {
					out = append(out, s)
					s.check, s.mode = compaction.CheckTurn, compaction.ModeSemantic
					out = append(out, s)
				} else if (i+k)%len(windows) == w {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// The invariants of the cases hold after every step of real sessions, at every setting.
func TestPlan_InvariantsOverTheCorpus(t *testing.T) {
	all := os.Getenv(envProve) == "1"
	for i, path := range corpus.Files(t) {
		if !all && i%6 != 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			rows := corpusRows(t, path)
			for _, s := range settings(all) {
				e := proveSetting(t, rows, s)
				t.Logf("%s: %d passes, %d folds, %d truncations, %d elisions", s, e.passes, e.folds, e.truncations, e.elisions)
			}
		})
	}
}

// proveSetting replays a transcript; every other pass ends otherwise than well, so that waits and truncations come up.
func proveSetting(t *testing.T, rows []message.Message, s setting) *engine {
	t.Helper()
	e := newEngine(prefixed{t, s}, s.config())
	e.window, e.maxOutput, e.prefix = s.window, 4_000, 3_000
	attempts := 0
	e.answer = func(string) answer {
		attempts++
		return []answer{brings, brings, fails, brings, partial, brings, bloats, brings, cancels}[attempts%9]
	}
	for i, m := range rows {
		if m.OpensTurn() {
			e.rest()
			if i%50 == 49 {
				e.undo()
			}
		}
		e.append(m)
	}
	return e
}

// prefixed names the setting in a failure.
type prefixed struct {
	*testing.T
	s setting
}

func (p prefixed) Errorf(format string, args ...any) {
	p.Helper()
	p.T.Errorf("%s: "+format, append([]any{p.s}, args...)...)
}

// corpusRows is a transcript as a session would hold it: repaired and counted. Reading is most of the work.
func corpusRows(t testing.TB, path string) []message.Message {
	t.Helper()
	rec, err := transcript.ReadFile(path)
	require.NoError(t, err)
	rows, _ := message.Repair(rec.Messages)
	for i := range rows {
		rows[i].Seq = message.Seq(i)
		rows[i].Count()
	}
	return rows
}
