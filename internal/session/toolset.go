package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/tool"
)

// toolSpecs are the tools of a new session, sorted by name: the client's own, its file operations, and the built-in
// ones. The set never changes, so that the stable prefix does not (spec 4.10).
func toolSpecs(n NewSession) ([]message.ToolSpec, error) {
	specs := slices.Clone(n.Tools)
	seen := make(map[string]bool)
	for i, s := range specs {
		switch {
		case s.Name == "":
			return nil, &ParamError{Param: fmt.Sprintf("tools[%d].name", i), Reason: "it is empty"}
		case seen[s.Name]:
			return nil, &ParamError{Param: "tools", Reason: fmt.Sprintf("%q is there twice", s.Name)}
		case len(s.InputSchema) == 0:
			specs[i].InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		seen[s.Name] = true
	}
	for _, t := range serverTools(nil, n.FileTools) {
		if s := t.Spec(); !seen[s.Name] {
			specs = append(specs, s)
		}
	}
	sort.Slice(specs, func(i, j int) bool { return specs[i].Name < specs[j].Name })
	return specs, nil
}

// serverTools are the tools that are not the client's own.
func serverTools(a *actor, f FileTools) []tool.Tool {
	out := []tool.Tool{describeContext{a}, summarizeSession{a}}
	if f.Read {
		out = append(out, fileTool{a, readFileSpec, tool.RequestReadFile, false})
	}
	if f.Write {
		out = append(out, fileTool{a, writeFileSpec, tool.RequestWriteFile, true})
	}
	return out
}

// tools are the session's tools by name. A spec that is a server tool's own is that tool; any other is the client's.
func (a *actor) tools() map[string]tool.Tool {
	out := make(map[string]tool.Tool, len(a.specs))
	server := make(map[string]tool.Tool)
	for _, t := range serverTools(a, FileTools{Read: true, Write: true}) {
		server[t.Spec().Name] = t
	}
	for _, s := range a.specs {
		if t, ok := server[s.Name]; ok && t.Spec().Description == s.Description {
			out[s.Name] = t
			continue
		}
		out[s.Name] = clientTool{a, s}
	}
	return out
}

// clientTool is run by an attached client (protocol, `_tidemark/tool_call`).
type clientTool struct {
	a    *actor
	spec message.ToolSpec
}

func (t clientTool) Spec() message.ToolSpec { return t.spec }
func (t clientTool) SideEffects() bool      { return false } // the client runs it, and asks its own user

func (t clientTool) Call(ctx context.Context, c tool.Call) tool.Outcome {
	return t.a.ask(ctx, tool.Request{Kind: tool.RequestTool, Call: c, Title: c.Name})
}

// ask puts a call to the attached clients.
func (a *actor) ask(ctx context.Context, r tool.Request) tool.Outcome {
	ans, err := a.clients.Ask(ctx, r, tool.AskTimeout)
	switch {
	case errors.Is(err, tool.ErrNoAnswer):
		return tool.ErrorOutcome(tool.ClassNoClient, "No attached client ran this tool in time.")
	case err != nil:
		return tool.ErrorOutcome(tool.ClassCancelled, interruptedResult)
	}
	out := tool.Outcome{Content: ans.Content, IsError: ans.IsError}
	if out.IsError {
		out.Class = tool.ClassError
	}
	return out
}

// Specs of the client's file operations.
var (
	readFileSpec = message.ToolSpec{
		Name: "read_file", Description: "Read a text file in the user's workspace.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"absolute path"},"line":{"type":"integer","minimum":1},"limit":{"type":"integer","minimum":1}},"required":["path"],"additionalProperties":false}`),
	}
	writeFileSpec = message.ToolSpec{
		Name: "write_file", Description: "Write a text file in the user's workspace, replacing what is there.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"absolute path"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}`),
	}
)

// fileTool is a file operation of the client.
type fileTool struct {
	a      *actor
	spec   message.ToolSpec
	kind   tool.RequestKind
	writes bool
}

func (t fileTool) Spec() message.ToolSpec { return t.spec }
func (t fileTool) SideEffects() bool      { return t.writes }

func (t fileTool) Call(ctx context.Context, c tool.Call) tool.Outcome {
	var in struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return tool.ErrorOutcome(tool.ClassError, "The input is not what the tool takes: "+err.Error())
	}
	switch {
	case in.Path == "" || in.Path[0] != '/':
		return tool.ErrorOutcome(tool.ClassError, "path must be an absolute path.")
	case t.writes && in.Content == nil:
		return tool.ErrorOutcome(tool.ClassError, "content is missing.")
	}
	return t.a.ask(ctx, tool.Request{Kind: t.kind, Call: c, Title: c.Name + " " + in.Path})
}

// describeContext tells the model how full its context is: the posture record without texts (spec 6.6).
type describeContext struct{ a *actor }

func (describeContext) Spec() message.ToolSpec {
	return message.ToolSpec{
		Name: "describe_context", Description: "Describe this session's context: tokens used, what is summarized, what compaction will do next, and cost.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
	}
}

func (describeContext) SideEffects() bool { return false }

func (t describeContext) Call(ctx context.Context, _ tool.Call) tool.Outcome {
	var r compaction.PostureRecord
	if !t.a.do(func() { r = t.a.state.postureRecord(t.a.deps.Now()) }) {
		return tool.ErrorOutcome(tool.ClassCancelled, interruptedResult)
	}
	return tool.TextOutcome(string(mustJSON(r)))
}

// summarizeSession sets a wish that the next check honours, and returns at once (spec 6.7).
type summarizeSession struct{ a *actor }

func (summarizeSession) Spec() message.ToolSpec {
	return message.ToolSpec{
		Name: "summarize_session", Description: "Ask for the older part of this session to be summarized before the next step.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"focus":{"type":"string","description":"what the summary should keep in view"}},"additionalProperties":false}`),
	}
}

func (summarizeSession) SideEffects() bool { return false }

func (t summarizeSession) Call(_ context.Context, c tool.Call) tool.Outcome {
	var in struct {
		Focus string `json:"focus"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return tool.ErrorOutcome(tool.ClassError, "The input is not what the tool takes: "+err.Error())
	}
	off := false
	if !t.a.do(func() {
		if off = !t.a.state.rec.Compaction.Enabled; !off {
			t.a.state.wish = &in.Focus
		}
	}) {
		return tool.ErrorOutcome(tool.ClassCancelled, interruptedResult)
	}
	if off {
		return tool.ErrorOutcome(tool.ClassError, "Compaction is switched off in this session.")
	}
	return tool.TextOutcome("The older part of the session will be summarized before the next step.")
}
