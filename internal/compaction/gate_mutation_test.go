package compaction

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// edit is a change of the honest summary that loses or bends something.
type edit struct {
	name     string
	from, to string
	want     Reason
}

var edits = []edit{
	// A constraint softened, shortened, turned round or taken back (case B45).
	{"constraint gone", `- "Never push to main."` + "\n", "", RetentionDrop(ClassUserConstraint)},
	{"constraint reworded", "Never push to main", "Avoid pushing to main", RetentionDrop(ClassUserConstraint)},
	{"constraint negated", "Never push to main", "Push to main", RetentionDrop(ClassUserConstraint)},
	{"other branch", "Never push to main", "Never push to master", RetentionDrop(ClassUserConstraint)},
	{"longer branch", "Never push to main", "Never push to mainline", RetentionDrop(ClassUserConstraint)},
	{"exception added", `"Never push to main."`, "Never push to main unless the tests pass.", RetentionDrop(ClassUserConstraint)},
	{"exception in brackets", `"Never push to main."`, "Never push to main (except for hotfixes).", RetentionDrop(ClassUserConstraint)},
	{"exception after a comma", `"Never push to main."`, "Never push to main, but hotfixes are fine.", RetentionDrop(ClassUserConstraint)},
	{"exception as a sentence", `"Never push to main."`, "Never push to main. Unless it is urgent.", RetentionDrop(ClassUserConstraint)},
	{"goes on", `"Never push to main."`, "Never push to main without tests.", RetentionDrop(ClassUserConstraint)},
	{"lifted", `"Never push to main."`, `"Never push to main." (lifted by the user)`, RetentionDrop(ClassUserConstraint)},
	{"said to be void", `"Never push to main."`, `It no longer holds: "Never push to main."`, RetentionDrop(ClassUserConstraint)},
	{"half of two prohibitions", "Do not touch db/schema.sql and don’t open a pull request.", "Do not touch db/schema.sql.", RetentionDrop(ClassUserConstraint)},
	{"other file", "db/schema.sql", "db/schema.sqlite", RetentionDrop(ClassUserConstraint)},
	{"wrong way round", "Do not touch", "Do touch", RetentionDrop(ClassUserConstraint)},
	{"cut in the middle", "and don’t open a pull request.”", "and don’t op", RetentionDrop(ClassUserConstraint)},
	{"permission gone", "- You may delete anything under tmp/ without asking me.\n", "", RetentionDrop(ClassPermissionBoundary)},
	{"permission widened", "anything under tmp/ without", "anything without", RetentionDrop(ClassPermissionBoundary)},
	{"permission turned round", "You may delete", "You may not delete", RetentionDrop(ClassPermissionBoundary)},
	{"refusal turned round", "refused: bash git push", "allowed: bash git push", RetentionDrop(ClassPermissionBoundary)},
	// Outcomes.
	{"outcome gone", "- go build ./... -> ok\n", "", RetentionDrop(ClassToolOutcome)},
	{"outcome turned round", "go build ./... -> ok", "go build ./... -> failed", RetentionDrop(ClassToolOutcome)},
	{"outcome denied", "go build ./... -> ok", "go build ./... is not ok", RetentionDrop(ClassToolOutcome)},
	{"outcome withdrawn", "go build ./... -> ok", "go build ./... -> ok, then failed", RetentionDrop(ClassToolOutcome)},
	{"other command", "go build ./... -> ok", "go vet ./cmd/... -> ok", RetentionDrop(ClassToolOutcome)},
	{"other port", "port 5432", "port 5433", RetentionDrop(ClassToolOutcome)},
	{"number in words", "port 5432", "the usual port", RetentionDrop(ClassToolOutcome)},
	{"longer command", "go build ./... -> ok", "go generate ./... && go build ./... -> ok", RetentionDrop(ClassToolOutcome)},
	{"command with a flag", "go build ./... -> ok", "go build -race ./... -> ok", RetentionDrop(ClassToolOutcome)},
	{"two lines", "psql -h localhost failed: connection refused on port 5432", "psql -h localhost\n- failed on port 5432", RetentionDrop(ClassToolOutcome)},
	{"pressure gone", "- 429 Too Many Requests: rate limit reached, retry after 30s\n", "", RetentionDrop(ClassProviderPressure)},
	{"other wait", "retry after 30s", "retry after 300s", RetentionDrop(ClassProviderPressure)},
	{"other status", "429 Too Many", "529 Too Many", RetentionDrop(ClassProviderPressure)},
	// Decisions.
	{"decision gone", "- I'll use encoding/csv instead of gocsv/v2 because it streams\n", "", RetentionDrop(ClassDecisionState)},
	{"decision the other way", "encoding/csv instead of gocsv/v2", "gocsv/v2 instead of encoding/csv", RetentionDrop(ClassDecisionState)},
	{"decision denied", "I'll use encoding/csv", "I'll not use encoding/csv", RetentionDrop(ClassDecisionState)},
	{"decision without reason to match", "I'll use encoding/csv instead of gocsv/v2 because it streams", "encoding/csv was seen", RetentionDrop(ClassDecisionState)},
	{"plan done", "--batch-size: pending", "--batch-size: completed", RetentionDrop(ClassDecisionState)},
	{"other flag", "--batch-size", "--batch_size", RetentionDrop(ClassDecisionState)},
	// Validation.
	{"check gone", "- go test ./internal/importer -> failed: 12 passed, 3 failed\n", "", RetentionDrop(ClassValidationResult)},
	{"check rosy", "-> failed: 12 passed, 3 failed", "-> ok: 12 passed", RetentionDrop(ClassValidationResult)},
	{"figures swapped", "12 passed, 3 failed", "3 passed, 12 failed", RetentionDrop(ClassValidationResult)},
	{"figure changed", "3 failed", "2 failed", RetentionDrop(ClassValidationResult)},
	{"other package", "go test ./internal/importer", "go test ./internal/exporter", RetentionDrop(ClassValidationResult)},
	// The link.
	{"link gone", "- This continues summary 01JDXY7ABC, version 3, messages 0 to 41.\n", "", RetentionDrop(ClassSummaryLink)},
	{"link to another", "01JDXY7ABC", "01JDXY7ABD", RetentionDrop(ClassSummaryLink)},
	{"other version", "version 3", "version 4", RetentionDrop(ClassSummaryLink)},
	{"other range", "0 to 41", "0 to 40", RetentionDrop(ClassSummaryLink)},
}

func TestGate_Mutations(t *testing.T) {
	require.GreaterOrEqual(t, len(edits), 40)
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			in := gateInput()
			require.Contains(t, in.Text, e.from)
			in.Text = strings.Replace(in.Text, e.from, e.to, 1)
			v := Gate(in)
			require.False(t, v.Accepted)
			require.Equal(t, string(e.want), v.Reason)
			require.NotEmpty(t, v.Missing)
		})
	}
}

// What a fair summarizer may do without losing anything.
func TestGate_HarmlessChangesPass(t *testing.T) {
	for _, e := range []edit{
		{name: "other case and quotes", from: `"Never push to main."`, to: "«NEVER PUSH TO MAIN»"},
		{name: "wrapped line", from: "Never push to main.", to: "Never push\n  to main."},
		{name: "emphasis", from: `"Never push to main."`, to: "**Never** push to `main`."},
		{name: "a source behind it", from: `"Never push to main."`, to: `"Never push to main." (said by the user, message 4)`},
		{name: "next sentence", from: `"Never push to main."`, to: `"Never push to main." If asked, open a branch.`},
		{name: "half of the paths", from: " and wrote csv_test.go next to it", to: ""},
		{name: "half of the goals", from: "- Open: a benchmark for the importer with a large fixture.\n", to: ""},
		{name: "an outcome in prose", from: "- go build ./... -> ok\n", to: "- Then `go build ./...` was run, which was ok.\n"},
		{name: "two facts in a line", from: "- go build ./... -> ok\n- go test", to: "- go build ./... -> ok; go test"},
		{name: "a bracket behind a link", from: "messages 0 to 41.", to: "messages 0 to 41 (older)."},
	} {
		t.Run(e.name, func(t *testing.T) {
			in := gateInput()
			require.Contains(t, in.Text, e.from)
			in.Text = strings.Replace(in.Text, e.from, e.to, 1)
			v := Gate(in)
			require.Empty(t, v.Reason, v.Missing)
		})
	}
}
