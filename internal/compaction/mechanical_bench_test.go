package compaction

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tidemark/internal/message"
)

// busySpan is an invented span of about 100 000 tokens: files read and edited, searches, tests and talk.
func busySpan() []message.Message {
	k := &talk{}
	for i := 0; len(k.rows) == 0 || totalTokens(k.rows) < 100_000; i++ {
		var file, found strings.Builder
		for l := range 90 {
			fmt.Fprintf(&file, "%6d\tfunc tide%dStep%d(portName%d string) error { return checkHarbor_%d(0x%x) }\n", l+100, i, l, l%9, i*l, i*l)
			fmt.Fprintf(&found, "internal/port%d/step_%d.go:%d: match\n", i%17, l, l*7)
		}
		path := fmt.Sprintf("/srv/harbor/internal/port%d/step.go", i%23)
		k.user(fmt.Sprintf("Step %d: fix port%d and never touch pier%d.", i, i, i))
		k.calls("I'll read the file first.", "Read", map[string]any{"file_path": path}, file.String(), false)
		k.calls("", "Grep", map[string]any{"pattern": "match"}, found.String(), false)
		k.calls("", "Edit", map[string]any{"file_path": path, "old_string": "a", "new_string": file.String()[:900]}, "updated", false)
		k.bash(fmt.Sprintf("go test ./internal/port%d/...", i%17), "ok 12 tests passed", i%3 == 0)
		k.says("Done with it; the tests pass.")
	}
	return k.rows
}

func totalTokens(rows []message.Message) int {
	n := 0
	for i := range rows {
		n += rows[i].Tokens
	}
	return n
}

// BenchmarkMechanical is what turn start pays: the digests are there (spec 6.1: under 20 ms for 100k tokens).
func BenchmarkMechanical(b *testing.B) {
	ds := digestRows(busySpan())
	b.ReportAllocs()
	for b.Loop() {
		Mechanical(ds, MechanicalOptions{MaxTokens: 4096})
	}
}

// BenchmarkExtractRow is what storing a span's rows pays, all together.
func BenchmarkExtractRow(b *testing.B) {
	rows := busySpan()
	b.ReportAllocs()
	for b.Loop() {
		digestRows(rows)
	}
}

// BenchmarkMask goes over a megabyte of ordinary text.
func BenchmarkMask(b *testing.B) {
	s := strings.Repeat("the tide table at internal/tide/table.go:120 has token := next() and key=value; ", 12_500)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Mask(s)
	}
}

// TestMechanical_IsFast holds the bound of spec 6.1. The best of several runs counts, since the machine may be busy.
func TestMechanical_IsFast(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("times mean nothing under the race detector")
	}
	ds := digestRows(busySpan())
	best := time.Hour
	for range 20 {
		start := time.Now()
		Mechanical(ds, MechanicalOptions{MaxTokens: 4096})
		best = min(best, time.Since(start))
	}
	if best > 20*time.Millisecond {
		t.Fatalf("a span of 100 000 tokens took %v", best)
	}
}
