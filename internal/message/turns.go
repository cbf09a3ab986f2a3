package message

// Turn is one user message and everything up to the next one (spec 3.2), as a span of list indexes given as seqs.
type Turn struct {
	Span
}

// Turns cuts rows into turns. Rows before the first turn (a synthetic opening, say) belong to none.
func Turns(rows []Message) []Turn {
	var out []Turn
	for i := range rows {
		if !rows[i].OpensTurn() {
			if n := len(out); n > 0 {
				out[n-1].End = rows[i].Seq + 1
			}
			continue
		}
		out = append(out, Turn{Span{rows[i].Seq, rows[i].Seq + 1}})
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

// ToolCycles lists the cycles of valid rows in order. A call that the very next row does not answer is an open cycle.
func ToolCycles(rows []Message) []ToolCycle {
	var out []ToolCycle
	for i := range rows {
		if rows[i].Role != RoleAssistant || len(rows[i].ToolUses()) == 0 {
			continue
		}
		c := ToolCycle{Use: rows[i].Seq}
		if i+1 < len(rows) && len(rows[i+1].ToolResults()) > 0 {
			c.Result, c.Closed = rows[i+1].Seq, true
		}
		out = append(out, c)
	}
	return out
}
