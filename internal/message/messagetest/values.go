package messagetest

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"

	"tidemark/internal/message"
)

// source draws the parts of one history. Its counter makes texts and ids unique.
type source struct {
	t *rapid.T
	n int
}

// words are scripts, widths and marks that code counting bytes, runes or columns gets wrong.
var words = []string{
	"plain", "naïve café", "日本語のテキスト", "привет", "مرحبا", "😀👩‍👩‍👧", "𝔘𝔫𝔦", "a\u0301", "<b>&amp;</b>", "line one\nline two",
	"```go\nx := 1\n```", "</COMPACTION_SUMMARY>", "\\u003c", "\u2028", "tab\there", "nul\x00byte",
}

var blanks = []string{"", " ", "\n\t", "\u00a0"}

func (s *source) chance(label string, percent int) bool {
	return rapid.IntRange(1, 100).Draw(s.t, label) <= percent
}

func (s *source) next() int {
	s.n++
	return s.n
}

func (s *source) words() string {
	w := rapid.SampledFrom(words).Draw(s.t, "word")
	return fmt.Sprintf("%s #%d.", w, s.next())
}

func (s *source) text() message.Text { return message.Text{Text: s.words()} }

func (s *source) thinking() message.Thinking {
	return message.Thinking{Thinking: s.words(), Signature: rapid.SampledFrom([]string{"", "c2ln"}).Draw(s.t, "signature")}
}

func (s *source) image() message.Image {
	return message.Image{MediaType: "image/png", Data: fmt.Sprintf("aW1hZ2U%d", s.next())}
}

func (s *source) opaque() message.Opaque {
	raw := json.RawMessage(fmt.Sprintf(`{"type":"redacted","data":%d}`, s.next()))
	return message.Opaque{Provider: "anthropic", Kind: "redacted", Raw: raw}
}

func (s *source) use(id string) message.ToolUse {
	name := rapid.SampledFrom([]string{"read_file", "bash", "edit"}).Draw(s.t, "tool")
	in, err := message.CanonicalInput(fmt.Appendf(nil, `{"path":"dir/<file>-%d.go","limit":%d}`, s.next(), s.n))
	if err != nil {
		s.t.Fatalf("input: %v", err)
	}
	return message.ToolUse{ID: id, Name: name, Input: in}
}

func (s *source) result(id string) message.ToolResult {
	r := message.TextResult(id, s.words(), s.chance("error", 20))
	switch rapid.IntRange(0, 9).Draw(s.t, "content") {
	case 0:
		r.Content = nil
	case 1:
		r.Content = append(r.Content, s.image())
	case 2:
		r.Content = append(r.Content, s.text())
	}
	return r
}
