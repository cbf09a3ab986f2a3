package sim

import (
	"encoding/json"
	"strconv"
	"strings"
)

// cue is one [[…]] of a user's text.
type cue struct {
	name  string
	args  string // all between name and end, trimmed
	calls []toolCall
}

// toolCall is a call a cue asks for.
type toolCall struct {
	name    string
	input   json.RawMessage
	unasked bool // the cue `call`: also when the tool was not offered
}

// cueNames is the closed set; any other [[…]] is ordinary text.
var cueNames = map[string]bool{
	"tool": true, "tools": true, "call": true, "steps": true, "say": true, "echo": true, "think": true,
	"fail": true, "hang": true, "empty": true, "blank": true, "refuse": true, "max_tokens": true,
	"slow": true, "late": true, "no_usage": true, "summarizer": true,
}

// maxCues bounds the places of one text that are read as cues: reading one that has no end costs the whole text.
const maxCues = 256

// readCues finds the cues of a text and returns what is left without them.
func readCues(text string) (cues []cue, rest string) {
	var out strings.Builder
	for range maxCues {
		before, after, found := strings.Cut(text, "[[")
		out.WriteString(before)
		text = ""
		if !found {
			break
		}
		c, tail, ok := readCue(after)
		if !ok {
			out.WriteString("[[")
			text = after
			continue
		}
		cues, text = append(cues, c), tail
	}
	out.WriteString(text)
	return cues, strings.TrimSpace(out.String())
}

// readCue reads what follows the brackets. Tool input is JSON and may hold brackets itself, so it is decoded to find
// its end.
func readCue(s string) (c cue, tail string, ok bool) {
	end := strings.IndexAny(s, " ]\n")
	if end < 0 || !cueNames[s[:end]] {
		return c, "", false
	}
	c.name = s[:end]
	s = s[end:]
	if c.name == "tool" || c.name == "tools" || c.name == "call" {
		c.calls, s, ok = readCalls(s, c.name == "call")
		if !ok {
			return c, "", false
		}
	}
	args, tail, ok := strings.Cut(s, "]]")
	c.args = strings.TrimSpace(args)
	return c, tail, ok && (c.calls == nil || c.args == "")
}

// readCalls reads `name {json} name {json}`; the input may be left out.
func readCalls(s string, unasked bool) (calls []toolCall, tail string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \n")
		end := strings.IndexAny(s, " {]\n")
		if end <= 0 {
			return calls, s, len(calls) > 0
		}
		call := toolCall{name: s[:end], input: json.RawMessage("{}"), unasked: unasked}
		s = strings.TrimLeft(s[end:], " \n")
		if strings.HasPrefix(s, "{") {
			dec := json.NewDecoder(strings.NewReader(s))
			if dec.Decode(&call.input) != nil {
				return nil, "", false
			}
			s = s[dec.InputOffset():]
		}
		calls = append(calls, call)
	}
}

// number reads the first argument, 0 when it is none.
func (c cue) number() int {
	n, _ := strconv.Atoi(c.args)
	return n
}
