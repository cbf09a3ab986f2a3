package message

import (
	"fmt"
)

// split cuts every message into pieces whose blocks may all stand under one role, without blanks, and numbers the runs
// of assistant pieces. The pieces own their slices.
func (r *repairer) split() {
	for i := range r.in {
		r.splitMessage(i)
	}
	run, last := 0, RoleUser
	for _, p := range r.pieces {
		if p.role == RoleAssistant && last != RoleAssistant {
			run++
		}
		p.run, last = run, p.role
	}
}

func (r *repairer) splitMessage(i int) {
	m := &r.in[i]
	role := r.knownRole(i)
	human := role == RoleUser && len(m.ToolResults()) == 0
	var cur *piece
	dropped := 0
	for _, b := range m.Blocks {
		b, want := r.mend(i, role, b)
		if b == nil {
			dropped++
			continue
		}
		if cur == nil || cur.role != want {
			cur = &piece{src: i, role: want, human: human && want == RoleUser}
			r.pieces = append(r.pieces, cur)
		}
		cur.blocks = append(cur.blocks, b)
	}
	switch {
	case cur == nil:
		r.note(RepairEmptyDropped, i, fmt.Sprintf("empty %s message", role))
	case dropped > 0:
		r.note(RepairEmptyDropped, i, fmt.Sprintf("blank blocks: %d", dropped))
	}
}

// knownRole puts messages of other roles where they do least harm: what calls or thinks is the assistant's.
func (r *repairer) knownRole(i int) Role {
	m := &r.in[i]
	if m.Role == RoleUser || m.Role == RoleAssistant {
		return m.Role
	}
	role := RoleUser
	for _, b := range m.Blocks {
		switch b.(type) {
		case ToolUse, Thinking:
			role = RoleAssistant
		}
	}
	r.note(RepairRole, i, fmt.Sprintf("role %.40q became %s", m.Role, role))
	return role
}

// mend returns the block as it may stand, nil when nothing is in it, and the role it must stand under.
func (r *repairer) mend(i int, role Role, b Block) (Block, Role) {
	switch v := b.(type) {
	case nil:
		return nil, role
	case Text:
		if isBlank(v.Text) {
			return nil, role
		}
	case Thinking:
		return r.mendThinking(i, role, v)
	case ToolUse:
		return r.mendUse(i, role, v)
	case ToolResult:
		return r.mendResult(i, role, v)
	}
	return b, role
}

// mendThinking drops thinking with neither text nor signature. A user does not think: that becomes labeled text.
func (r *repairer) mendThinking(i int, role Role, v Thinking) (Block, Role) {
	switch {
	case v.Thinking == "" && v.Signature == "":
		return nil, role
	case role == RoleAssistant:
		return v, role
	case isBlank(v.Thinking):
		return nil, role
	}
	r.note(RepairRole, i, "thinking of a user became text")
	return Text{Text: labelThinking + v.Thinking}, role
}

func (r *repairer) mendUse(i int, role Role, v ToolUse) (Block, Role) {
	if role != RoleAssistant {
		r.note(RepairRole, i, fmt.Sprintf("call %.80q went to the assistant", v.ID))
	}
	if v.Name == "" {
		v.Name = unknownTool
		r.note(RepairCallRenamed, i, fmt.Sprintf("call %.80q had no tool name", v.ID))
	}
	return v, RoleAssistant
}

func (r *repairer) mendResult(i int, role Role, v ToolResult) (Block, Role) {
	if role != RoleUser {
		r.note(RepairRole, i, fmt.Sprintf("result %.80q went to the user", v.ToolUseID))
	}
	content, changed := cleanContent(v.Content)
	if changed {
		r.note(RepairEmptyDropped, i, fmt.Sprintf("blocks inside result %.80q", v.ToolUseID))
	}
	v.Content = content
	return v, RoleUser
}
