package message_test

import (
	"fmt"
	"testing"

	"tidemark/internal/message"
)

// repairRules has a row or more for each rule of spec 3.4.
var repairRules = []struct {
	name string
	in   []message.Message
	want string
	kind []message.RepairKind
}{
	{
		"assistant opens",
		[]message.Message{assistant(text("hello"))},
		"U[(start of the recorded conversation)] A[hello]",
		[]message.RepairKind{message.RepairUserStub},
	},
	{
		"late result behind other work",
		[]message.Message{user(text("u")), assistant(use("t1")), user(text("v")), assistant(text("a")), user(result("t1", "r"))},
		"U[u] A[use:t1] U[res:t1=r] A[(no answer)] U[v] A[a]",
		[]message.RepairKind{message.RepairFiller, message.RepairResultMoved},
	},
	{
		"late result behind human text",
		[]message.Message{user(text("u")), assistant(use("t1")), user(text("v")), user(result("t1", "r"))},
		"U[u] A[use:t1] U[res:t1=r] A[(no answer)] U[v]",
		[]message.RepairKind{message.RepairFiller, message.RepairResultMoved},
	},
	{
		"early result",
		[]message.Message{user(text("u")), assistant(use("t0")), user(result("t0", "q"), result("t1", "r")), assistant(use("t1"))},
		"U[u] A[use:t0] U[res:t0=q] A[use:t1] U[res:t1=r]",
		[]message.RepairKind{message.RepairResultMoved},
	},
	{
		"repeated ids",
		[]message.Message{
			user(text("u")), assistant(use("t1")), user(result("t1", "a")), assistant(use("t1")), user(result("t1", "b")),
		},
		"U[u] A[use:t1] U[res:t1=a] A[use:t1_2] U[res:t1_2=b]",
		[]message.RepairKind{message.RepairCallRenamed},
	},
	{
		"repeated ids in one message, and a taken name",
		[]message.Message{
			user(text("u")), assistant(use("t1"), use("t1"), use("t1_2")), user(result("t1", "a"), result("t1", "b"), result("t1_2", "c")),
		},
		"U[u] A[use:t1 use:t1_3 use:t1_2] U[res:t1=a res:t1_3=b res:t1_2=c]",
		[]message.RepairKind{message.RepairCallRenamed},
	},
	{
		"missing id",
		[]message.Message{user(text("u")), assistant(use("")), user(result("", "a"))},
		"U[u] A[use:call_2] U[res:call_2=a]",
		[]message.RepairKind{message.RepairCallRenamed},
	},
	{
		"text before results",
		[]message.Message{user(text("u")), assistant(use("t1")), user(text("note"), result("t1", "r"))},
		"U[u] A[use:t1] U[res:t1=r note]",
		[]message.RepairKind{message.RepairResultsFirst},
	},
	{
		"duplicate result, last wins, nothing lost",
		[]message.Message{user(text("u")), assistant(use("t1")), user(result("t1", "old")), user(result("t1", "new"))},
		"U[u] A[use:t1] U[res:t1=new [earlier tool result t1, replaced by a later one]\nold]",
		[]message.RepairKind{message.RepairDuplicateResult, message.RepairMerged},
	},
	{
		"duplicate result that says the same",
		[]message.Message{user(text("u")), assistant(use("t1")), user(result("t1", "r")), user(result("t1", "r"))},
		"U[u] A[use:t1] U[res:t1=r]",
		[]message.RepairKind{message.RepairDuplicateResult},
	},
	{
		"open call at the end",
		[]message.Message{user(text("u")), assistant(use("t1"))},
		"U[u] A[use:t1] U[res:t1=interrupted]",
		[]message.RepairKind{message.RepairOpenCall},
	},
	{
		"open call before speech",
		[]message.Message{user(text("u")), assistant(use("t1")), user(text("v"))},
		"U[u] A[use:t1] U[res:t1=interrupted] A[(no answer)] U[v]",
		[]message.RepairKind{message.RepairOpenCall, message.RepairFiller},
	},
	{
		"orphan beside a real result",
		[]message.Message{user(text("u")), assistant(use("t1")), user(result("t1", "r"), result("t9", "lost"))},
		"U[u] A[use:t1] U[res:t1=r [tool result t9, its call is missing]\nlost]",
		[]message.RepairKind{message.RepairOrphanResult},
	},
	{
		"empties",
		[]message.Message{user(text("u")), assistant(), user(text(" \n")), assistant(text(""), text("a"))},
		"U[u] A[a]",
		[]message.RepairKind{message.RepairEmptyDropped, message.RepairEmptyDropped, message.RepairEmptyDropped},
	},
	{
		"lone thinking",
		[]message.Message{user(text("u")), assistant(message.Thinking{Thinking: "hm"}), user(text("v"))},
		"U[u v]",
		[]message.RepairKind{message.RepairEmptyDropped, message.RepairMerged},
	},
	{
		"thinking in a line of its own",
		[]message.Message{user(text("u")), assistant(message.Thinking{Thinking: "hm"}), assistant(text("a"))},
		"U[u] A[thinking a]",
		[]message.RepairKind{message.RepairMerged},
	},
	{
		"text after results opens a turn",
		[]message.Message{user(text("u")), assistant(use("t1")), user(result("t1", "r")), user(text("v")), user(text("w"))},
		"U[u] A[use:t1] U[res:t1=r] A[(no answer)] U[v w]",
		[]message.RepairKind{message.RepairFiller, message.RepairMerged},
	},
	{
		"foreign roles",
		[]message.Message{
			{Role: "system", Blocks: message.Blocks{text("rules")}}, {Role: "model", Blocks: message.Blocks{use("t1")}},
			{Role: "tool", Blocks: message.Blocks{result("t1", "r")}},
		},
		"U[rules] A[use:t1] U[res:t1=r]",
		[]message.RepairKind{message.RepairRole, message.RepairRole, message.RepairRole},
	},
	{
		"a result inside an assistant message",
		[]message.Message{user(text("u")), assistant(use("t1"), result("t1", "r"), text("done"))},
		"U[u] A[use:t1] U[res:t1=r] A[done]",
		[]message.RepairKind{message.RepairRole},
	},
}

// TestRepairRules walks the rules of spec 3.4.
func TestRepairRules(t *testing.T) {
	for _, c := range repairRules {
		t.Run(c.name, func(t *testing.T) {
			out, notes := message.Repair(c.in)
			if got := sketch(out); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got := kinds(notes); fmt.Sprint(got) != fmt.Sprint(c.kind) {
				t.Errorf("notes %v, want %v", notes, c.kind)
			}
		})
	}
}

// TestRepairRulesAreComplete finds a kind that no row above reaches.
func TestRepairRulesAreComplete(t *testing.T) {
	seen := make(map[message.RepairKind]bool)
	for _, c := range repairRules {
		for _, k := range c.kind {
			seen[k] = true
		}
	}
	for _, k := range message.RepairKinds() {
		if !seen[k] {
			t.Errorf("no case for %s", k)
		}
	}
}

// TestRepairNobodySpoke checks that a row of nothing but labeled results opens no turn.
func TestRepairNobodySpoke(t *testing.T) {
	out, _ := message.Repair([]message.Message{
		user(text("u")), assistant(text("a")), user(result("t9", "never push")), assistant(text("b")),
	})
	if out[2].OpensTurn() || !out[2].Synthetic {
		t.Errorf("an orphan result passes for speech: %+v", out[2])
	}
	out, _ = message.Repair([]message.Message{assistant(text("a")), user(result("t9", "x")), user(text("u"))})
	if out[0].OpensTurn() || !out[2].OpensTurn() {
		t.Errorf("turns are wrong: %s", sketch(out))
	}
}

// TestRepairOfNothing checks the empty history.
func TestRepairOfNothing(t *testing.T) {
	for _, in := range [][]message.Message{nil, {}, {user()}, {assistant(message.Thinking{Thinking: "x"})}} {
		out, _ := message.Repair(in)
		if len(out) != 0 || message.ValidatePrefix(out) != nil {
			t.Errorf("repair of %v gave %s", in, sketch(out))
		}
	}
}

func kinds(notes []message.RepairNote) []message.RepairKind {
	var out []message.RepairKind
	for _, n := range notes {
		out = append(out, n.Kind)
	}
	return out
}
