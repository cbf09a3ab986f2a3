package transcript

import (
	"encoding/json"
	"sort"

	"tidemark/internal/message"
)

// Form is the shape of a transcript file (spec 10).
type Form string

// The forms [Read] knows.
const (
	FormUnknown    Form = ""
	FormCorpus     Form = "corpus"      // JSON Lines, a session line first, then one message a line
	FormClaudeCode Form = "claude-code" // session log of Claude Code
	FormCodex      Form = "codex"       // rollout of Codex
	FormAnthropic  Form = "anthropic"   // message array of the Anthropic Messages API, or the request around it
	FormOpenAI     Form = "openai"      // message array of the OpenAI Chat API, or the request around it
)

// Recording is one recorded session. Messages are numbered from 0 and counted, but not repaired.
type Recording struct {
	ID     string
	Source string
	System string
	Tools  []message.ToolSpec
	Form   Form

	Messages []message.Message
	// Usages belongs to Messages index by index; zero where the file names none. After message.Repair the indexes no
	// longer meet.
	Usages []message.Usage
}

// anyObject is the schema of a tool that is only known by name.
var anyObject = json.RawMessage(`{"type":"object"}`)

// finish numbers and counts the rows, and names the tools that were used when the file lists none.
func (r *Recording) finish() *Recording {
	for i := range r.Messages {
		r.Messages[i].Seq = message.Seq(i)
		r.Messages[i].Count()
	}
	if len(r.Tools) == 0 {
		r.Tools = usedTools(r.Messages)
	}
	return r
}

func usedTools(msgs []message.Message) []message.ToolSpec {
	seen := make(map[string]bool)
	var out []message.ToolSpec
	for i := range msgs {
		for _, u := range msgs[i].ToolUses() {
			if !seen[u.Name] && u.Name != "" {
				seen[u.Name] = true
				out = append(out, message.ToolSpec{Name: u.Name, InputSchema: anyObject})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
