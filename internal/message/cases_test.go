package message_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"tidemark/internal/message"
)

// TestCaseB01OrphanAfterCompaction: a result whose call is gone becomes text that names it.
func TestCaseB01OrphanAfterCompaction(t *testing.T) {
	wantRepair(t, []message.Message{user(text("S1")), user(result("t1", "kept")), assistant(text("a"))},
		"U[S1 [tool result t1, its call is missing]\nkept] A[a]")
}

// TestCaseB03IndexInsideBatch: a history cut inside a parallel batch is refused, and mended.
func TestCaseB03IndexInsideBatch(t *testing.T) {
	cut := []message.Message{user(text("u")), assistant(use("t1"), use("t2")), user(result("t1", "a"))}
	wantRule(t, message.ValidateHistory(cut), 2, `call "t2" has no result in this message`)
	wantRepair(t, cut, "U[u] A[use:t1 use:t2] U[res:t1=a res:t2=interrupted]")
}

// TestCaseB04SharedSlices: two holders of one history append to it and do not meet.
func TestCaseB04SharedSlices(t *testing.T) {
	blocks := make(message.Blocks, 1, 4)
	blocks[0] = result("t1", "r")
	m := user(blocks...)
	_ = append(blocks, text("loop"))
	a, b := m.Clone(), m.Clone()
	a.Blocks = append(a.Blocks, text("loop"))
	b.Blocks = append(b.Blocks, text("store"))
	if len(m.Blocks) != 1 || a.Blocks[1] != text("loop") || b.Blocks[1] != text("store") {
		t.Errorf("slices are shared: %v %v %v", m.Blocks, a.Blocks, b.Blocks)
	}
	a.Blocks[0].(message.ToolResult).Content[0] = text("changed")
	if got := m.ToolResults()[0].Content.PlainText(); got != "r" {
		t.Errorf("content of a result is shared: %q", got)
	}
	twice := []message.Message{user(text("u")), assistant(use("t1")), user(result("t1", "r"), result("t1", "r"))}
	wantRule(t, message.ValidateHistory(twice), 2, `two results for call "t1"`)
}

// TestCaseB06UnboundedSearch: twelve parallel calls with a result a line, far from their calls; and thousands of one id.
func TestCaseB06UnboundedSearch(t *testing.T) {
	in := []message.Message{user(text("u"))}
	const calls = 12
	for i := range calls {
		in = append(in, assistant(use(fmt.Sprint("t", i))))
	}
	for i := range calls {
		in = append(in, assistant(text("busy")), user(result(fmt.Sprint("t", i), "r")))
	}
	out, _ := message.Repair(in)
	if n := len(out[2].ToolResults()); n != calls || message.ValidatePrefix(out) != nil {
		t.Errorf("%d results stand with their calls", n)
	}
	const rows = 10_000
	out, _ = message.Repair(sameIDs(rows))
	if n := len(out[2].ToolResults()); n != rows || message.ValidatePrefix(out) != nil {
		t.Errorf("%d results of one id stand with their calls", n)
	}
}

// BenchmarkCaseB06 shows that the search costs the same for each result, however many share an id.
func BenchmarkCaseB06(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		in := sameIDs(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				message.Repair(in)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/result")
		})
	}
}

func sameIDs(n int) []message.Message {
	out := make([]message.Message, 0, 2*n)
	for range n {
		out = append(out, assistant(use("t")))
	}
	for range n {
		out = append(out, user(result("t", "r")))
	}
	return out
}

// TestCaseB10InterruptedRound: fewer results than calls; each open call gets its own.
func TestCaseB10InterruptedRound(t *testing.T) {
	in := []message.Message{user(text("u")), assistant(use("t1"), use("t2"), use("t3")), user(result("t1", "r"))}
	wantRepair(t, in, "U[u] A[use:t1 use:t2 use:t3] U[res:t1=r res:t2=interrupted res:t3=interrupted]")
	out, _ := message.Repair(in)
	if r := out[2].ToolResults(); r[0].IsError || !r[1].IsError || !r[2].IsError {
		t.Errorf("only the stand-ins are errors: %+v", r)
	}
	for i := range 50 { // the choice must not depend on map order
		err := message.ValidateHistory(in)
		if wantRule(t, err, 2, `call "t2" has no result in this message`); t.Failed() {
			t.Fatalf("run %d", i)
		}
	}
	if c := message.ToolCycles(in); len(c) != 1 || c[0].Closed {
		t.Errorf("a cycle with open calls is closed: %+v", c)
	}
}

// TestCaseB12SeparateResultRows: two user rows with one result each are one message.
func TestCaseB12SeparateResultRows(t *testing.T) {
	wantRepair(t, []message.Message{user(text("u")), assistant(use("t1"), use("t2")), user(result("t1", "a")), user(result("t2", "b"))},
		"U[u] A[use:t1 use:t2] U[res:t1=a res:t2=b]")
}

// TestCaseB15ResultsOutOfOrder: results in another order than their calls stay together, in the order they came.
func TestCaseB15ResultsOutOfOrder(t *testing.T) {
	wantRepair(t, []message.Message{user(text("u")), assistant(use("t1"), use("t2")), user(result("t2", "b")), user(result("t1", "a"))},
		"U[u] A[use:t1 use:t2] U[res:t2=b res:t1=a]")
	wantRepair(t, []message.Message{
		user(text("u")), assistant(use("t1"), use("t2")), user(result("t2", "b")), assistant(use("t3")), user(result("t1", "a")),
		user(result("t3", "c")),
	}, "U[u] A[use:t1 use:t2] U[res:t2=b res:t1=a] A[use:t3] U[res:t3=c]")
}

// TestCaseB120ThinkingUntouched: signed thinking leaves Repair and JSON with the bytes it came with.
func TestCaseB120ThinkingUntouched(t *testing.T) {
	th := message.Thinking{Thinking: "  <hm> & \u2028 ", Signature: "c2ln+/="}
	out, notes := message.Repair([]message.Message{user(text("u")), assistant(th, text("a"))})
	if out[1].Blocks[0] != th || len(notes) > 0 {
		t.Errorf("thinking changed: %+v", out[1].Blocks[0])
	}
	if got := roundTrip(t, out[1].Blocks); got[0] != th {
		t.Errorf("thinking changed in JSON: %+v", got[0])
	}
}

// TestCaseB124OpaqueRoundTrip: a block only one provider knows keeps its raw JSON, null content too.
func TestCaseB124OpaqueRoundTrip(t *testing.T) {
	raw := `{"type":"compaction","content":null,"x":"<a> & \\u003c","n":1e3}`
	bs := message.Blocks{message.Opaque{Provider: "anthropic", Kind: "compaction", Raw: json.RawMessage(raw)}}
	if got := roundTrip(t, bs)[0].(message.Opaque); string(got.Raw) != raw {
		t.Errorf("raw JSON changed: %s", got.Raw)
	}
}

// TestCaseB127TwoUserRows: neighbors of one role become one.
func TestCaseB127TwoUserRows(t *testing.T) {
	in := []message.Message{user(text("S")), user(text("u"))}
	wantRule(t, message.ValidateHistory(in), 1, "two user messages in a row")
	wantRepair(t, in, "U[S u]")
}

// TestCaseB130BlankBlock: a blank block is refused, and dropped.
func TestCaseB130BlankBlock(t *testing.T) {
	in := []message.Message{user(text("u")), assistant(text("a"), text(" \n\u00a0"))}
	wantRule(t, message.ValidatePrefix(in), 1, "blank text block")
	wantRepair(t, in, "U[u] A[a]")
}

func wantRepair(t *testing.T, in []message.Message, want string) {
	t.Helper()
	out, _ := message.Repair(in)
	if got := sketch(out); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := message.ValidatePrefix(out); err != nil {
		t.Error(err)
	}
}

// roundTrip goes the way of a stored row: plain json.Marshal, which escapes what it can.
func roundTrip(t *testing.T, bs message.Blocks) message.Blocks {
	t.Helper()
	data, err := json.Marshal(bs)
	if err != nil {
		t.Fatal(err)
	}
	var out message.Blocks
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
