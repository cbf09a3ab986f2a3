package compaction

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tidemark/internal/message"
)

// recorder keeps the bytes that go into the hash.
type recorder struct{ bytes.Buffer }

func (r *recorder) hex() string { return hex.EncodeToString(r.Bytes()) }

func mustKey(t require.TestingT, k KeyInput) string {
	key, err := Key(k)
	require.NoError(t, err)
	return key
}

// drawSpan makes a span of turns with tool cycles, results, images and thinking.
func drawSpan(t *rapid.T) []message.Message {
	var rows []message.Message
	word := rapid.StringMatching(`[a-zA-Z0-9 äé数🙂./_-]{1,30}`)
	for turn := range rapid.IntRange(1, 4).Draw(t, "turns") {
		rows = append(rows, message.NewUser(message.Text{Text: "U" + word.Draw(t, "ask")}))
		for step := range rapid.IntRange(0, 2).Draw(t, "steps") {
			use, result := message.NewAssistant(), message.NewUser()
			if rapid.Bool().Draw(t, "thinks") {
				use.Blocks = append(use.Blocks, message.Thinking{Thinking: word.Draw(t, "thought"), Signature: "s"})
			}
			for call := range rapid.IntRange(1, 3).Draw(t, "calls") {
				id := fmt.Sprintf("call_%d_%d_%d", turn, step, call)
				input, _ := json.Marshal(map[string]any{"path": word.Draw(t, "path"), "n": rapid.IntRange(-300, 70000).Draw(t, "n")})
				use.Blocks = append(use.Blocks, message.ToolUse{ID: id, Name: "tool_" + fmt.Sprint(call), Input: input})
				result.Blocks = append(result.Blocks, message.TextResult(id, word.Draw(t, "out"), rapid.Bool().Draw(t, "failed")))
			}
			rows = append(rows, use, result)
		}
		rows = append(rows, message.NewAssistant(message.Text{Text: "A" + word.Draw(t, "reply")}))
	}
	return rows
}

// disguise changes all that must not matter: ids, times, counts, turns, signatures, thinking, the order of keys.
func disguise(rows []message.Message) []message.Message {
	out := make([]message.Message, len(rows))
	for i := range rows {
		m := rows[i].Clone()
		m.Seq += 1000
		m.TurnID, m.CreatedAt, m.Units, m.Tokens = "other", time.Unix(int64(i), 0), 0, 0
		for k, b := range m.Blocks {
			switch v := b.(type) {
			case message.Thinking:
				m.Blocks[k] = message.Thinking{Thinking: v.Thinking + " more", Signature: "another"}
			case message.ToolUse:
				v.ID, v.Input = "renamed-"+v.ID, reorder(v.Input)
				m.Blocks[k] = v
			case message.ToolResult:
				v.ToolUseID = "renamed-" + v.ToolUseID
				m.Blocks[k] = v
			}
		}
		m.Blocks = append(message.Blocks{message.Thinking{Thinking: "new"}}, m.Blocks...)
		out[i] = m
	}
	return out
}

// reorder writes the keys of an object the other way round, with blanks.
func reorder(in json.RawMessage) json.RawMessage {
	var v map[string]json.RawMessage
	if json.Unmarshal(in, &v) != nil || len(v) != 2 {
		return in
	}
	return json.RawMessage(fmt.Sprintf(` { "path" : %s , "n" : %s } `, v["path"], v["n"]))
}

func TestKey_DisguisesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := KeyInput{Rows: drawSpan(t), Model: "m:x", PromptVersion: "1.0.0", MaxTokens: 4096}
		other := k
		other.Rows = disguise(k.Rows)
		require.Equal(t, mustKey(t, k), mustKey(t, other))
	})
}

// Integers and floats are different things, and so are a text and the same text in two blocks.
func TestKey_KindsKeptApart(t *testing.T) {
	seen := make(map[string]string)
	for _, input := range []string{
		`{"a":1}`, `{"a":1.0}`, `{"a":"1"}`, `{"a":true}`, `{"a":null}`, `{"a":[1]}`, `{"a":{}}`, `{"a":[]}`, `{}`,
		`{"a":9223372036854775807}`, `{"a":9223372036854775808}`, `{"a":-1}`, `{"a":1e1}`, `{"a":10}`, `{"a":"\u00e9"}`, `{"a":"e\u0301"}`,
	} {
		key := mustKey(t, KeyInput{Rows: []message.Message{
			message.NewAssistant(message.ToolUse{ID: "x", Name: "t", Input: json.RawMessage(input)}),
		}})
		require.Empty(t, seen[key], "%s", input)
		seen[key] = input
	}
}

func TestKey_SameNumberOtherSpelling(t *testing.T) {
	key := func(n string) string {
		return mustKey(t, KeyInput{Rows: []message.Message{
			message.NewAssistant(message.ToolUse{ID: "x", Name: "t", Input: json.RawMessage(`{"a":` + n + `}`)}),
		}})
	}
	require.Equal(t, key("1e1"), key("10.0"))
	require.Equal(t, key("1E-2"), key("0.01"))
	require.Equal(t, key("-0"), key("0"))
	require.NotEqual(t, key("10"), key("10.0"))
}

func TestKey_SecretsDoNotMatter(t *testing.T) {
	key := func(secret string) string {
		return mustKey(t, KeyInput{Rows: []message.Message{
			message.NewUser(message.Text{Text: "Use sk-ant-" + secret + " please"}),
			message.NewAssistant(message.ToolUse{ID: "x", Name: "t", Input: json.RawMessage(`{"password":"` + secret + `"}`)}),
		}})
	}
	require.Equal(t, key("a1b2c3d4e5f6g7h8"), key("z9y8x7w6v5u4t3s2"))
}

// bigSpan has about 100 000 tokens: prose, code, inputs.
func bigSpan() []message.Message {
	var rows []message.Message
	for n, i := 0, 0; n < 100_000; i++ {
		id := fmt.Sprintf("toolu_%08d", i)
		rows = append(rows,
			message.NewUser(message.Text{Text: fmt.Sprintf("Look at file %d and tell me why internal/store/rows_%d.go fails.", i, i)}),
			message.NewAssistant(
				message.Text{Text: "I will read it and run the test."},
				message.ToolUse{ID: id, Name: "bash", Input: json.RawMessage(fmt.Sprintf(`{"command":"go test ./internal/store -run Test%d","timeout":%d}`, i, i))},
			),
			message.NewUser(message.TextResult(id, strings.Repeat("\tif err := s.db.WithContext(ctx).Create(&row).Error; err != nil { // line\n", 40), i%7 == 0)),
			message.NewAssistant(message.Text{Text: "It fails because the row is not there; I fixed it."}),
		)
		n = 0
		for k := range rows {
			n += rows[k].Tokens
		}
	}
	return rows
}

func BenchmarkKey100k(b *testing.B) {
	k := KeyInput{Rows: bigSpan(), Model: "m:x", PromptVersion: "1.0.0", MaxTokens: 4096}
	units := 0
	for i := range k.Rows {
		units += k.Rows[i].Units
	}
	b.SetBytes(int64(units))
	for b.Loop() {
		mustKey(b, k)
	}
}
