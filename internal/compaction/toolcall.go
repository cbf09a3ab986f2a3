package compaction

import (
	"slices"
	"strings"

	"tidemark/internal/message"
)

// callKind is what a tool call does, as far as its name and arguments say.
type callKind int

const (
	callOther callKind = iota
	callShell
	callRead
	callEdit
	callWrite
)

// toolCall is a call made ready for extraction: what it does and to what.
type toolCall struct {
	tool   string
	kind   callKind
	target string   // command line, path, or what another tool was pointed at
	files  []string // paths that a read, an edit or a write names
	check  bool     // a test, build or lint command
	args   []arg
	masked int
}

var (
	pathKeys    = []string{"file_path", "filepath", "path", "notebook_path", "target_file", "absolute_path", "file_name", "filename", "file"}
	commandKeys = []string{"command", "cmd", "script", "commandline"}
	// targetKeys name, in order, the arguments that say best what another tool was pointed at.
	targetKeys = []string{
		"pattern", "query", "url", "path", "file_path", "description", "subject", "title", "name", "skill", "expression",
		"element", "question", "task_id", "taskid", "session_id", "id", "status", "state",
	}
)

// newToolCall reads a call; its arguments are masked first.
func newToolCall(u message.ToolUse) toolCall {
	in, n := Mask(strings.ToValidUTF8(string(u.Input), "\uFFFD"))
	c := toolCall{tool: oneLine(strings.ToValidUTF8(u.Name, "\uFFFD"), maxToolName), masked: n}
	walkInput(in, func(a arg) { c.args = append(c.args, a) })
	command, path := c.lookup(commandKeys), c.lookup(pathKeys)
	switch {
	case c.patch():
	case command != "" && path == "":
		c.shell(command)
	case path != "":
		c.file(path, command)
	}
	if c.target == "" {
		c.target = c.other()
	}
	return c
}

// lookup returns the first argument among keys; the elements of an array are joined by blanks.
func (c *toolCall) lookup(keys []string) string {
	for _, k := range keys {
		var parts []string
		for _, a := range c.args {
			if a.text && a.depth <= 2 && strings.EqualFold(a.key, k) {
				parts = append(parts, a.value)
			}
		}
		if len(parts) > 0 {
			return strings.Join(parts, " ")
		}
	}
	return ""
}

// patch recognizes the patch format that names its files in `*** Update File:` lines.
func (c *toolCall) patch() bool {
	for _, a := range c.args {
		if !strings.Contains(a.value, "*** Begin Patch") {
			continue
		}
		for line := range strings.SplitSeq(a.value, "\n") {
			for _, p := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
				if f, ok := strings.CutPrefix(line, p); ok {
					c.addFile(strings.TrimSpace(f))
				}
			}
		}
		c.kind, c.target = callEdit, strings.Join(c.files, " ")
		return len(c.files) > 0
	}
	return false
}

func (c *toolCall) addFile(p string) {
	if p != "" && len(p) <= maxPath && !slices.Contains(c.files, p) {
		c.files = append(c.files, p)
	}
}

// Bounds of what is taken for a path, and of a tool's name.
const (
	maxPath     = 240
	maxToolName = 80
)

// file decides what a call with a path does to it: by its sub-command, its name, or what else it carries.
func (c *toolCall) file(path, sub string) {
	name := strings.ToLower(c.tool)
	if sub != "" {
		name = strings.ToLower(sub)
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
	}
	switch {
	case has("grep", "glob", "search", "find", "list"):
		return
	case has("edit", "replace", "insert", "patch", "update", "append", "undo"):
		c.kind = callEdit
	case has("write", "create", "save"):
		c.kind = callWrite
	case has("read", "view", "open", "cat", "show"):
		c.kind = callRead
	default:
		return
	}
	c.target = path
	c.addFile(path)
}

// other names the target of a call that is neither a command nor about a file: at most two telling arguments.
func (c *toolCall) other() string {
	var parts []string
	for _, k := range targetKeys {
		for _, a := range c.args {
			if len(parts) < 2 && a.depth == 1 && strings.EqualFold(a.key, k) && a.value != "" {
				parts = append(parts, oneLine(a.value, 80))
			}
		}
	}
	for _, a := range c.args {
		if len(parts) == 0 && a.text && a.depth <= 2 && len(a.value) <= 200 {
			parts = append(parts, oneLine(a.value, 80))
		}
	}
	return strings.Join(parts, " ")
}

// topic is what specifics of the call and of its result belong to.
func (c *toolCall) topic() Topic {
	switch {
	case len(c.files) > 0:
		return Topic{TopicFile, c.files[0]}
	case c.kind == callShell:
		return Topic{TopicCommand, c.target}
	}
	return Topic{TopicTool, strings.TrimSpace(c.tool + " " + c.target)}
}

// oneLine folds white space and cuts to n bytes; a cut is marked.
func oneLine(s string, n int) string {
	if len(s) > 4*n {
		s = cutBytes(s, 4*n)
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(cutBytes(s, n-len("…")), " ") + "…"
}

// isShellTool reports whether a tool's name says that it runs commands, so that it need not stand before each.
func isShellTool(name string) bool {
	low := strings.ToLower(name)
	return slices.ContainsFunc([]string{"bash", "shell", "exec", "command", "terminal"}, func(w string) bool { return strings.Contains(low, w) })
}
