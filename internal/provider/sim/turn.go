package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tidemark/internal/message"
)

// turn is what the assistant makes of a request: what the user said last and how far the work on it has come.
type turn struct {
	text    string // without cues
	cues    []cue
	key     uint64 // of the whole text
	step    int    // model calls of this turn before this one
	uses    []message.ToolUse
	results []message.ToolResult // answers to uses, when the request ends with results
}

// summaryTag opens a summary block (spec 4.7). Cues inside a summary are quotations and not meant.
const summaryTag = "<COMPACTION_SUMMARY"

// readTurn looks from the end for the newest user message without tool results. After a pass inside a turn that is the
// summary, which carries the request's own blocks behind it (spec 4.9).
func readTurn(msgs []message.Message) turn {
	var t turn
	last := msgs[len(msgs)-1]
	t.results = last.ToolResults()
	if len(t.results) > 0 {
		t.uses = msgs[len(msgs)-2].ToolUses()
		t.step = stepOf(t.uses) + 1
	}
	for _, m := range slices.Backward(msgs) {
		if m.Role == message.RoleUser && len(m.ToolResults()) == 0 {
			text := ownText(m.Blocks)
			t.key = xxhash.Sum64String(text)
			t.cues, t.text = readCues(text)
			return t
		}
	}
	return t
}

func ownText(blocks message.Blocks) string {
	var own message.Blocks
	for _, b := range blocks {
		if t, ok := b.(message.Text); ok && !strings.HasPrefix(t.Text, summaryTag) {
			own = append(own, t)
		}
	}
	return own.PlainText()
}

// callID names a call by the prompt it answers, its step and its place. The step stands in the id because the view may
// have lost the turn's earlier steps to a pass; the newest calls are always there (spec 4.9).
func callID(prompt uint64, step, place int) string {
	return fmt.Sprintf("call_%016x_%d_%d", prompt, step, place)
}

// stepOf reads the step out of the newest calls; calls of another model count as the first.
func stepOf(uses []message.ToolUse) int {
	if len(uses) == 0 {
		return 0
	}
	parts := strings.Split(uses[0].ID, "_")
	if len(parts) != 4 || parts[0] != "call" {
		return 0
	}
	step, _ := strconv.Atoi(parts[2])
	return step
}
