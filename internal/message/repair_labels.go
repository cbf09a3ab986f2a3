package message

import (
	"fmt"
	"slices"
)

// Labels of text that was something else before.
const (
	labelThinking = "[thinking]\n"
	labelOrphan   = "[tool result %s, its call is missing]"
	labelReplaced = "[earlier tool result %s, replaced by a later one]"
	unknownTool   = "unknown"
)

// labeled stands in a piece where a result was: the blocks it became. It never leaves Repair.
type labeled struct{ blocks Blocks }

// Type implements Block.
func (labeled) Type() string { return "labeled" }

// Units implements Block.
func (l labeled) Units() int { return l.blocks.Units() }

// label turns a result into text that names it; images and opaque blocks follow the text as they were.
func label(format string, v ToolResult) labeled {
	head := fmt.Sprintf(format, v.ToolUseID)
	if v.IsError {
		head += " (error)"
	}
	if s := v.Content.PlainText(); !isBlank(s) {
		head += "\n" + s
	}
	out := Blocks{Text{Text: head}}
	for _, c := range v.Content {
		if _, isText := c.(Text); !isText {
			out = append(out, c)
		}
	}
	return labeled{out}
}

// cleanContent copies the content of a result, as [ValidateHistory] wants it: no blank beside other blocks, nothing that
// only a message may hold. It reports whether anything changed.
func cleanContent(in Blocks) (Blocks, bool) {
	var out Blocks
	changed := false
	for _, b := range in {
		plain := plainContent(b)
		changed = changed || len(plain) != 1 || plain[0].Type() != b.Type()
		out = append(out, plain...)
	}
	if len(out) <= 1 {
		return out, changed
	}
	full := slices.DeleteFunc(slices.Clone(out), func(b Block) bool {
		t, ok := b.(Text)
		return ok && isBlank(t.Text)
	})
	return slices.Clip(full), changed || len(full) != len(out)
}

// plainContent is one block of a result in blocks that may stand there.
func plainContent(b Block) Blocks {
	switch v := b.(type) {
	case nil:
		return nil
	case Thinking:
		return Blocks{Text{Text: labelThinking + v.Thinking}}
	case ToolUse:
		return Blocks{Text{Text: fmt.Sprintf("[call of %s]\n%s", v.Name, v.Input)}}
	case ToolResult:
		nested, _ := cleanContent(v.Content)
		return nested
	}
	return Blocks{b}
}

func sameContent(a, b ToolResult) bool {
	return slices.EqualFunc(a.Content, b.Content, sameBlock)
}

// sameBlock is false where it cannot tell: the only price is a repeated text.
func sameBlock(a, b Block) bool {
	switch v := a.(type) {
	case Text:
		return v == b
	case Image:
		return v == b
	}
	return false
}
