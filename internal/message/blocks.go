package message

import "strings"

// Blocks is an ordered list of blocks with a JSON form.
type Blocks []Block

// Units sums the units of all blocks.
func (bs Blocks) Units() int {
	n := 0
	for _, b := range bs {
		if b != nil { // ValidateHistory names it; counting must not be what fails
			n += b.Units()
		}
	}
	return n
}

// PlainText joins the text blocks by a newline.
func (bs Blocks) PlainText() string {
	var sb strings.Builder
	for _, b := range bs {
		if t, ok := b.(Text); ok {
			if sb.Len() > 0 {
				sb.WriteByte('\n')
			}
			sb.WriteString(t.Text)
		}
	}
	return sb.String()
}

// TextResult builds the common result: one text, or none when s is empty.
func TextResult(id, s string, isError bool) ToolResult {
	r := ToolResult{ToolUseID: id, IsError: isError}
	if s != "" {
		r.Content = Blocks{Text{Text: s}}
	}
	return r
}

// FallbackTokens is the estimate of spec 4.2: units / 3, rounded up.
func FallbackTokens(units int) int { return (units + 2) / 3 }
