package message_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tidemark/internal/message"
	"tidemark/internal/message/messagetest"
)

// TestRepairLaws holds Repair to spec 3.4 on random messy histories.
func TestRepairLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRepairLaws(t, messagetest.History(t)) })
}

// TestRepairLeavesValidHistories checks that there is nothing to do where nothing is wrong.
func TestRepairLeavesValidHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := messagetest.ValidHistory(t)
		if err := message.ValidatePrefix(in); err != nil {
			t.Fatalf("the generator is wrong: %v", err)
		}
		checkRepairLaws(t, in)
		out, notes := message.Repair(in)
		if len(notes) > 0 {
			t.Fatalf("notes on a valid history: %v", notes)
		}
		if d := diff(in, out); d != "" {
			t.Fatalf("a valid history changed:\n%s", d)
		}
	})
}

// checkRepairLaws is every promise of Repair, for any input.
func checkRepairLaws(t rapid.TB, in []message.Message) {
	before := deepCopy(in)
	out, notes := message.Repair(in)
	if d := diff(before, in); d != "" {
		t.Fatalf("the input changed:\n%s", d)
	}
	if err := message.ValidatePrefix(out); err != nil {
		t.Fatalf("not valid after repair: %v\n%s", err, show(out))
	}
	checkOneMoreMessage(t, out)
	again, more := message.Repair(out)
	if d := diff(out, again); d != "" || len(more) > 0 {
		t.Fatalf("a second repair did more: %v\n%s", more, d)
	}
	checkNothingLost(t, in, out)
	checkTurnsKept(t, in, out)
	checkRows(t, out)
	checkNotes(t, in, notes)
	scribble(out)
	if d := diff(before, in); d != "" {
		t.Fatalf("the output shares blocks with the input:\n%s", d)
	}
}

func checkOneMoreMessage(t rapid.TB, out []message.Message) {
	if n := len(out); n == 0 || out[n-1].Role == message.RoleAssistant {
		out = append(slices.Clip(out), message.NewUser(message.Text{Text: "next"}))
	}
	if err := message.ValidateHistory(out); err != nil {
		t.Fatalf("not valid with the next request: %v", err)
	}
}

// checkNothingLost looks for every text, speech or result, in the output, and counts calls, images and opaque blocks.
func checkNothingLost(t rapid.TB, in, out []message.Message) {
	all := strings.Join(texts(out), "\x01")
	for _, s := range texts(in) {
		if strings.TrimSpace(s) != "" && !strings.Contains(all, s) {
			t.Fatalf("text %q got lost:\n%s", s, show(out))
		}
	}
	for _, typ := range []string{message.TypeToolUse, message.TypeImage, message.TypeOpaque} {
		if a, b := countBlocks(in, typ), countBlocks(out, typ); a != b {
			t.Fatalf("%d %s blocks became %d:\n%s", a, typ, b, show(out))
		}
	}
}

// checkTurnsKept: what a person said still opens a turn.
func checkTurnsKept(t rapid.TB, in, out []message.Message) {
	var opening []string
	for _, m := range out {
		if m.OpensTurn() {
			opening = append(opening, m.PlainText())
		}
	}
	all := strings.Join(opening, "\x01")
	for _, m := range in {
		said := m.PlainText()
		speech := strings.TrimSpace(said) != "" && len(m.Blocks) == 1
		if m.OpensTurn() && speech && !strings.Contains(all, said) {
			t.Fatalf("%q opens no turn any more:\n%s", said, show(out))
		}
	}
}

func checkRows(t rapid.TB, out []message.Message) {
	for i, m := range out {
		counted := m
		counted.Count()
		if m.Seq != message.Seq(i) || m.Units != counted.Units || m.Tokens != counted.Tokens {
			t.Fatalf("row %d has seq %d, units %d, tokens %d", i, m.Seq, m.Units, m.Tokens)
		}
	}
}

func checkNotes(t rapid.TB, in []message.Message, notes []message.RepairNote) {
	for i, n := range notes {
		if n.Index < 0 || n.Index >= len(in) || !slices.Contains(message.RepairKinds(), n.Kind) || n.Detail == "" {
			t.Fatalf("note %+v of %d messages", n, len(in))
		}
		if i > 0 && notes[i-1].Index > n.Index {
			t.Fatalf("notes out of order: %v", notes)
		}
	}
}

func diff(a, b []message.Message) string { return cmp.Diff(a, b, cmpopts.EquateEmpty()) }
