package compaction

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
)

// A request whose tool blocks are split over rows, or were never answered, is a normal span (cases B12, B13, B121).
func TestCaseB12_SplitResultsInTheSpan(t *testing.T) {
	rows := []message.Message{
		message.NewUser(message.Text{Text: "go"}),
		message.NewAssistant(
			message.ToolUse{ID: "t1", Name: "a", Input: json.RawMessage(`{}`)},
			message.ToolUse{ID: "t2", Name: "b", Input: json.RawMessage(`{}`)},
		),
		message.NewUser(message.TextResult("t1", "one", false)),
		message.NewUser(message.TextResult("t2", "two", false)),
	}
	require.Error(t, message.ValidateHistory(rows))
	requireRendered(t, RenderSpan(rows, closingText))
}

func TestCaseB13_AbortedCallInTheSpan(t *testing.T) {
	rows := []message.Message{
		message.NewUser(message.Text{Text: "go"}),
		message.NewAssistant(message.ToolUse{ID: "t1", Name: "a", Input: json.RawMessage(`{}`)}),
	}
	msgs := RenderSpan(rows, closingText)
	requireRendered(t, msgs)
	require.Contains(t, rendered(msgs), `<past_tool_call id="t0" tool="a">`)
}

func TestCaseB37_ThinkingIsDropped(t *testing.T) {
	rows := []message.Message{
		message.NewUser(message.Text{Text: "go"}),
		message.NewAssistant(message.Thinking{Thinking: "I must not say this", Signature: "sig=="}, message.Text{Text: "Done"}),
	}
	text := rendered(RenderSpan(rows, closingText))
	require.NotContains(t, text, "must not say")
	require.NotContains(t, text, "sig==")
	require.Contains(t, text, "Done")
}

// The rows handed in stay what they are, signed thinking included (case B120).
func TestCaseB120_RowsAreNotTouched(t *testing.T) {
	rows := testSpan(2)
	rows[1].Blocks = append(message.Blocks{message.Thinking{Thinking: "x", Signature: "y"}}, rows[1].Blocks...)
	before, err := json.Marshal(rows)
	require.NoError(t, err)
	RenderSpan(rows, closingText)
	mustKey(t, KeyInput{Rows: rows})
	after, err := json.Marshal(rows)
	require.NoError(t, err)
	require.JSONEq(t, string(before), string(after))
}

// No block of a provider, and no tool, reaches another model (cases B121, B123).
func TestCaseB121_B123_TextAloneWithoutTools(t *testing.T) {
	job := testJob()
	job.Rows = append(job.Rows, message.NewAssistant(message.Opaque{
		Provider: "anthropic", Kind: "server_tool_use", Raw: json.RawMessage(`{"name":"web_search","input":{"q":"x"}}`),
	}))
	p := newRig(ends(honest)).prepare(t, job)
	require.Empty(t, p.Request.Tools)
	require.NoError(t, message.ValidateHistory(p.Request.Messages))
	text := rendered(p.Request.Messages)
	require.Contains(t, text, "[server_tool_use block of anthropic, not shown]")
	require.NotContains(t, text, "web_search")
}
