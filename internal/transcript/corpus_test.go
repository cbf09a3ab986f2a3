package transcript_test

import (
	"bytes"
	"path/filepath"
	"reflect"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tidemark/internal/message"
	"tidemark/internal/transcript"
	"tidemark/internal/transcript/corpus"
)

// TestCorpus reads, repairs and validates every open transcript (spec 3.4), and counts what was done.
func TestCorpus(t *testing.T) {
	total := make(map[message.RepairKind]int)
	rows := 0
	for _, path := range corpus.Files(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			rec := readFile(t, path)
			if rec.Form != transcript.FormCorpus || rec.ID == "" || len(rec.Messages) == 0 {
				t.Fatalf("form %q, id %q, %d messages", rec.Form, rec.ID, len(rec.Messages))
			}
			rows += len(rec.Messages)
			for _, n := range checkRepair(t, rec.Messages) {
				total[n.Kind]++
			}
			checkTexts(t, rec.Messages)
			checkRoundTrip(t, rec)
		})
	}
	t.Logf("%d messages", rows)
	kinds := message.RepairKinds()
	sort.Slice(kinds, func(i, j int) bool { return total[kinds[i]] > total[kinds[j]] })
	for _, k := range kinds {
		t.Logf("%6d %s", total[k], k)
	}
}

// checkRepair repairs once and once more, and holds the result to spec 3.3.
func checkRepair(t testing.TB, in []message.Message) []message.RepairNote {
	t.Helper()
	out, notes := message.Repair(in)
	if err := message.ValidatePrefix(out); err != nil {
		t.Errorf("after repair: %v", err)
	}
	again, more := message.Repair(out)
	if d := diff(out, again); d != "" || len(more) > 0 {
		t.Errorf("a second repair did more: %v\n%s", more, d)
	}
	return notes
}

// checkRoundTrip writes the corpus form and reads it again.
func checkRoundTrip(t testing.TB, rec *transcript.Recording) {
	t.Helper()
	var buf bytes.Buffer
	if err := transcript.Write(&buf, *rec); err != nil {
		t.Fatal(err)
	}
	again, err := transcript.Read(&buf)
	if err != nil {
		t.Fatalf("read what was written: %v", err)
	}
	again.Form = rec.Form
	if d := diff(rec, again); d != "" {
		t.Errorf("not the same after writing:\n%s", d)
	}
}

// diff is slow on long histories, so it looks only where something is.
func diff(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, cmpopts.EquateEmpty())
}

func readFile(t testing.TB, path string) *transcript.Recording {
	t.Helper()
	rec, err := transcript.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// BenchmarkRepairCorpus measures repair of the whole corpus.
func BenchmarkRepairCorpus(b *testing.B) {
	var all [][]message.Message
	for _, path := range corpus.Files(b) {
		all = append(all, readFile(b, path).Messages)
	}
	for b.Loop() {
		for _, msgs := range all {
			message.Repair(msgs)
		}
	}
}
