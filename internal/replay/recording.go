package replay

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tidemark/internal/acp"
	"tidemark/internal/message"
)

// recording is a repaired transcript, cut into what a client must do.
type recording struct {
	file    string
	system  string
	tools   []acp.ToolSpec
	turns   []turn
	results map[string]message.ToolResult // by call id
	repairs int
}

// turn is one prompt and the recorded answers to it.
type turn struct {
	prompt []acp.ContentBlock
	steps  []message.Blocks // one a model call; an empty one is an answer with nothing in it
}

// newRecording cuts repaired rows. Every user row without results becomes a prompt, the synthetic ones of a repair too:
// over the wire there is no other way to say them.
func newRecording(file, system string, tools []message.ToolSpec, rows []message.Message) recording {
	r := recording{file: file, system: system, results: make(map[string]message.ToolResult)}
	names := newToolNames()
	for i := range rows {
		m := rows[i]
		results := m.ToolResults()
		for _, res := range results {
			r.results[res.ToolUseID] = res
		}
		switch {
		case m.Role == message.RoleUser && len(results) == 0:
			r.turns = append(r.turns, turn{prompt: promptBlocks(m.Blocks)})
		case m.Role == message.RoleAssistant && len(r.turns) > 0:
			t := &r.turns[len(r.turns)-1]
			t.steps = append(t.steps, names.step(m))
		}
	}
	for i := range r.turns {
		r.turns[i].close()
	}
	r.tools = names.specs(tools)
	return r
}

// close makes sure that the model has something to say to the last results, or at all: a recording may end anywhere.
func (t *turn) close() {
	if n := len(t.steps); n == 0 || hasCalls(t.steps[n-1]) {
		t.steps = append(t.steps, message.Blocks{})
	}
}

func hasCalls(blocks message.Blocks) bool {
	return slices.ContainsFunc(blocks, func(b message.Block) bool { return b.Type() == message.TypeToolUse })
}

// promptBlocks puts a user row into the wire's form.
func promptBlocks(blocks message.Blocks) []acp.ContentBlock {
	var out []acp.ContentBlock
	for _, b := range blocks {
		switch b := b.(type) {
		case message.Text:
			out = append(out, acp.TextBlock(b.Text))
		case message.Image:
			out = append(out, acp.ImageBlock(b.MediaType, b.Data))
		case message.Opaque:
			out = append(out, acp.TextBlock(fmt.Sprintf("[%s %s]", b.Provider, b.Kind)))
		}
	}
	return out
}

// toolNames keeps tool names acceptable to every provider: recordings hold dots and slashes in them.
type toolNames struct{ used map[string]bool }

func newToolNames() *toolNames { return &toolNames{make(map[string]bool)} }

var notToolName = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

func (n *toolNames) clean(name string) string {
	name = notToolName.ReplaceAllString(name, "_")
	return name[:min(len(name), 64)]
}

// step is an assistant row as the model shall say it. What a repair put in as "(no answer)" is an empty answer: the
// server writes the filler itself.
func (n *toolNames) step(m message.Message) message.Blocks {
	if m.Synthetic {
		return message.Blocks{}
	}
	out := slices.Clone(m.Blocks)
	for i, b := range out {
		if u, ok := b.(message.ToolUse); ok {
			u.Name = n.clean(u.Name)
			n.used[u.Name] = true
			out[i] = u
		}
	}
	return out
}

// specs lists the recorded tools and those that were called without being listed, by name.
func (n *toolNames) specs(listed []message.ToolSpec) []acp.ToolSpec {
	byName := make(map[string]acp.ToolSpec)
	for name := range n.used {
		byName[name] = acp.ToolSpec{Name: name, InputSchema: emptySchema}
	}
	for _, t := range listed {
		name := n.clean(t.Name)
		byName[name] = acp.ToolSpec{Name: name, Description: t.Description, InputSchema: schemaOf(t)}
	}
	out := make([]acp.ToolSpec, 0, len(byName))
	for name, spec := range byName {
		if name != "" {
			out = append(out, spec)
		}
	}
	slices.SortFunc(out, func(a, b acp.ToolSpec) int { return strings.Compare(a.Name, b.Name) })
	return out
}

var emptySchema = json.RawMessage(`{"type":"object"}`)

// schemaOf is the recorded schema when it is an object that says what it is, else the empty one.
func schemaOf(t message.ToolSpec) json.RawMessage {
	var schema struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(t.InputSchema, &schema) != nil || schema.Type != "object" {
		return emptySchema
	}
	return t.InputSchema
}
