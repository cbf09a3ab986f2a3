package transcript_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidemark/internal/message"
	"tidemark/internal/transcript"
)

// forms has one file for each form: what is read from it, block by block.
var forms = []struct {
	file, id, system, tools string
	form                    transcript.Form
	rows                    string
}{
	{
		"corpus.jsonl", "demo", "Be exact.", "bash", transcript.FormCorpus, `
user: List <files> & folders
assistant: thinking(ls c2ln) | use t1 bash {"command":"ls < /dev/null"}
user: result t1 false [a.txt | image/png aGk=]
assistant: One file. | opaque unknown video {"type":"video","url":"x"} | opaque anthropic redacted_thinking {"data":"eA=="}`,
	},
	{
		"claude-code.jsonl", "s-1", "", "Bash Read", transcript.FormClaudeCode, `
user: How many lines has main.go?
assistant: thinking(Two files to read. c2ln) | use toolu_1 Bash {"command":"wc -l < main.go"} | use toolu_2 Read {"file_path":"/srv/app/logo.png"}
user: result toolu_1 false [42]
user: result toolu_2 false [image/png aGk= | [tool_reference]
{"type":"tool_reference","tool_name":"Grep"}]
assistant: opaque anthropic redacted_thinking {"type":"redacted_thinking","data":"b3BhcXVl"} | 42 lines.
user: Summary: main.go has 42 lines.
assistant synthetic: API Error`,
	},
	{
		"codex.jsonl", "c-1", "You are a helper.\n\nStay in the folder.", "apply_patch shell", transcript.FormCodex, `
user: Sort the list | image/png aGk=
assistant: thinking(Read, then patch. ZW5j) | On it. | use call_1 shell {"command":["cat","list.txt"]} | use call_2 apply_patch {"input":"*** Begin Patch"} | opaque openai web_search_call {"type":"web_search_call","status":"completed","action":{"type":"search","query":"sort"}}
user: result call_1 false [b
a] | result call_2 true [refused]
assistant: It was refused.
user: The patch was refused.
user synthetic: [developer message]
Network is off.`,
	},
	{
		"codex-bare.jsonl", "c-0", "Be brief.", "local_shell", transcript.FormCodex, `
user: List
assistant: use call_1 local_shell {"type":"exec","command":["ls"]}
user: result call_1 false [{"output":"a.txt","metadata":{"exit_code":0}}]
assistant: a.txt`,
	},
	{
		"anthropic.json", "", "Be exact.\n\nBe kind.", "add web_search", transcript.FormAnthropic, `
user: 1 + 1?
assistant: Adding. | use t1 add {"a":1,"note":"<b>"} | opaque anthropic server_tool_use {"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"sum"}}
user: result t1 true [2] | opaque anthropic image {"type":"image","source":{"type":"url","url":"https://example.org/x.png"}}`,
	},
	{
		"openai.json", "", "Be exact.", "old weather", transcript.FormOpenAI, `
user: Weather in the picture? | image/jpeg aGk= | opaque openai image_url {"type":"image_url","image_url":{"url":"https://example.org/x.png"}}
assistant: use call_1 weather {"city":"Ulm"} | use call_2 weather {"input":"not json"}
user: result call_1 false [rain] | result call_2 false [bad city]
user synthetic: [developer message]
Now in French.
assistant: Il pleut.
user: Secret?
assistant: [refusal]
I can't.
assistant: use  old {}
user: result  false [done]`,
	},
}

// TestForms reads a file of every form, repairs it, and takes it through the corpus form (spec 10).
func TestForms(t *testing.T) {
	for _, f := range forms {
		t.Run(f.file, func(t *testing.T) {
			path := filepath.Join("testdata", f.file)
			rec := readFile(t, path)
			if rec.Form != f.form || rec.ID != f.id || rec.System != f.system || toolNames(rec) != f.tools {
				t.Errorf("form %q, id %q, system %q, tools %q", rec.Form, rec.ID, rec.System, toolNames(rec))
			}
			if got := sketch(rec.Messages); got != f.rows {
				t.Errorf("got%s\n\nwant%s", got, f.rows)
			}
			checkRepair(t, rec.Messages)
			checkRoundTrip(t, rec)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := transcript.Detect(data); got != f.form {
				t.Errorf("Detect says %q", got)
			}
		})
	}
}

// TestUsages checks the buckets of the forms that name usage (spec 7.3).
func TestUsages(t *testing.T) {
	for _, c := range []struct {
		file string
		row  int
		want message.Usage
	}{
		{"corpus.jsonl", 1, message.Usage{Input: 10, CacheRead: 5, CacheWrite5m: 7, Output: 3}},
		{"claude-code.jsonl", 1, message.Usage{Input: 3, CacheRead: 10, CacheWrite5m: 90, Output: 55}},
		{"codex.jsonl", 1, message.Usage{Input: 400, CacheRead: 600, Output: 50, Reasoning: 20}},
		{"codex.jsonl", 0, message.Usage{}},
	} {
		rec := readFile(t, filepath.Join("testdata", c.file))
		if got := rec.Usages[c.row]; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.file, got, c.want)
		}
	}
	rec := readText(t, `[{"role":"assistant","content":"x","usage":{"prompt_tokens":9,"completion_tokens":4,`+
		`"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":{"reasoning_tokens":2}}}]`)
	if want := (message.Usage{Input: 4, CacheRead: 5, Output: 4, Reasoning: 2}); rec.Usages[0] != want {
		t.Errorf("%+v, want %+v", rec.Usages[0], want)
	}
	rec = readText(t, `[{"role":"assistant","content":"x","usage":{"input_tokens":1,"cache_creation_input_tokens":9,`+
		`"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":7}}}]`)
	if want := (message.Usage{Input: 1, CacheWrite5m: 2, CacheWrite1h: 7}); rec.Usages[0] != want {
		t.Errorf("%+v, want %+v", rec.Usages[0], want)
	}
}

// TestTimes keeps the time of a log line.
func TestTimes(t *testing.T) {
	rec := readFile(t, filepath.Join("testdata", "codex.jsonl"))
	if want := time.Date(2026, 1, 5, 10, 0, 0, 200_000_000, time.UTC); !rec.Messages[0].CreatedAt.Equal(want) {
		t.Errorf("created at %v", rec.Messages[0].CreatedAt)
	}
}

func readText(t testing.TB, s string) *transcript.Recording {
	t.Helper()
	rec, err := transcript.Read(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func toolNames(rec *transcript.Recording) string {
	var names []string
	for _, tool := range rec.Tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

func sketch(msgs []message.Message) string {
	var sb strings.Builder
	for _, m := range msgs {
		fmt.Fprintf(&sb, "\n%s%s: %s", m.Role, map[bool]string{true: " synthetic"}[m.Synthetic], sketchBlocks(m.Blocks))
	}
	return sb.String()
}

func sketchBlocks(bs message.Blocks) string {
	parts := make([]string, len(bs))
	for i, b := range bs {
		switch v := b.(type) {
		case message.Text:
			parts[i] = v.Text
		case message.Thinking:
			parts[i] = fmt.Sprintf("thinking(%s %s)", v.Thinking, v.Signature)
		case message.ToolUse:
			parts[i] = fmt.Sprintf("use %s %s %s", v.ID, v.Name, v.Input)
		case message.ToolResult:
			parts[i] = fmt.Sprintf("result %s %t [%s]", v.ToolUseID, v.IsError, sketchBlocks(v.Content))
		case message.Image:
			parts[i] = v.MediaType + " " + v.Data
		case message.Opaque:
			parts[i] = fmt.Sprintf("opaque %s %s %s", v.Provider, v.Kind, v.Raw)
		}
	}
	return strings.Join(parts, " | ")
}
