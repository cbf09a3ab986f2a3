package message_test

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/message"
	"tidemark/internal/message/messagetest"
)

func wantRule(t *testing.T, err error, index int, rule string) {
	t.Helper()
	var invalid *message.InvalidHistoryError
	if !errors.As(err, &invalid) || invalid.Index != index || invalid.Rule != rule {
		t.Errorf("got %v, want %q at %d", err, rule, index)
	}
}

// TestValidateHistoryRules breaks each rule of spec 3.3 once.
func TestValidateHistoryRules(t *testing.T) {
	u, a := user(text("u")), assistant(text("a"))
	for _, c := range []struct {
		rule  string
		index int
		in    []message.Message
	}{
		{"no messages", 0, nil},
		{"does not start with a user message", 0, []message.Message{a}},
		{"does not end with a user message", 1, []message.Message{u, a}},
		{"two assistant messages in a row", 2, []message.Message{u, a, a, u}},
		{`role "system" is not known`, 0, []message.Message{{Role: "system"}}},
		{"empty message", 1, []message.Message{u, assistant(), u}},
		{"blank text block", 0, []message.Message{user(text("\t"))}},
		{"no block where one should be", 0, []message.Message{user(nil)}},
		{"message holds nothing but thinking", 1, []message.Message{u, assistant(message.Thinking{Thinking: "x"}), u}},
		{"thinking in a user message", 0, []message.Message{user(message.Thinking{Thinking: "x"})}},
		{`tool_use "t1" in a user message`, 0, []message.Message{user(use("t1"))}},
		{`tool_result "t1" in an assistant message`, 1, []message.Message{u, assistant(result("t1", "r")), u}},
		{"tool_use without id or name", 1, []message.Message{u, assistant(use("")), u}},
		{`tool_result "t1" has no call in the message before`, 0, []message.Message{user(result("t1", "r"))}},
		{`tool_result "t1" does not stand first`, 2, []message.Message{u, assistant(use("t1")), user(text("x"), result("t1", "r"))}},
		{`call "t1" has no result in this message`, 2, []message.Message{u, assistant(use("t1")), u}},
		{`tool_use id "t1" is not unique`, 1, []message.Message{u, assistant(use("t1"), use("t1")), u}},
	} {
		t.Run(c.rule, func(t *testing.T) { wantRule(t, message.ValidateHistory(c.in), c.index, c.rule) })
	}
}

// TestValidatePrefixEnds: a prefix may end with the assistant, but not with a call that waits.
func TestValidatePrefixEnds(t *testing.T) {
	in := []message.Message{user(text("u")), assistant(text("a"))}
	if err := message.ValidatePrefix(in); err != nil {
		t.Error(err)
	}
	in[1] = assistant(use("t2"), use("t1"))
	wantRule(t, message.ValidatePrefix(in), 1, `call "t2" has no result`)
}

// TestResultContentRules: what stands inside a result.
func TestResultContentRules(t *testing.T) {
	with := func(content ...message.Block) []message.Message {
		return []message.Message{
			user(text("u")), assistant(use("t1")), user(message.ToolResult{ToolUseID: "t1", Content: content}),
		}
	}
	wantRule(t, message.ValidateHistory(with(text("x"), text(" "))), 2, `blank text block in tool_result "t1"`)
	wantRule(t, message.ValidateHistory(with(use("t2"))), 2, `tool_result "t1" holds a block that is not text or image`)
	for _, ok := range [][]message.Message{with(), with(text("\n")), with(message.Image{Data: "x"})} {
		if err := message.ValidateHistory(ok); err != nil {
			t.Error(err)
		}
	}
}

// TestStoredFormKeepsUnits: a row that went through the database counts and validates as before (spec 4.2, 4.10).
func TestStoredFormKeepsUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := messagetest.ValidHistory(t)
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out []message.Message
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
		if d := diff(in, out); d != "" {
			t.Fatal(d)
		}
		checkRows(t, out)
	})
}

// TestTurnsAndCycles cuts generated histories and checks that the cuts meet.
func TestTurnsAndCycles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := messagetest.ValidHistory(t)
		next := message.Seq(0)
		for _, turn := range message.Turns(rows) {
			if turn.Start != next || !rows[turn.Start].OpensTurn() {
				t.Fatalf("turn %v does not start at %d", turn, next)
			}
			next = turn.End
		}
		if int(next) != len(rows) {
			t.Fatalf("turns end at %d of %d rows", next, len(rows))
		}
		for _, c := range message.ToolCycles(rows) {
			if !c.Closed || c.Result != c.Use+1 {
				t.Fatalf("cycle %+v", c)
			}
		}
	})
}

// TestDecodeErrors names what is wrong with a block.
func TestDecodeErrors(t *testing.T) {
	for in, want := range map[string]string{
		`7`:                  "content is neither a string nor a list of blocks: json: cannot unmarshal number into Go value of type []message.rawBlock",
		`[{"type":"video"}]`: `block 0: unknown block type "video"`,
		`[{}]`:               "block 0: block without a type",
		`[{"type":"tool_use","id":"t1","input":[]}]`:                                     `block 0: input of tool_use "t1": not a JSON object`,
		`[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"tool_result"}]}]`: `block 0: tool_result "t1": block 0: a tool_result holds no tool_result block`,
		`[{"type":"image","source":{"type":"url"}}]`:                                     "block 0: image source without base64 data",
	} {
		var bs message.Blocks
		if err := bs.UnmarshalJSON([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", in, err, want)
		}
	}
}
