package transcript_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/transcript"
)

const head = `{"type":"session","id":"x"}` + "\n"

// malformed has the texts that are refused, and how: the place and what was expected there.
var malformed = []struct{ name, in, want string }{
	{"empty", "\ufeff \n\n", "transcript: expected a transcript"},
	{"prose", "hello", "transcript:1: expected a transcript"},
	{"number", "7\n", "transcript:1: expected a transcript"},
	{"object of another kind", `{"a":1}`, "transcript:1: expected a transcript"},
	{"not a session", head + `{"type":"session"}`, "transcript:2: expected a message with role and content: no role"},
	{"no content", head + "\n" + `{"role":"user"}`, "transcript:3: expected a message with role and content: no role or no content"},
	{"unknown role", head + `{"role":"king","content":""}`, `transcript:2: expected a message with role and content: role "king"`},
	{"broken line", head + `{"role":"user","content":"a"`, "transcript:2: expected a message with role and content: unexpected end"},
	{"null line", head + `null`, "transcript:2: expected a message with role and content: null"},
	{"content of another kind", head + `{"role":"user","content":{}}`, "transcript:2: expected a message with role and content: content is neither"},
	{"block without type", head + `{"role":"user","content":[{"x":1}]}`, "transcript:2: expected a message with role and content: block 1: no type"},
	{"usage", head + `{"role":"assistant","content":"a","usage":{"input_tokens":"many"}}`, "transcript:2: expected a message with role and content: token counts"},
	{"session tools", `{"type":"session","tools":[{}]}`, "transcript:1: expected a list of tools, each with a name: tool 1: no name"},
	{"session system", `{"type":"session","system":7}`, "transcript:1: expected a system prompt"},
	{"broken array", "[\n{\"role\":\"user\",\n\"content\":}]", "transcript:3: expected a transcript"},
	{"array of numbers", "[1]", "transcript: message 1: expected a message with role and content"},
	{"array cut off", `[{"role":"user","content":"a"}`, "transcript:1: expected a transcript"},
	{"two documents", `{"messages":[]}` + "\n" + `{"messages":[]}`, "transcript:2: expected nothing behind the JSON document"},
	{"no messages", "{\n\"model\":\"x\"\n}", "transcript: expected a transcript"},
	{"tools of a request", `{"messages":[],"tools":7}`, "transcript: expected a list of tools"},
	{"Claude line without message", `{"type":"user","sessionId":"s"}`, "transcript:1: expected a message with role and content: no message"},
	{"Claude line broken", `{"type":"summary","leafUuid":"u"}` + "\n{", "transcript:2: expected a log record"},
	{"Codex item", `{"type":"response_item","payload":7}`, "transcript:1: expected a response item"},
	{"Codex message", `{"type":"response_item","payload":{"type":"message","content":[]}}`, "transcript:1: expected a response item: no role"},
	{"bare lines", `{"role":"user","content":"a"}` + "\n" + `{"role":"user"}`, "transcript:2: expected a message with role and content"},
	{"bare lines broken", `{"role":"user","content":"a"}` + "\n" + `{"role":`, "transcript:2: expected a JSON object on this line"},
}

// TestMalformed wants one clear error for each (spec 9, 10).
func TestMalformed(t *testing.T) {
	for _, c := range malformed {
		t.Run(c.name, func(t *testing.T) {
			rec, err := transcript.Read(strings.NewReader(c.in))
			var e *transcript.Error
			if !errors.As(err, &e) || rec != nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s…", err, c.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %v", err)
			}
		})
	}
}

// TestFileErrors name the file.
func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "bad.jsonl")
	if err := os.WriteFile(path, []byte(head+"{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		path:                         path + ":2: expected a message",
		filepath.Join(dir, "absent"): "open " + filepath.Join(dir, "absent") + ": no such file",
		dir:                          "read " + dir + ": ",
	} {
		if _, err := transcript.ReadFile(file); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s…", err, want)
		}
	}
}

// TestLineLimit stops at a line that is too long, without holding more than the limit.
func TestLineLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MiB")
	}
	endless := io.MultiReader(strings.NewReader(head+`{"role":"user","content":"`), letters{})
	_, err := transcript.Read(endless)
	if want := "transcript:2: expected a JSON object on this line: longer than 64 MiB"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestReaderErrors passes on what the reader says.
func TestReaderErrors(t *testing.T) {
	broken := errors.New("cable cut")
	for _, before := range []string{"", head, "[", `{"role":"user","content":"a"}` + "\n"} {
		r := io.MultiReader(strings.NewReader(before), failing{broken})
		if _, err := transcript.Read(r); !errors.Is(err, broken) {
			t.Errorf("after %q: %v", before, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
