package compaction

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
)

func callOf(t testing.TB, tool string, input any) toolCall {
	t.Helper()
	return newToolCall(message.ToolUse{ID: "t", Name: tool, Input: json.RawMessage(mustJSON(t, input))})
}

func TestToolCall_WhatItDoesToWhat(t *testing.T) {
	type in map[string]any
	cases := []struct {
		tool   string
		input  in
		kind   callKind
		target string
	}{
		{"Read", in{"file_path": "/a/b.go"}, callRead, "/a/b.go"},
		{"read", in{"filePath": "/a/b.go", "offset": 10}, callRead, "/a/b.go"},
		{"Edit", in{"file_path": "b.go", "old_string": "x", "new_string": "y"}, callEdit, "b.go"},
		{"write_file", in{"path": "b.go", "content": "x"}, callWrite, "b.go"},
		{"str_replace_editor", in{"command": "view", "path": "b.go"}, callRead, "b.go"},
		{"str_replace_editor", in{"command": "create", "path": "b.go", "file_text": "x"}, callWrite, "b.go"},
		{"str_replace_editor", in{"command": "str_replace", "path": "b.go"}, callEdit, "b.go"},
		{"apply_patch", in{"input": "*** Begin Patch\n*** Update File: a.go\n@@\n*** Add File: b.go\n*** End Patch"}, callEdit, "a.go b.go"},
		{"Bash", in{"command": "cd /srv && go test ./..."}, callShell, "go test ./..."},
		{"shell", in{"command": []string{"bash", "-lc", "ls -l"}}, callShell, "ls -l"},
		{"exec_command", in{"cmd": "sed -n '1,80p' internal/a.go", "workdir": "/x"}, callRead, "internal/a.go"},
		{"Bash", in{"command": "cat <<'EOF' > a.go\ngo test\nEOF"}, callWrite, "a.go"},
		{"Grep", in{"pattern": "foo", "path": "src"}, callOther, "foo src"},
		{"Glob", in{"pattern": "**/*.go"}, callOther, "**/*.go"},
		{"WebFetch", in{"url": "https://a.example/x", "prompt": "read"}, callOther, "https://a.example/x"},
		{"mcp__boats__rent", in{"boat": "Anna"}, callOther, "Anna"},
		{"list", in{}, callOther, ""},
	}
	for _, c := range cases {
		got := callOf(t, c.tool, c.input)
		require.Equal(t, c.kind, got.kind, c.tool)
		require.Equal(t, c.target, got.target, c.tool)
	}
}

func TestIsCheck(t *testing.T) {
	for _, c := range []string{
		"go test ./...", "CGO_ENABLED=0 go build", "npm run lint && echo", "pnpm --filter x build || pnpm test", "make lint", "uv run pytest -q",
		"timeout 60 cargo test", "cd x; npx tsc --noEmit", "yarn typecheck", "git add . && go vet ./...",
	} {
		require.True(t, isCheck(c), c)
	}
	for _, c := range []string{
		"git commit -m 'go test; make lint'", "ls", "echo \"npm test\"", "go run .", "makefile", "gotest", "npm install", "cat <<EOF > x\ngo test\nEOF",
	} {
		require.False(t, isCheck(c), c)
	}
}

func TestReadOutcome(t *testing.T) {
	cases := []struct {
		text    string
		isError bool
		shell   bool
		failed  bool
		line    string
	}{
		{"Exit code 1\nmake: *** [all] Error 2", true, true, true, "make: *** [all] Error 2"},
		{"Chunk ID: 1\nProcess exited with code 0\nOutput:\nall good", false, true, false, "all good"},
		{"Chunk ID: 1\nProcess exited with code 2\nOutput:\nrg: unrecognized flag", false, true, true, "rg: unrecognized flag"},
		{"fine\n<shellId: 3 completed with exit code 0>", false, true, false, "fine"},
		{"<tool_use_error>File does not exist.</tool_use_error>", true, false, true, "File does not exist."},
		{"Error: no such boat", false, false, true, "Error: no such boat"},
		{"Traceback (most recent call last):\n  File x\nValueError: bad tide", true, true, true, "ValueError: bad tide"},
		{"0 errors\nsomething failed to dock", true, true, true, "something failed to dock"},
		{"\x1b[31merror\x1b[0m: red", true, true, true, "error: red"},
		{"", true, true, true, "no output"},
		{"a file that says exit code 3", false, false, false, "a file that says exit code 3"},
	}
	for _, c := range cases {
		failed, body := readOutcome(c.text, c.isError, c.shell)
		require.Equal(t, c.failed, failed, c.text)
		require.Equal(t, c.line, errorLine(body), c.text)
	}
}

func TestCheckLine(t *testing.T) {
	require.Equal(t, "12 passed, 1 failed in 3.2s", checkLine("collecting\n.....F\n12 passed, 1 failed in 3.2s\n\n"))
	require.Equal(t, "PASS", checkLine("PASS\nbye"))
	require.Empty(t, checkLine("nothing of note"))
}

func TestSentences(t *testing.T) {
	var got []string
	sentences("# Rules for boats\n- Never tie two boats\n  to one ring. Use ropes!\n```\nnever = true\n```\n* **Always** ring the bell.\n1) keep left:\n不要进港。谢谢大家的帮助",
		func(s string) { got = append(got, s) })
	require.Equal(t, []string{
		"Rules for boats", "Never tie two boats to one ring.", "Use ropes!", "**Always** ring the bell.", "不要进港。", "谢谢大家的帮助",
	}, got)
}

func TestIsConstraint(t *testing.T) {
	for _, s := range []string{
		"Never push to main.", "do not touch vendor/", "No push and no PR.", "Use only tabs.", "Don’t rename it.", "You must not guess.",
		"Please make sure the bell rings.", "niemals die Boote zählen", "不要提交代码。", "Keep the old datum.", "Work without mocks.",
	} {
		require.True(t, isConstraint(s, false), s)
	}
	for _, s := range []string{"Paint it red.", "Why does it only fail here?", "if (x == null) { return never; }", "| never | x |", "I knew nothing."} {
		require.False(t, isConstraint(s, false), s)
	}
	require.True(t, isConstraint("Do not overstate it.", true))
	require.False(t, isConstraint("The lamps that were lit only at night were counted.", true))
}

func TestExtractRow_FillersAreNoFacts(t *testing.T) {
	require.True(t, ExtractRow(message.Filler(message.FillerInterrupted), nil).Empty())
}

func TestExtractRow_LongAskKeepsBothEndsAndItsSize(t *testing.T) {
	long := "BEGIN " + strings.Repeat("é ", 3000) + "END"
	d := ExtractRow(message.NewUser(message.Text{Text: long}), nil)
	require.Len(t, d.Asks, 1)
	a := d.Asks[0]
	require.True(t, strings.HasPrefix(a.Text, "BEGIN ") && strings.HasSuffix(a.Text, "END"))
	require.Equal(t, message.FallbackTokens(len(long)), a.Size)
	require.LessOrEqual(t, len(a.Text), maxAsk)
	edge := strings.Repeat("x", maxAsk)
	require.Equal(t, edge, ExtractRow(message.NewUser(message.Text{Text: edge}), nil).Asks[0].Text, "500 tokens stand whole")
}

func TestExtractRow_ThinsLineNumbers(t *testing.T) {
	k := (&talk{}).calls("", "Read", map[string]any{"file_path": "a.go"}, "   118→a\n   119→b\n   120→c\n   121→d", false)
	k.calls("", "Grep", map[string]any{"pattern": "x"}, "a.go:240:x\na.go:512:x", false)
	ds := k.digests()
	require.Equal(t, []string{"118", "121"}, numbersOf(ds[1]))
	require.Equal(t, []string{"240", "512"}, numbersOf(ds[3]))
}

func numbersOf(d Digest) []string {
	var out []string
	for _, s := range d.Specifics {
		if kindOf(s.Text) == KindNumber {
			out = append(out, s.Text)
		}
	}
	return out
}

func TestExtractRow_DoesNotHoldOnToTheRow(t *testing.T) {
	k := (&talk{}).user("remember harborMaster and tide_table").digests()
	require.Len(t, k[0].Specifics, 2)
	require.Equal(t, 1, k[0].Specifics[0].Users)
}

func TestWalkInput_KeepsOrderAndStopsAtNonsense(t *testing.T) {
	var got []string
	walkInput(`{"b":1,"a":{"c":["x","y\n"],"d":null},"e":true}`, func(a arg) { got = append(got, a.key+"="+a.value) })
	require.Equal(t, []string{"b=1", "c=x", "c=y\n", "d=null", "e=true"}, got)
	for _, s := range []string{"", "{", `{"a"`, `{"a":}`, `{"a":"`, strings.Repeat(`{"a":`, 200), "[[[[", `{"a":"\`} {
		walkInput(s, func(arg) {})
	}
}
