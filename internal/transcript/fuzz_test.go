package transcript_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/message"
	"tidemark/internal/transcript"
)

// FuzzRead feeds any bytes to Read. Either there is a recording, which repairs to a valid history without losing a text
// and survives the corpus form, or one error that says what was expected.
func FuzzRead(f *testing.F) {
	for _, form := range forms {
		data, err := os.ReadFile(filepath.Join("testdata", form.file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, c := range malformed {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		transcript.Detect(data)
		rec, err := transcript.Read(bytes.NewReader(data))
		var malformed *transcript.Error
		switch {
		case err == nil:
			checkRecording(t, rec)
		case !errors.As(err, &malformed) || malformed.Want == "":
			t.Errorf("an error without an expectation: %v", err)
		}
	})
}

func checkRecording(t *testing.T, rec *transcript.Recording) {
	if len(rec.Usages) != len(rec.Messages) || rec.Form == transcript.FormUnknown {
		t.Errorf("form %q, %d usages, %d messages", rec.Form, len(rec.Usages), len(rec.Messages))
	}
	checkRepair(t, rec.Messages)
	checkTexts(t, rec.Messages)
	if sane(rec) {
		checkRoundTrip(t, rec)
	}
}

// sane leaves out counts below zero, which no writer gives back as they were.
func sane(rec *transcript.Recording) bool {
	for _, u := range rec.Usages {
		if min(u.Input, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.Output, u.Reasoning) < 0 || u.IsZero() && u != (message.Usage{}) {
			return false
		}
	}
	return true
}

// checkTexts looks for every line of a recording in its repaired form.
func checkTexts(t testing.TB, in []message.Message) {
	t.Helper()
	out, _ := message.Repair(in)
	kept := make(map[string]bool)
	for _, s := range textLines(out) {
		kept[s] = true
	}
	for _, s := range textLines(in) {
		if strings.TrimSpace(s) != "" && !kept[s] {
			t.Errorf("text %.200q got lost", s)
		}
	}
}

func textLines(msgs []message.Message) []string {
	var out []string
	for _, m := range msgs {
		for _, b := range m.Blocks {
			s := message.Blocks{b}.PlainText()
			if r, ok := b.(message.ToolResult); ok {
				s = r.Content.PlainText()
			}
			out = append(out, strings.Split(s, "\n")...)
		}
	}
	return out
}
