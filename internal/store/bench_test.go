package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/internal/store"
)

func BenchmarkAppendStream(b *testing.B) {
	f := open(b)
	id := f.session()
	turn := f.begin(id)
	text := event.Text{MessageID: "m", Text: strings.Repeat("word ", 40)}
	b.ReportAllocs()
	for b.Loop() {
		f.ok(f.AppendStream(b.Context(), id, session.Out{
			Stream: []event.StreamRow{event.NewStreamRow(id, turn, event.StreamText, f.now, text)},
		}))
	}
}

func BenchmarkFinishStep(b *testing.B) {
	f := open(b)
	id := f.session()
	turn := f.begin(id)
	answer := message.NewAssistant(message.Text{Text: strings.Repeat("word ", 400)})
	seq := message.Seq(1)
	b.ReportAllocs()
	for b.Loop() {
		out := told(f, id, turn, 1)
		f.ok(f.FinishStep(b.Context(), session.FinishStep{
			SessionID: id, TurnID: turn, Message: &answer, Digest: digestAt(seq), Ledger: f.call(session.PurposeTurn, "0.0123"), Out: out,
		}))
		seq++
	}
}

// BenchmarkLoad: what is before the watermark costs nothing, however much it is.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := open(b)
			id := f.long(n)
			b.ReportAllocs()
			for b.Loop() {
				snap, err := f.Load(b.Context(), id)
				require.NoError(b, err)
				require.Len(b, snap.Rows, 50)
			}
		})
	}
}

// long is a session of n rows whose newest 50 are not covered, with a pass each 1000 rows.
func (f *fix) long(n int) session.ID {
	id := f.session()
	turn := f.begin(id)
	raw := rawDB(f, f.db.Path())
	for _, q := range []string{
		`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < %[1]d - 1)
		INSERT INTO messages SELECT session_id, i, CASE i %% 2 WHEN 0 THEN 'user' ELSE 'assistant' END,
			'[{"type":"text","text":"' || hex(zeroblob(400)) || '"}]', 800, 267, '{"v":1,"first":' || i || ',"last":' || i || ',"rows":1}',
			0, turn_id, created_at FROM messages, c WHERE session_id = '%[2]s'`,
		`UPDATE sessions SET next_seq = %[1]d WHERE id = '%[2]s'`,
	} {
		_, err := raw.Exec(fmt.Sprintf(q, n, id))
		require.NoError(f, err)
	}
	f.finish(id, turn)
	last := compaction.Pass{}
	for at := 1000; at < n+1000; at += 1000 {
		last = f.pass(id, message.Seq(min(at, n-50)), func(a *session.ApplyPass) {
			a.Replaces = []string{last.ID} // one summary in the view, as folding would keep it
		})
	}
	return id
}

func BenchmarkSummaryCacheHit(b *testing.B) {
	c, _ := cacheAt(b, cachePath(b), store.CacheConfig{})
	for i := range store.DefaultCacheRows {
		row := summaryFor(fmt.Sprintf("%064d", i))
		row.Text = strings.Repeat("summary ", 1000)
		c.Write(b.Context(), row)
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Read(b.Context(), fmt.Sprintf("%064d", i%store.DefaultCacheRows)); !ok {
			b.Fatal("miss")
		}
		i++
	}
}
