package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Error says where a transcript is malformed and what was expected there. Line counts from 1, Message from 1 in a message
// array; 0 means that the place is not known.
type Error struct {
	File    string
	Line    int
	Message int
	Want    string
	Err     error
}

func (e *Error) Error() string {
	var sb strings.Builder
	sb.WriteString("transcript")
	if e.File != "" {
		sb.Reset()
		sb.WriteString(e.File)
	}
	if e.Line > 0 {
		fmt.Fprintf(&sb, ":%d", e.Line)
	}
	if e.Message > 0 {
		fmt.Fprintf(&sb, ": message %d", e.Message)
	}
	fmt.Fprintf(&sb, ": expected %s", e.Want)
	if e.Err != nil {
		fmt.Fprintf(&sb, ": %v", e.Err)
	}
	return sb.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// What is expected at a place, in the words of the error.
const (
	wantTranscript = "a transcript: JSON Lines with a session line first, a Claude Code or Codex log, " +
		"or an Anthropic or OpenAI message array"
	wantLine    = "a JSON object on this line"
	wantMessage = "a message with role and content"
	wantSession = `a session line {"type":"session","id","source","system","tools"}`
	wantRecord  = "a log record"
	wantItem    = "a response item"
	wantTools   = "a list of tools, each with a name"
	wantSystem  = "a system prompt: a string or a list of text blocks"
	wantUsage   = "token counts"
	wantEnd     = "nothing behind the JSON document"
)

var (
	errTooLong  = fmt.Errorf("longer than %d MiB", MaxLine>>20)
	errTooLarge = fmt.Errorf("larger than %d MiB", MaxDocument>>20)
	errEmpty    = errors.New("nothing in it")
)

// syntaxLine finds the line of a JSON error in a document; an end that came too soon is on the last line with text.
func syntaxLine(data []byte, err error) int {
	offset := int64(len(bytes.TrimRight(data, " \t\r\n")))
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &typ):
		offset = typ.Offset
	}
	offset = max(0, min(offset, int64(len(data))))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}
