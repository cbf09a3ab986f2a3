package compaction

import (
	"encoding/json"
	"fmt"
	"testing"

	"tidemark/internal/message"
)

// talk builds an invented conversation row by row.
type talk struct {
	rows []message.Message
	ids  int
}

func (k *talk) add(m message.Message) *talk {
	m.Seq = message.Seq(len(k.rows))
	m.Count()
	k.rows = append(k.rows, m)
	return k
}

func (k *talk) user(s string) *talk { return k.add(message.NewUser(message.Text{Text: s})) }

func (k *talk) says(s string) *talk { return k.add(message.NewAssistant(message.Text{Text: s})) }

// calls adds a tool cycle: what the model said, one call and its result.
func (k *talk) calls(say, tool string, input map[string]any, result string, failed bool) *talk {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	k.ids++
	id := fmt.Sprintf("call_%d", k.ids)
	use := message.ToolUse{ID: id, Name: tool, Input: raw}
	if say == "" {
		k.add(message.NewAssistant(use))
	} else {
		k.add(message.NewAssistant(message.Text{Text: say}, use))
	}
	return k.add(message.NewUser(message.TextResult(id, result, failed)))
}

func (k *talk) bash(command, result string, failed bool) *talk {
	return k.calls("", "Bash", map[string]any{"command": command}, result, failed)
}

// digests extracts each row as the store does.
func (k *talk) digests() []Digest { return digestRows(k.rows) }

func digestRows(rows []message.Message) []Digest {
	out := make([]Digest, len(rows))
	for i := range rows {
		var uses []message.ToolUse
		if i > 0 {
			uses = rows[i-1].ToolUses()
		}
		out[i] = ExtractRow(rows[i], uses)
	}
	return out
}

func (k *talk) summary(maxTokens int) MechanicalSummary {
	return Mechanical(k.digests(), MechanicalOptions{MaxTokens: maxTokens})
}

// factsOf lists the texts of the facts of a class.
func factsOf(facts []Fact, c FactClass) []string {
	var out []string
	for _, f := range facts {
		if f.Class == c {
			out = append(out, f.Text)
		}
	}
	return out
}

// repairShop is an invented session: a tide table is fixed, with a refused command, a failing test, a plan and a secret.
func repairShop() *talk {
	k := &talk{}
	k.user("The tide table shows high water an hour late in summer. Fix it in internal/tide/table.go. Never touch the files under " +
		"vendor/, and do not push: no push and no pull request until I say so.")
	k.calls("I'll look at how times are made.", "Read", map[string]any{"file_path": "/srv/harbor/internal/tide/table.go"},
		"     1→package tide\n     2→\n     3→func HighWater(day time.Time, port PortID) time.Time {\n     4→\treturn day.Add(offsetFor(port))\n     5→}\n", false)
	k.calls("", "Grep", map[string]any{"pattern": "offsetFor", "path": "internal"},
		"internal/tide/table.go:4:\treturn day.Add(offsetFor(port))\ninternal/tide/offset.go:118:func offsetFor(p PortID) time.Duration {", false)
	k.calls("", "TodoWrite", map[string]any{"todos": []map[string]string{
		{"content": "Find where the zone is lost", "status": "completed"},
		{"content": "Use the port's zone in HighWater", "status": "in_progress"},
		{"content": "Add a test for the night of the change", "status": "pending"},
	}}, "Todos have been modified successfully", false)
	k.calls("The root cause is that HighWater adds offsets to a UTC day. The fix is to load the port's zone with LoadLocation.", "Edit",
		map[string]any{
			"file_path": "/srv/harbor/internal/tide/table.go", "old_string": "\treturn day.Add(offsetFor(port))",
			"new_string": "\tzone := zoneOf(port)\n\treturn day.In(zone).Add(offsetFor(port))",
		}, "The file has been updated.", false)
	k.bash("cd /srv/harbor && go test ./internal/tide/...",
		"Exit code 1\n--- FAIL: TestHighWater_Summer (0.00s)\n    table_test.go:42: got 04:12, want 05:12\nFAIL\nFAIL\texample.org/harbor/internal/tide\t0.031s", true)
	k.bash("env | grep HARBOR", "HARBOR_API_KEY=Zq8LmT4vXw2Rk9Yp7Nd5\nHARBOR_PORT=8731", false)
	k.bash("git push origin fix/summer-time", "The user doesn't want to proceed with this tool use. The tool use was rejected. "+
		"To tell you how to proceed, the user said:\nI said no push. Ask me before you commit, too.", true)
	k.says("Understood: I keep the commit local and ask first.")
	k.user("Good. Now make the test pass, and keep the old offsets for ports without a zone.")
	k.calls("zoneOf must fall back to UTC.", "Edit", map[string]any{
		"file_path": "/srv/harbor/internal/tide/offset.go", "old_string": "func zoneOf(p PortID)", "new_string": "func zoneOf(p PortID) *time.Location {\n\tDefaultZone",
	}, "The file has been updated.", false)
	k.bash("cd /srv/harbor && go test ./internal/tide/...", "ok  \texample.org/harbor/internal/tide\t0.029s", false)
	return k
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
