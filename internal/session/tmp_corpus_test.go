package session_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"tidemark/internal/message"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

func TestTmpCorpus(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("TMPC"))
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			fh, _ := os.Open(f)
			defer fh.Close()
			sc := bufio.NewScanner(fh)
			sc.Buffer(nil, 64<<20)
			var ms []message.Message
			sys := ""
			for sc.Scan() {
				var l struct {
					Type   string         `json:"type"`
					System string         `json:"system"`
					Role   message.Role   `json:"role"`
					C      message.Blocks `json:"content"`
				}
				if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
					t.Fatal(err)
				}
				if l.Type == "session" {
					sys = l.System
					continue
				}
				ms = append(ms, message.Message{Role: l.Role, Blocks: l.C})
			}
			rows, _ := message.Repair(ms)
			maxReq := 0
			w := sessiontest.Open(t, sessiontest.Options{OnServed: func(s sim.Served) {
				if s.Usage.Prompt() > maxReq && s.Model == "sim:replay" {
					maxReq = s.Usage.Prompt()
				}
			}})
			id, err := w.Replay(sessiontest.Cut(rows), session.NewSession{System: sys, Overrides: []byte(os.Getenv("TMPO"))})
			if err != nil {
				t.Fatal(err)
			}
			st, err := w.Status(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("max %d turns %d calls %d passes %d hits %d cost %s compaction %s used %d watermark %d of %d", maxReq, st.Record.Turns, st.Record.Calls,
				st.Record.Passes, st.Record.SummaryCacheHits, st.Record.CostUSD, st.Record.CompactionCostUSD, st.Posture.UsedTokens, st.Posture.Watermark, st.Posture.Messages)
		})
	}
}
