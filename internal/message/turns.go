package message

// Turn is one user message and everything up to the next one (spec 3.2), as a span of transcript seqs.
type Turn struct {
	Span
}

// Turns cuts rows into turns. Rows before the first turn (a synthetic opening, say) belong to none; messages that
// exist only in a view have no seq and are passed over.
func Turns(rows []Message) []Turn {
	var out []Turn
	for i := range rows {
		seq := rows[i].Seq
		switch n := len(out); {
		case seq < 0:
		case rows[i].OpensTurn():
			out = append(out, Turn{Span{seq, seq + 1}})
		case n > 0:
			out[n-1].End = seq + 1
		}
	}
	return out
}

// ToolCycle is an assistant message with calls and the user message that answers them; indivisible (spec 3.2).
// Closed is false while the answer is missing.
type ToolCycle struct {
	Use    Seq
	Result Seq
	Closed bool
}

// ToolCycles lists the cycles of valid rows in order. A call that the very next row does not answer leaves its cycle
// open, also when its neighbors in a parallel batch are answered (case B10).
func ToolCycles(rows []Message) []ToolCycle {
	var out []ToolCycle
	for i := range rows {
		if rows[i].Role != RoleAssistant {
			continue
		}
		uses := rows[i].ToolUses()
		if len(uses) == 0 {
			continue
		}
		c := ToolCycle{Use: rows[i].Seq}
		if i+1 < len(rows) && answersAll(rows[i+1], uses) {
			c.Result, c.Closed = rows[i+1].Seq, true
		}
		out = append(out, c)
	}
	return out
}

func answersAll(m Message, uses []ToolUse) bool {
	answered := make(map[string]bool, len(uses))
	for _, r := range m.ToolResults() {
		answered[r.ToolUseID] = true
	}
	for _, u := range uses {
		if !answered[u.ID] {
			return false
		}
	}
	return true
}
