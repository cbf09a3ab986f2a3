package compaction

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
)

var update = flag.Bool("update", false, "write the golden files of this package")

// keyCase is one golden vector. Messages are stored as JSON, so that the file can be read by another implementation.
type keyCase struct {
	Name     string            `json:"name"`
	Messages []message.Message `json:"messages,omitempty"`
	Parents  []string          `json:"parents,omitempty"`
	Model    string            `json:"summarization_model"`
	Version  string            `json:"summarization_prompt_version"`
	Max      int               `json:"summarization_max_tokens"`
	Key      string            `json:"key"`
}

const keyVectors = "testdata/cache_keys.json"

func (c keyCase) input() KeyInput {
	return KeyInput{Rows: c.Messages, Parents: c.Parents, Model: c.Model, PromptVersion: c.Version, MaxTokens: c.Max}
}

func keyCases() []keyCase {
	text := func(s string) message.Text { return message.Text{Text: s} }
	use := func(id, name, input string) message.ToolUse {
		return message.ToolUse{ID: id, Name: name, Input: json.RawMessage(input)}
	}
	cases := []keyCase{
		{Name: "text only", Messages: []message.Message{message.NewUser(text("Hello")), message.NewAssistant(text("Hi there"))}},
		{Name: "one tool cycle", Messages: []message.Message{
			message.NewUser(text("Read it")),
			message.NewAssistant(text("I read it."), use("toolu_01", "read_file", `{"path":"a/b.go"}`)),
			message.NewUser(message.TextResult("toolu_01", "package b", false)),
			message.NewAssistant(text("Done.")),
		}},
		{Name: "parallel calls", Messages: []message.Message{
			message.NewUser(text("Run both")),
			message.NewAssistant(use("x", "bash", `{"cmd":"ls"}`), use("y", "bash", `{"cmd":"pwd"}`)),
			message.NewUser(
				message.TextResult("y", "/srv", false), message.TextResult("x", "no such file", true), text("go on"),
			),
		}},
		{Name: "unicode", Messages: []message.Message{
			message.NewUser(text("naïve 数据 🙂 e\u0301 \u00e9 \u2028 end")), message.NewAssistant(text("שלום")),
		}},
		{Name: "numbers", Messages: []message.Message{
			message.NewUser(text("Count")),
			message.NewAssistant(use("n", "calc", `{"a":0,"b":-0,"c":127,"d":128,"e":-33,"f":65536,"g":4294967296,
				"h":9223372036854775807,"i":9223372036854775808,"j":-9223372036854775808,"k":1.0,"l":1e3,"m":0.1,"n":-0.0,
				"o":1E-7,"p":123456789012345678901234567890,"q":1e400}`)),
			message.NewUser(message.TextResult("n", "", false)),
		}},
		{Name: "images", Messages: []message.Message{
			message.NewUser(text("Look"), message.Image{MediaType: "image/png", Data: "iVBORw0KGgo="}),
			message.NewAssistant(use("s", "screenshot", `{}`)),
			message.NewUser(message.ToolResult{ToolUseID: "s", Content: message.Blocks{
				text("shot"), message.Image{MediaType: "image/jpeg", Data: "/9j/4AAQ"},
			}}),
		}},
		{Name: "nested input", Messages: []message.Message{
			message.NewUser(text("Edit")),
			message.NewAssistant(use("e", "edit", `{"z":[1,{"b":null,"a":[true,false,"x"]},[]],"a":{"y":{"x":{}}},"":"empty"}`)),
			message.NewUser(message.TextResult("e", "ok", false)),
		}},
		{Name: "several texts in a result", Messages: []message.Message{
			message.NewUser(text("Go")),
			message.NewAssistant(use("r", "t", `{}`)),
			message.NewUser(message.ToolResult{ToolUseID: "r", Content: message.Blocks{text("one"), text("two")}}),
		}},
		{Name: "masked secrets", Messages: []message.Message{
			message.NewUser(text("The key is sk-ant-REDACTED-abcdef")),
			message.NewAssistant(use("m", "http", `{"header":"Authorization: Bearer abcdefgh12345678ijklmnop"}`)),
			message.NewUser(message.TextResult("m", "ok", false)),
		}},
		{Name: "opaque and thinking", Messages: []message.Message{
			message.NewUser(text("Think")),
			message.NewAssistant(
				message.Thinking{Thinking: "hm", Signature: "sig"},
				message.Opaque{Provider: "anthropic", Kind: "redacted_thinking", Raw: json.RawMessage(`{"data":"x"}`)},
				text("Yes"),
			),
		}},
		{Name: "fold", Parents: []string{"first summary", "second summary"}, Version: PromptVersionFor("1.0.0", true, true)},
		{Name: "nothing"},
	}
	for i := range cases {
		cases[i].Model, cases[i].Max = "sim:summarizer", 4096
		if cases[i].Version == "" {
			cases[i].Version = "1.0.0"
		}
	}
	return cases
}

// The keys are a contract with every cache file that exists: a change here makes all of them worthless.
func TestKey_GoldenVectors(t *testing.T) {
	if *update {
		cases := keyCases()
		for i := range cases {
			key, err := Key(cases[i].input())
			require.NoError(t, err)
			cases[i].Key = key
		}
		writeGolden(t, keyVectors, cases)
	}
	raw, err := os.ReadFile(keyVectors)
	require.NoError(t, err)
	var stored []keyCase
	require.NoError(t, json.Unmarshal(raw, &stored))
	built := keyCases()
	require.Len(t, stored, len(built))
	for i, c := range stored {
		t.Run(c.Name, func(t *testing.T) {
			require.Equal(t, built[i].Name, c.Name)
			fromCode, err := Key(built[i].input())
			require.NoError(t, err)
			fromFile, err := Key(c.input())
			require.NoError(t, err)
			require.Equal(t, c.Key, fromCode)
			require.Equal(t, c.Key, fromFile, "the stored messages give the same key as those in memory")
		})
	}
}

func writeGolden(t *testing.T, path string, v any) {
	t.Helper()
	var sb strings.Builder
	enc := json.NewEncoder(&sb)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(v))
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	require.NoError(t, os.WriteFile(path, []byte(sb.String()), 0o644))
}

// The bytes under the hash, so that another implementation can be held against them.
func TestKey_Bytes(t *testing.T) {
	var enc recorder
	c := keyCases()[2]
	require.NoError(t, writeKey(&enc, c.input()))
	require.Equal(t, "84"+ // a map of four, in this order
		"a86d65737361676573"+"93"+ // messages, three of them
		"82a7636f6e74656e74"+"91"+"82a474657874a852756e20626f7468"+"a474797065a474657874"+"a4726f6c65a475736572"+
		"82a7636f6e74656e74"+"92"+
		"84a26964a27430a5696e70757481a3636d64a26c73a46e616d65a462617368a474797065a8746f6f6c5f757365"+
		"84a26964a27431a5696e70757481a3636d64a3707764a46e616d65a462617368a474797065a8746f6f6c5f757365"+
		"a4726f6c65a9617373697374616e74"+
		"82a7636f6e74656e74"+"93"+
		"84a7636f6e74656e74a42f737276a869735f6572726f72c2ab746f6f6c5f7573655f6964a27431a474797065ab746f6f6c5f726573756c74"+
		"84a7636f6e74656e74ac6e6f20737563682066696c65a869735f6572726f72c3ab746f6f6c5f7573655f6964a27430a474797065ab746f6f6c5f726573756c74"+
		"82a474657874a5676f206f6ea474797065a474657874"+
		"a4726f6c65a475736572"+
		"b873756d6d6172697a6174696f6e5f6d61785f746f6b656e73cd1000"+
		"b373756d6d6172697a6174696f6e5f6d6f64656cae73696d3a73756d6d6172697a6572"+
		"bc73756d6d6172697a6174696f6e5f70726f6d70745f76657273696f6ea5312e302e30",
		enc.hex())
}

func TestPromptVersionFor(t *testing.T) {
	require.Equal(t, "1.0.0", PromptVersionFor("1.0.0", false, false))
	require.Equal(t, "1.0.0+two.1", strings.Replace(PromptVersionFor("1.0.0", true, false), itoa(ExtractorVersion), "1", 1))
	require.Equal(t, "1.0.0+fold.1", PromptVersionFor("1.0.0", false, true))
	require.True(t, strings.HasSuffix(PromptVersionFor("1.0.0", true, true), "+fold.1"))
	for _, v := range PromptVersions {
		for _, effective := range []string{v, PromptVersionFor(v, true, false), PromptVersionFor(v, true, true)} {
			_, err := promptFor(effective)
			require.NoError(t, err)
		}
	}
	require.Len(t, prompts, len(PromptVersions))
}

func TestKey_InputThatIsNotJSON(t *testing.T) {
	rows := []message.Message{message.NewAssistant(message.ToolUse{ID: "a", Name: "t", Input: json.RawMessage(`{"a":`)})}
	_, err := Key(KeyInput{Rows: rows})
	require.ErrorContains(t, err, "tool t")
	rows[0].Blocks[0] = message.ToolUse{ID: "a", Name: "t", Input: json.RawMessage(`{} {}`)}
	_, err = Key(KeyInput{Rows: rows})
	require.Error(t, err)
}
