package message

import "fmt"

// InvalidHistoryError names the first rule of spec 3.3 that a history breaks and where. Index is the place in the
// list; Seq is the transcript seq of that message, -1 for a synthetic one.
type InvalidHistoryError struct {
	Index int
	Seq   Seq
	Rule  string
}

func (e *InvalidHistoryError) Error() string {
	return fmt.Sprintf("history is not valid at message %d (seq %d): %s", e.Index, e.Seq, e.Rule)
}

// ValidateHistory holds a list of messages to spec 3.3: starts and ends with user, strict alternation, nothing empty or
// blank, each tool_use answered exactly once in the very next message, each result preceded by its use and standing
// first, ids unique. It returns an *InvalidHistoryError for the first break; the same list gives the same error.
func ValidateHistory(msgs []Message) error {
	if len(msgs) == 0 {
		return &InvalidHistoryError{0, -1, "no messages"}
	}
	if _, err := walk(msgs); err != nil {
		return err
	}
	last := len(msgs) - 1
	if msgs[last].Role != RoleUser {
		return &InvalidHistoryError{last, msgs[last].Seq, "does not end with a user message"}
	}
	return nil
}

// ValidatePrefix holds a list to every rule of spec 3.3 but the last one: it may end with an assistant message, so that
// it is valid as soon as a user message follows. A call without its result is therefore a break at the end too. The
// empty list passes. It returns an *InvalidHistoryError.
func ValidatePrefix(msgs []Message) error {
	open, err := walk(msgs)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		last := len(msgs) - 1
		return &InvalidHistoryError{last, msgs[last].Seq, fmt.Sprintf("call %q has no result", open[0])}
	}
	return nil
}

// walk checks message by message and returns the ids of the calls the last one leaves open, in order.
func walk(msgs []Message) ([]string, error) {
	seen := make(map[string]bool)
	var open []string // calls of the message before, in order: the error must not depend on map order
	for i := range msgs {
		next, rule := checkMessage(msgs, i, open, seen)
		if rule != "" {
			return nil, &InvalidHistoryError{i, msgs[i].Seq, rule}
		}
		open = next
	}
	return open, nil
}

func checkMessage(msgs []Message, i int, open []string, seen map[string]bool) ([]string, string) {
	m := &msgs[i]
	if rule := checkPlace(msgs, i); rule != "" {
		return nil, rule
	}
	if rule := checkBlocks(m); rule != "" {
		return nil, rule
	}
	if rule := checkResults(m, open); rule != "" {
		return nil, rule
	}
	return collectUses(m, seen)
}

func checkPlace(msgs []Message, i int) string {
	m := &msgs[i]
	switch {
	case m.Role != RoleUser && m.Role != RoleAssistant:
		return fmt.Sprintf("role %q is not known", m.Role)
	case i == 0 && m.Role != RoleUser:
		return "does not start with a user message"
	case i > 0 && msgs[i-1].Role == m.Role:
		return fmt.Sprintf("two %s messages in a row", m.Role)
	case len(m.Blocks) == 0:
		return "empty message"
	}
	return ""
}

func checkResults(m *Message, open []string) string {
	wanted := make(map[string]bool, len(open))
	for _, id := range open {
		wanted[id] = true
	}
	answered := make(map[string]bool, len(open))
	for _, r := range m.ToolResults() {
		switch {
		case !wanted[r.ToolUseID]:
			return fmt.Sprintf("tool_result %q has no call in the message before", r.ToolUseID)
		case answered[r.ToolUseID]:
			return fmt.Sprintf("two results for call %q", r.ToolUseID)
		}
		answered[r.ToolUseID] = true
	}
	for _, id := range open {
		if !answered[id] {
			return fmt.Sprintf("call %q has no result in this message", id)
		}
	}
	return ""
}

func collectUses(m *Message, seen map[string]bool) ([]string, string) {
	var open []string
	for _, u := range m.ToolUses() {
		if seen[u.ID] {
			return nil, fmt.Sprintf("tool_use id %q is not unique", u.ID)
		}
		seen[u.ID] = true
		open = append(open, u.ID)
	}
	return open, ""
}
