package session_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
	"tidemark/internal/tool"
)

func text(s string) session.Prompt {
	return session.Prompt{Blocks: message.Blocks{message.Text{Text: s}}}
}

func rowsOf(t *testing.T, w *sessiontest.World, id session.ID) []message.Message {
	t.Helper()
	rows, err := w.Store.Messages(context.Background(), id, -1, 5000)
	require.NoError(t, err)
	return rows
}

func ledgerOf(t *testing.T, w *sessiontest.World, id session.ID) []session.LedgerRow {
	t.Helper()
	p, err := w.Store.Ledger(context.Background(), id, "", 5000)
	require.NoError(t, err)
	return p.Items
}

// watch listens to a session's rows until a condition holds.
func watch(w *sessiontest.World, id session.ID, until func(event.StreamRow) bool) <-chan struct{} {
	sub := w.Bus.SubscribeSession(id, 0)
	seen := make(chan struct{})
	go func() {
		defer sub.Close()
		for d := range sub.C {
			if d.Row != nil && until(*d.Row) {
				close(seen)
				return
			}
		}
	}()
	return seen
}

func kindIs(k event.StreamKind) func(event.StreamRow) bool {
	return func(r event.StreamRow) bool { return r.Kind == k }
}

func await(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s did not happen", what)
	}
}

func TestFailedCallEndsTurnAndLeavesSessionUsable(t *testing.T) {
	for cue, class := range map[string]string{
		"[[fail rate_limit]]": "rate_limit", "[[fail overload]]": "rate_limit", "[[fail auth]]": "auth",
		"[[fail cut]]": "network", "[[fail server_error]]": "server_error",
	} {
		t.Run(cue, func(t *testing.T) {
			w := sessiontest.Open(t, sessiontest.Options{})
			id := w.NewSession(session.NewSession{})
			res := w.Say(id, "do it "+cue)
			require.NotNil(t, res.Err)
			require.Equal(t, session.CodeProviderError, res.Err.Code)
			if class != "rate_limit" {
				require.Equal(t, class, res.Err.Class)
			}
			require.Nil(t, w.Say(id, "and now?").Err)
			w.CheckBooks(id)
		})
	}
}

func TestRetryIsALedgerRowOnlyWhenItUsedTokens(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{})
	res := w.Say(id, "please [[fail rate_limit once]]")
	require.Nil(t, res.Err)
	require.Len(t, ledgerOf(t, w, id), 1)
	w.CheckBooks(id)
}

func TestAnswersWithNothingInThemGetAFiller(t *testing.T) {
	for cue, stop := range map[string]string{"[[empty]]": "end_turn", "[[blank]]": "end_turn", "[[refuse]]": "refusal", "[[max_tokens]]": "max_tokens"} {
		t.Run(cue, func(t *testing.T) {
			w := sessiontest.Open(t, sessiontest.Options{})
			id := w.NewSession(session.NewSession{})
			res := w.Say(id, "say "+cue)
			require.Nil(t, res.Err)
			require.Equal(t, stop, res.StopReason)
			rows := rowsOf(t, w, id)
			require.Equal(t, message.RoleAssistant, rows[len(rows)-1].Role)
			require.Nil(t, w.Say(id, "go on").Err)
			w.CheckBooks(id)
		})
	}
}

func TestCancelBeforeFirstTokenAndLater(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{})
	acc, err := w.Prompt(context.Background(), id, text("wait [[hang]]"))
	require.NoError(t, err)
	require.NoError(t, w.Cancel(context.Background(), id)) // in the very next command
	res := w.Wait(acc)
	require.Equal(t, "cancelled", res.StopReason)
	rows := rowsOf(t, w, id)
	require.Equal(t, message.FillerInterrupted, rows[len(rows)-1].PlainText())
	require.True(t, rows[len(rows)-1].Synthetic)

	seen := watch(w, id, kindIs(event.StreamText))
	acc, err = w.Prompt(context.Background(), id, text("tell me a lot [[say 4000]] [[slow 50ms]]"))
	require.NoError(t, err)
	await(t, seen, "text")
	require.NoError(t, w.Cancel(context.Background(), id))
	res = w.Wait(acc)
	require.Equal(t, "cancelled", res.StopReason)
	rows = rowsOf(t, w, id)
	last := rows[len(rows)-1]
	require.Equal(t, message.RoleAssistant, last.Role)
	require.NotEqual(t, message.FillerInterrupted, last.PlainText(), "what was shown stays")
	calls := ledgerOf(t, w, id)
	require.Equal(t, "cancelled", calls[len(calls)-1].Outcome)
	w.CheckBooks(id)
}

// B10: a turn that is stopped while calls are open writes a result for each of them.
func TestCaseB10CancelAnswersOpenCalls(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{Tools: []message.ToolSpec{{Name: "slow"}, {Name: "quick"}}})
	asked := make(chan struct{}, 1)
	detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(ctx context.Context, r tool.Request) (tool.Answer, error) {
		if r.Call.Name == "quick" {
			return tool.Answer{Content: message.Blocks{message.Text{Text: "done"}}}, nil
		}
		asked <- struct{}{}
		<-ctx.Done()
		return tool.Answer{}, ctx.Err()
	}})
	require.NoError(t, err)
	defer detach()
	acc, err := w.Prompt(context.Background(), id, text(`[[tools quick {} slow {}]]`))
	require.NoError(t, err)
	<-asked
	require.NoError(t, w.Cancel(context.Background(), id))
	require.Equal(t, "cancelled", w.Wait(acc).StopReason)
	rows := rowsOf(t, w, id)
	results := rows[2].ToolResults()
	require.Len(t, results, 2)
	require.True(t, results[0].IsError)
	require.Nil(t, w.Say(id, "again").Err)
	w.CheckBooks(id)
}

func TestSecondPromptIsBusyAndKeysAttach(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{})
	first := text("wait [[hang]]")
	first.Key = "k1"
	acc, err := w.Prompt(context.Background(), id, first)
	require.NoError(t, err)
	_, err = w.Prompt(context.Background(), id, text("another"))
	require.ErrorIs(t, err, session.ErrBusy)
	same, err := w.Prompt(context.Background(), id, first)
	require.NoError(t, err)
	require.True(t, same.Attached)
	require.Equal(t, acc.TurnID, same.TurnID)
	other := text("something else")
	other.Key = "k1"
	_, err = w.Prompt(context.Background(), id, other)
	require.ErrorIs(t, err, session.ErrConflict)
	require.NoError(t, w.Cancel(context.Background(), id))
	w.Wait(acc)
	again, err := w.Prompt(context.Background(), id, first)
	require.NoError(t, err)
	require.Equal(t, "cancelled", w.Wait(again).StopReason, "the stored answer, not a second run")
	require.Len(t, rowsOf(t, w, id), 2)
}

func TestBadPromptsAreRefused(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{})
	for name, p := range map[string]session.Prompt{
		"empty":       {},
		"blank":       text("  \n"),
		"tool result": {Blocks: message.Blocks{message.TextResult("t", "x", false)}},
		"empty image": {Blocks: message.Blocks{message.Image{}}},
		"script":      {Blocks: message.Blocks{message.Text{Text: "x"}}, Script: []message.Blocks{{message.Text{Text: "y"}}}},
	} {
		var pe *session.ParamError
		_, err := w.Prompt(context.Background(), id, p)
		require.ErrorAs(t, err, &pe, name)
	}
	_, err := w.Prompt(context.Background(), "01NOSUCHSESSION", text("x"))
	require.ErrorIs(t, err, session.ErrNotFound)
	require.NoError(t, w.Manager.Close(context.Background(), id))
	_, err = w.Prompt(context.Background(), id, text("x"))
	require.ErrorIs(t, err, session.ErrClosed)
	require.NoError(t, w.Reopen(context.Background(), id))
	require.Nil(t, w.Say(id, "x").Err)
	require.NoError(t, w.Delete(context.Background(), id))
	_, err = w.Prompt(context.Background(), id, text("x"))
	require.ErrorIs(t, err, session.ErrNotFound)
}

func TestUnknownToolAndNoClientAreResultsTheModelReads(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{FileTools: session.FileTools{Write: true}})
	detach, err := w.Attach(context.Background(), id, sessiontest.Client{Permit: false})
	require.NoError(t, err)
	defer detach()
	require.Nil(t, w.Say(id, `[[call nosuch {}]]`).Err)
	require.Nil(t, w.Say(id, `[[tool write_file {"path":"/a","content":"b"}]]`).Err)
	var texts []string
	for _, m := range rowsOf(t, w, id) {
		for _, r := range m.ToolResults() {
			texts = append(texts, r.Content.PlainText())
		}
	}
	require.Len(t, texts, 2)
	require.Contains(t, texts[0], "no tool named")
	require.Contains(t, texts[1], "denied")
	w.CheckBooks(id)
}

func TestOverflowForcesOnePassThenElision(t *testing.T) {
	var mu sync.Mutex
	overflow := 1
	w := sessiontest.Open(t, sessiontest.Options{Faults: func(c sim.Call) sim.Fault {
		mu.Lock()
		defer mu.Unlock()
		last := c.Request.Messages[len(c.Request.Messages)-1].PlainText()
		if overflow > 0 && strings.Contains(last, "now overflow") {
			overflow--
			return sim.Fault{Kind: sim.Overflow}
		}
		return sim.Fault{}
	}})
	id := w.NewSession(session.NewSession{})
	for range 8 {
		require.Nil(t, w.Say(id, "more [[say 1500]]").Err)
	}
	require.Nil(t, w.Say(id, "now overflow").Err)
	st, err := w.Status(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, "overflow", string(st.Posture.Recent[0].Trigger))
	require.Positive(t, st.Posture.Watermark)
	w.CheckBooks(id)
}
