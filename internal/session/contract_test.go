package session_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

// A12: a child takes its parent's compaction configuration, has a budget of its own, and its calls name the parent.
func TestContractA12_Delegation(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	parent := w.NewSession(small("semantic", `"max_cost_per_session_usd":"0.011"`))
	for len(compactionCalls(t, w, parent)) == 0 {
		talk(t, w, parent, 1, 900)
	}
	child := w.NewSession(session.NewSession{ParentID: parent})
	rec := status(t, w, child).Record
	require.Equal(t, status(t, w, parent).Record.Compaction, rec.Compaction, "inherited whole")
	require.True(t, rec.CompactionCostUSD.IsZero(), "its own budget")
	for len(compactionCalls(t, w, child)) == 0 {
		talk(t, w, child, 1, 905)
	}
	for _, r := range ledgerOf(t, w, child) {
		require.Equal(t, parent, r.ParentSessionID)
	}
	for _, r := range ledgerOf(t, w, parent) {
		require.Empty(t, r.ParentSessionID)
	}
	own := w.NewSession(session.NewSession{ParentID: parent, Overrides: json.RawMessage(`{"threshold_tokens":4000}`)})
	require.Equal(t, 4000, status(t, w, own).Record.Compaction.ThresholdTokens, "its own knobs come on top")
	require.Equal(t, compaction.ModeSemantic, status(t, w, own).Record.Compaction.Mode)
	var pe *session.ParamError
	_, err := w.Create(context.Background(), session.NewSession{Owner: "mallory", ParentID: parent})
	require.ErrorAs(t, err, &pe, "another owner's session is no parent")
	require.Equal(t, "parent", pe.Param)
	w.CheckBooks(parent)
	w.CheckBooks(child)
}

// untouchable is a summary cache nobody may ask.
type untouchable struct{ t *testing.T }

func (u untouchable) Read(context.Context, string) (compaction.CacheRow, bool) {
	u.t.Error("the cache was read")
	return compaction.CacheRow{}, false
}
func (u untouchable) Write(context.Context, compaction.CacheRow) { u.t.Error("the cache was written") }

// Compaction off: no event, no cache access, no call, whatever the history grows to.
func TestCompactionOff(t *testing.T) {
	asked := summarizerCalls()
	w := sessiontest.Open(t, sessiontest.Options{Faults: asked.hook(nil), SummaryCache: untouchable{t}})
	n := withLook(small("two_phase"))
	n.Overrides = append(bytes.TrimSuffix(n.Overrides, []byte("}")), []byte(`,"enabled":false}`)...)
	id := w.NewSession(n)
	looker(t, w, id, longText)
	talk(t, w, id, 8, 900)
	work(t, w, id, 3)
	require.Nil(t, w.Say(id, `[[tool summarize_session {"focus":"ports"}]]`).Err)
	_, err := w.Compact(context.Background(), id, "")
	var pe *session.ParamError
	require.ErrorAs(t, err, &pe)
	require.Empty(t, eventsOf(t, w, id, event.CompactionStarted, event.CompactionDone, event.CompactionFailed, event.PostureChanged))
	require.Empty(t, asked.all())
	require.Empty(t, passesOf(t, w, id))
	require.Equal(t, compaction.StateDisabled, status(t, w, id).Record.Posture.State)
	rows := rowsOf(t, w, id)
	require.Contains(t, rows[len(rows)-2].ToolResults()[0].Content.PlainText(), "switched off")
	w.CheckBooks(id)
}

// Spec 6.9: compaction neither reads nor writes the memory files.
func TestMemoryFilesAreNotTouched(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "memory", "alice")
	require.NoError(t, os.MkdirAll(folder, 0o750))
	sums := func() (out [2][32]byte) {
		for i, name := range []string{"MEMORY.md", "USER.md"} {
			b, err := os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			out[i] = sha256.Sum256(b)
		}
		return out
	}
	for _, name := range []string{"MEMORY.md", "USER.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("- "+name+": the harbor closes at nine\n"), 0o600))
	}
	before := sums()
	w := sessiontest.Open(t, sessiontest.Options{Dir: dir})
	for _, mode := range []string{"mechanical", "two_phase", "semantic"} {
		id := w.NewSession(small(mode))
		for status(t, w, id).Record.Passes < 2 {
			talk(t, w, id, 1, 900)
		}
		_, err := w.Undo(context.Background(), id)
		require.NoError(t, err)
		for _, p := range passesOf(t, w, id) {
			require.NotContains(t, string(mustMarshal(t, p)), "closes at nine")
		}
		settled(t, w, id)
	}
	require.Equal(t, before, sums())
}

func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

// TestCaseD5_49_ThePrefixIsKept is spec 4.10: tools and stable system text are equal in every request of a session, and between passes
// each request's messages begin with those of the one before.
func TestCaseD5_49_ThePrefixIsKept(t *testing.T) {
	type sent struct {
		version  int64
		prefix   string
		messages []message.Message
	}
	for _, mode := range []string{"mechanical", "two_phase", "semantic"} {
		t.Run(mode, func(t *testing.T) {
			var mu sync.Mutex
			var all []sent
			var w *sessiontest.World
			w = sessiontest.Open(t, sessiontest.Options{OnServed: func(s sim.Served) {
				if s.Model == model.SimSummarizer {
					return
				}
				rec, err := w.Store.Record(context.Background(), s.Request.SessionID)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				all = append(all, sent{rec.Version, fmt.Sprintf("%s\n%s", mustMarshal(t, s.Request.Tools), s.Request.System), s.Request.Messages})
			}})
			id := w.NewSession(withLook(small(mode, `"max_cost_per_session_usd":"5"`)))
			looker(t, w, id, longText)
			talk(t, w, id, 7, 900)
			work(t, w, id, 4)
			require.Nil(t, w.Say(id, "[[refuse]]").Err)
			talk(t, w, id, 5, 900)
			require.Greater(t, status(t, w, id).Record.Version, int64(2))
			require.Greater(t, len(all), 14)
			kept := 0
			for i := 1; i < len(all); i++ {
				require.Equal(t, all[0].prefix, all[i].prefix, "request %d", i)
				if all[i].version != all[i-1].version {
					continue
				}
				was := mustMarshal(t, all[i-1].messages)
				now := mustMarshal(t, all[i].messages)
				require.True(t, bytes.HasPrefix(now, bytes.TrimSuffix(was, []byte("]"))), "request %d is no continuation of the one before", i)
				kept++
			}
			require.Greater(t, kept, 6)
			w.CheckBooks(id)
		})
	}
}
