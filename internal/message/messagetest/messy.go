package messagetest

import (
	"pgregory.net/rapid"

	"tidemark/internal/message"
)

// History draws a messy history: any order of roles, results without calls and calls without results, repeated and
// missing ids, blanks, unknown roles, blocks under the wrong role. About half of it looks like a real log.
func History(t *rapid.T) []message.Message {
	s := &source{t: t}
	n := rapid.IntRange(0, 14).Draw(t, "messages")
	var out []message.Message
	for range n {
		if s.chance("real", 50) {
			out = append(out, s.logged()...)
			continue
		}
		out = append(out, s.messy())
	}
	return out
}

// pool is small, so that ids collide.
var pool = []string{"t1", "t2", "t3", "t1_2", ""}

func (s *source) id() string { return rapid.SampledFrom(pool).Draw(s.t, "id") }

// logged is what a log writer leaves: one block a line, results in their own lines and any order, speech in between.
func (s *source) logged() []message.Message {
	a, b := s.id(), s.id()
	lines := []message.Message{
		message.NewAssistant(s.use(a)), message.NewAssistant(s.use(b)),
		message.NewUser(s.result(b)), message.NewUser(s.text()), message.NewUser(s.result(a)),
	}
	from := rapid.IntRange(0, len(lines)-1).Draw(s.t, "from")
	to := rapid.IntRange(from, len(lines)).Draw(s.t, "to")
	return lines[from:to]
}

func (s *source) messy() message.Message {
	roles := []message.Role{message.RoleUser, message.RoleAssistant, message.RoleUser, message.RoleAssistant, "tool", ""}
	m := message.Message{
		Seq:       message.Seq(rapid.IntRange(-1, 50).Draw(s.t, "seq")),
		Role:      rapid.SampledFrom(roles).Draw(s.t, "role"),
		Synthetic: s.chance("synthetic", 10),
	}
	for range rapid.IntRange(0, 4).Draw(s.t, "blocks") {
		m.Blocks = append(m.Blocks, s.anyBlock())
	}
	return m
}

func (s *source) anyBlock() message.Block {
	switch rapid.IntRange(0, 11).Draw(s.t, "block") {
	case 0, 1:
		return s.text()
	case 2:
		return message.Text{Text: rapid.SampledFrom(blanks).Draw(s.t, "blank")}
	case 3:
		return s.thinking()
	case 4:
		return message.Thinking{}
	case 5, 6:
		return s.use(s.id())
	case 7, 8:
		return s.result(s.id())
	case 9:
		return s.messyResult()
	case 10:
		return s.image()
	default:
		return s.opaque()
	}
}

// messyResult holds what a result may not, and often repeats the one before word for word.
func (s *source) messyResult() message.ToolResult {
	if s.chance("same", 50) {
		return message.TextResult(s.id(), "same", false)
	}
	r := message.ToolResult{ToolUseID: s.id()}
	for range rapid.IntRange(0, 3).Draw(s.t, "inside") {
		inside := []message.Block{
			s.text(), message.Text{Text: " "}, s.thinking(), s.use("inner"), s.image(), s.opaque(),
			message.TextResult("inner", s.words(), false), nil,
		}
		r.Content = append(r.Content, rapid.SampledFrom(inside).Draw(s.t, "nested"))
	}
	return r
}
