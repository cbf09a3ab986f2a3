package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/message"
)

func TestNewRecording(t *testing.T) {
	use := message.ToolUse{ID: "1", Name: "shell.run", Input: []byte(`{"cmd":"ls"}`)}
	rows := []message.Message{
		message.NewUser(message.Text{Text: "list"}, message.Image{MediaType: "image/png", Data: "QQ=="}),
		message.NewAssistant(message.Text{Text: "on it"}, use),
		message.NewUser(message.TextResult("1", "a.txt", false)),
		message.NewAssistant(message.Text{Text: "a.txt"}),
		message.NewUser(message.Text{Text: "and now?"}),
		message.Filler(message.FillerNoAnswer),
		message.NewUser(message.Text{Text: "last"}),
		message.NewAssistant(message.ToolUse{ID: "2", Name: "done", Input: []byte(`{}`)}),
		message.NewUser(message.TextResult("2", "interrupted", true)),
	}
	listed := []message.ToolSpec{
		{Name: "shell.run", Description: "runs", InputSchema: []byte(`{"type":"object","properties":{}}`)},
		{Name: "bare", InputSchema: []byte(`{}`)},
	}
	r := newRecording("x.jsonl", "be kind", listed, rows)

	require.Equal(t, []acp.ToolSpec{
		{Name: "bare", InputSchema: emptySchema},
		{Name: "done", InputSchema: emptySchema},
		{Name: "shell_run", Description: "runs", InputSchema: listed[0].InputSchema},
	}, r.tools, "names every provider takes, sorted; used ones that were not listed too")
	require.Len(t, r.turns, 3)
	require.Equal(t, []acp.ContentBlock{acp.TextBlock("list"), acp.ImageBlock("image/png", "QQ==")}, r.turns[0].prompt)
	require.Len(t, r.turns[0].steps, 2)
	require.Equal(t, "shell_run", r.turns[0].steps[0][1].(message.ToolUse).Name)
	require.Equal(t, "shell.run", rows[1].ToolUses()[0].Name, "the rows are not written to")
	require.Equal(t, []message.Blocks{{}}, r.turns[1].steps, "a filler is an answer with nothing in it")
	require.Len(t, r.turns[2].steps, 2, "the model is asked once more after the last results")
	require.Empty(t, r.turns[2].steps[1])
	require.Equal(t, "a.txt", r.results["1"].Content.PlainText())
}

// A history that opens with the assistant gets a stub in front of it, and nothing of it is lost.
func TestNewRecording_AssistantOpens(t *testing.T) {
	rows, _ := message.Repair([]message.Message{
		message.NewAssistant(message.Text{Text: "hello"}), message.NewUser(message.Text{Text: "hi"}),
	})
	r := newRecording("x", "", nil, rows)
	require.Len(t, r.turns, 2)
	require.Equal(t, message.StubText, r.turns[0].prompt[0].Text)
	require.Equal(t, "hello", r.turns[0].steps[0].PlainText())
	require.Equal(t, []message.Blocks{{}}, r.turns[1].steps, "a recording may end with the user")
}

func TestConfig_Refuses(t *testing.T) {
	good := Config{URL: "http://127.0.0.1:1/"}
	c, err := good.withDefaults()
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:1", c.URL)
	require.Equal(t, DefaultModel, c.Model)
	for want, bad := range map[string]Config{
		"give its URL":    {URL: "127.0.0.1:8080"},
		"speed -1":        {URL: "http://x", Speed: -1},
		"window -1":       {URL: "http://x", Window: -1},
		"parallel -1":     {URL: "http://x", Parallel: -1},
		"only sim:replay": {URL: "http://x", Window: 5, Model: "sim:assistant"},
	} {
		_, err := bad.withDefaults()
		require.ErrorContains(t, err, want)
	}
	_, err = Run(t.Context(), good, nil)
	require.ErrorContains(t, err, "no files")
	_, err = Run(t.Context(), good, []string{"/nowhere.jsonl"})
	require.ErrorContains(t, err, "/nowhere.jsonl")
}
