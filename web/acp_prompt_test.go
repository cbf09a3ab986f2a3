package web_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/session"
	"tidemark/web"
)

// kinds lists what a client was shown, in short.
func kinds(frames []acp.Envelope) []string {
	var out []string
	for _, e := range frames {
		u, ok := acptest.UpdateOf(e)
		switch {
		case ok:
			out = append(out, string(u.Kind))
		case e.Method != "":
			out = append(out, e.Method)
		case e.Error != nil:
			out = append(out, "error")
		default:
			out = append(out, "result")
		}
	}
	return out
}

func TestPrompt_RowsThenAnswer(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	out, rpc := c.Prompt(id, "hello", nil)
	require.Nil(t, rpc)
	require.Equal(t, acp.StopEndTurn, out.StopReason)
	var used acp.TurnUsage
	require.Nil(t, out.Meta.Read(acp.MetaUsage, &used))
	require.Equal(t, 3, used.Input)
	require.Equal(t, "0.00125", *used.CostUSD)
	require.Equal(t, "0", used.CompactionCostUSD)

	require.Equal(t, []string{
		"result", "result", "available_commands_update",
		"_tidemark/turn", "user_message_chunk", "agent_message_chunk", "agent_message_chunk", "_tidemark/turn",
		"result", // the end of the turn is shown before the answer
	}, kinds(c.Frames()))
	rows, clash := acptest.Rows(c.Raw())
	require.Len(t, rows, 5, "numbered from 1 without holes")
	require.Empty(t, clash)
}

// A client that does not know our extension gets plain ACP.
func TestPrompt_PlainClient(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dialWith("alice", acp.ClientCapabilities{}, nil)
	id := c.NewSession(nil)
	_, rpc := c.Prompt(id, "hello", nil)
	require.Nil(t, rpc)
	require.Equal(t, []string{
		"result", "result", "available_commands_update", "user_message_chunk", "agent_message_chunk", "agent_message_chunk", "result",
	}, kinds(c.Frames()))
	for _, e := range c.Frames() {
		if u, ok := acptest.UpdateOf(e); ok {
			require.Empty(t, u.Meta)
		}
	}
}

func TestPrompt_FailedTurn(t *testing.T) {
	h := newHarness(t, web.Config{})
	for code, want := range map[string]acp.Code{
		session.CodeProviderError: acp.CodeProviderError, session.CodeBudgetExceeded: acp.CodeBudgetExceeded,
		session.CodeInterrupted: acp.CodeInterrupted, session.CodeInternal: acp.CodeInternal, session.CodeUnpricedModel: acp.CodeUnpricedModel,
	} {
		h.fake.prompt = func(_ context.Context, id string, p session.Prompt) (*session.Accepted, error) {
			turn, acc := h.fake.begin(id, p)
			turn.end(session.TurnResult{Usage: usage(), Err: &session.TurnError{
				Code: code, Class: "rate_limit", Message: "slow down", Retryable: true, RetryAfter: 2 * time.Second, RequestID: "req_1",
			}})
			return acc, nil
		}
		c := h.dial("alice")
		_, rpc := c.Prompt(c.NewSession(nil), "hello", nil)
		require.NotNil(t, rpc, code)
		require.Equal(t, want, rpc.Code)
		require.Equal(t, code, rpc.Data.Code)
		require.Equal(t, int64(2000), rpc.Data.RetryAfterMS)
		require.True(t, rpc.Data.Retryable)
		require.Equal(t, "req_1", rpc.Data.RequestID)
		require.Equal(t, "rate_limit", rpc.Data.Class)
		require.Equal(t, "0.00125", *rpc.Data.Usage.CostUSD, "the same usage as in an answer")
		c.Close()
	}
}

func TestPrompt_BusyAndConflict(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	for err, want := range map[error]acp.Code{
		session.ErrBusy: acp.CodeSessionBusy, session.ErrConflict: acp.CodeIdempotencyConflict,
		session.ErrShuttingDown: acp.CodeShuttingDown, session.ErrStorage: acp.CodeInternal, session.ErrNotFound: acp.CodeNotFound,
		&session.ParamError{Param: "prompt", Reason: "x"}: acp.CodeInvalidParams,
	} {
		h.fake.prompt = func(context.Context, string, session.Prompt) (*session.Accepted, error) { return nil, err }
		_, rpc := c.Prompt(id, "hello", nil)
		require.NotNil(t, rpc)
		require.Equal(t, want, rpc.Code, err)
		require.NotEmpty(t, rpc.Data.Code)
		require.NotEmpty(t, rpc.Data.RequestID)
	}
}

func TestPrompt_ReopensAClosedSession(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	c.Must(acp.MethodSessionClose, acp.SessionRequest{SessionID: id}, nil)
	require.Equal(t, 0, h.fake.Attached(id))
	_, rpc := c.Prompt(id, "hello", nil)
	require.Nil(t, rpc)
	require.Contains(t, h.fake.called(), "reopen "+id)
}

func TestPrompt_KeyAndScriptReachTheSession(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	var got session.Prompt
	h.fake.prompt = func(_ context.Context, id string, p session.Prompt) (*session.Accepted, error) {
		got = p
		turn, acc := h.fake.begin(id, p)
		turn.end(session.TurnResult{StopReason: "end_turn"})
		return acc, nil
	}
	meta := acp.Meta{}.With(acp.MetaIdempotencyKey, "k1").With(acp.MetaSim, acp.Sim{Steps: []acp.RawBlocks{
		acp.RawBlocks(`[{"type":"tool_use","id":"t","name":"n","input":{}}]`), acp.RawBlocks(`[{"type":"text","text":"done"}]`),
	}})
	_, rpc := c.Prompt(id, "hello", meta)
	require.Nil(t, rpc)
	require.Equal(t, "k1", got.Key)
	require.Len(t, got.Script, 2)
}

func TestPrompt_Blocks(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	for name, tc := range map[string]struct {
		block string
		text  string // what reaches the session; "" = refused
	}{
		"text":          {`{"type":"text","text":"a"}`, "a"},
		"blank":         {`{"type":"text","text":" \n"}`, ""},
		"link":          {`{"type":"resource_link","name":"n","uri":"file:///a"}`, "[n](file:///a)"},
		"resource":      {`{"type":"resource","resource":{"uri":"file:///a","text":"body"}}`, "<resource uri=\"file:///a\">\nbody\n</resource>"},
		"blob":          {`{"type":"resource","resource":{"uri":"file:///a","blob":"aGk="}}`, ""},
		"audio":         {`{"type":"audio","data":"aGk=","mimeType":"audio/wav"}`, ""},
		"image of text": {`{"type":"image","data":"aGk=","mimeType":"image/svg+xml"}`, ""},
		"unknown":       {`{"type":"video"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			h.fake.prompt = func(_ context.Context, id string, p session.Prompt) (*session.Accepted, error) {
				got = p.Blocks.PlainText()
				turn, acc := h.fake.begin(id, p)
				turn.end(session.TurnResult{StopReason: "end_turn"})
				return acc, nil
			}
			_, rpc := c.Call(acp.MethodPrompt, json.RawMessage(`{"sessionId":"`+id+`","prompt":[`+tc.block+`]}`))
			if tc.text == "" {
				require.NotNil(t, rpc)
				require.Equal(t, acp.CodeInvalidParams, rpc.Code)
				require.Equal(t, "prompt[0]", rpc.Data.Param)
				return
			}
			require.Nil(t, rpc)
			require.Equal(t, tc.text, got)
		})
	}
}

// TestCaseD1_14: a cancel in the very next frame counts, also when the session has not accepted the prompt yet.
func TestCaseD1_14_CancelInTheNextFrame(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	accepting := make(chan struct{})
	var turn atomic.Pointer[fakeTurn]
	h.fake.prompt = func(_ context.Context, id string, p session.Prompt) (*session.Accepted, error) {
		<-accepting
		tn, acc := h.fake.begin(id, p)
		turn.Store(tn)
		return acc, nil
	}
	h.fake.cancel = func(string) error {
		if tn := turn.Load(); tn != nil { // a cancel before the turn would be lost here
			tn.end(session.TurnResult{StopReason: "cancelled"})
		}
		return nil
	}
	p := c.Start(acp.MethodPrompt, acptest.Text(id, "hello", nil))
	c.Notify(acp.MethodCancel, acp.SessionRequest{SessionID: id})
	c.Must(acp.MethodExtContext, acp.SessionRequest{SessionID: id}, nil) // so the cancel has been read
	close(accepting)
	raw, rpc := p.Wait()
	require.Nil(t, rpc)
	require.Contains(t, string(raw), `"stopReason":"cancelled"`)
	require.Equal(t, []string{"prompt " + id, "cancel " + id}, h.fake.called(), "cancelled once, after it was accepted")
}

// TestCaseD1_13: loading a session does not replace its running turn; cancel still works.
func TestCaseD1_13_CancelAfterLoad(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	turns := make(chan *fakeTurn, 1)
	h.fake.prompt = func(_ context.Context, id string, p session.Prompt) (*session.Accepted, error) {
		tn, acc := h.fake.begin(id, p)
		turns <- tn
		return acc, nil
	}
	h.fake.cancel = func(string) error {
		(<-turns).end(session.TurnResult{StopReason: "cancelled"})
		return nil
	}
	p := c.Start(acp.MethodPrompt, acptest.Text(id, "hello", nil))
	c.AwaitUpdate(acp.UpdateUserMessage, nil)
	c.Must(acp.MethodSessionLoad, acp.LoadSessionRequest{SessionID: id, CWD: "/", MCPServers: []json.RawMessage{}}, nil)
	c.Notify(acp.MethodCancel, acp.SessionRequest{SessionID: id})
	raw, rpc := p.Wait()
	require.Nil(t, rpc)
	require.Contains(t, string(raw), "cancelled")
}

func TestCancelRequest_OnAPrompt(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	turns := make(chan *fakeTurn, 1)
	h.fake.prompt = func(_ context.Context, id string, p session.Prompt) (*session.Accepted, error) {
		tn, acc := h.fake.begin(id, p)
		turns <- tn
		return acc, nil
	}
	h.fake.cancel = func(string) error {
		(<-turns).end(session.TurnResult{StopReason: "cancelled", Usage: usage()})
		return nil
	}
	p := c.Start(acp.MethodPrompt, acptest.Text(id, "hello", nil))
	c.AwaitUpdate(acp.UpdateUserMessage, nil)
	c.Notify(acp.MethodCancelRequest, acp.CancelRequestNotification{RequestID: p.ID})
	_, rpc := p.Wait()
	require.NotNil(t, rpc)
	require.Equal(t, acp.CodeCancelled, rpc.Code)
	require.Equal(t, "0.00125", *rpc.Data.Usage.CostUSD, "what was used is billed and shown")
	c.Notify(acp.MethodCancelRequest, acp.CancelRequestNotification{RequestID: p.ID}) // late: nothing to cancel
	c.Must(acp.MethodSessionList, acp.Empty{}, nil)
	require.Equal(t, []string{"prompt " + id, "cancel " + id}, h.fake.called())
}

// The turn belongs to the session: a client that goes away does not end it, and its answer is nobody's.
func TestPrompt_SurvivesItsSocket(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	turns := make(chan *fakeTurn, 1)
	h.fake.prompt = func(_ context.Context, id string, p session.Prompt) (*session.Accepted, error) {
		tn, acc := h.fake.begin(id, p)
		turns <- tn
		return acc, nil
	}
	c.Start(acp.MethodPrompt, acptest.Text(id, "hello", nil))
	tn := <-turns
	c.Kill()
	eventually(t, "detached", func() bool { return h.fake.Attached(id) == 0 })
	require.NotContains(t, h.fake.called(), "cancel "+id)
	tn.end(session.TurnResult{StopReason: "end_turn"})
}

// TestCaseD2_18: a retry with the same key attaches to the turn; what the session answers for it is the answer.
func TestCaseD2_18_RetryAttaches(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	keyed := acptest.Text(id, "hello", acp.Meta{}.With(acp.MetaIdempotencyKey, "k"))
	var first *fakeTurn
	var acc *session.Accepted
	began := make(chan struct{})
	h.fake.prompt = func(_ context.Context, id string, p session.Prompt) (*session.Accepted, error) {
		require.Equal(t, "k", p.Key)
		if first == nil {
			first, acc = h.fake.begin(id, p)
			close(began)
		}
		return acc, nil
	}
	p1 := c.Start(acp.MethodPrompt, keyed)
	<-began
	second := h.dial("alice")
	p2 := second.Start(acp.MethodPrompt, keyed)
	eventually(t, "the retry has arrived", func() bool { return len(h.fake.called()) == 2 })
	first.end(session.TurnResult{StopReason: "end_turn", Usage: usage()})
	a, rpc := p1.Wait()
	require.Nil(t, rpc)
	b, rpc := p2.Wait()
	require.Nil(t, rpc)
	require.Equal(t, string(a), string(b))
}

func TestCommands(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	for prompt, want := range map[string]string{
		"/cost": "Compaction: $0.00 (0 USD)", "/context": "Posture: idle (no_active_compaction)",
		"/compact the tests": "Compaction completed (manual, mechanical)",
	} {
		out, rpc := c.Prompt(id, prompt, nil)
		require.Nil(t, rpc, prompt)
		require.Equal(t, acp.StopEndTurn, out.StopReason)
		u := c.AwaitUpdate(acp.UpdateAgentMessage, func(u acptest.Update) bool { return contains(u.Text(), want) })
		require.NotEmpty(t, u.Meta[acp.MetaSeq], "shown to every client, as a row")
	}
	_, rpc := c.Prompt(id, "/undo", nil)
	require.NotNil(t, rpc)
	require.Equal(t, acp.CodeNothingToUndo, rpc.Code)
	require.Equal(t, []string{`compact ` + id + ` "the tests"`, "undo " + id}, h.fake.called(), "a command is no turn")
	_, rpc = c.Prompt(id, "/unknown thing", nil)
	require.Nil(t, rpc, "any other text is a prompt")
	require.Contains(t, h.fake.called(), "prompt "+id)
}

func TestSetConfigOption(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	set := func(option, value string) acp.SetConfigOptionRequest {
		return acp.SetConfigOptionRequest{SessionID: id, ConfigID: option, Value: json.RawMessage(value)}
	}
	var out acp.SetConfigOptionResponse
	c.Must(acp.MethodSetConfigOption, set("compaction_mode", `"mechanical"`), &out)
	require.Equal(t, "mechanical", out.ConfigOptions[1].CurrentValue)
	c.Must(acp.MethodSetConfigOption, set("model", `"sim:free"`), &out)
	require.Equal(t, "sim:free", out.ConfigOptions[0].CurrentValue)
	require.Equal(t, "mechanical", out.ConfigOptions[1].CurrentValue)
	c.AwaitUpdate(acp.UpdateConfigOptions, func(u acptest.Update) bool { return contains(string(u.Body), "sim:free") })
	require.Equal(t, acp.CodeInvalidParams, c.Refused(acp.MethodSetConfigOption, set("effort", `"x"`)).Code)
	require.Equal(t, acp.CodeInvalidParams, c.Refused(acp.MethodSetConfigOption, set("model", `true`)).Code)
	require.Equal(t, acp.CodeInvalidParams, c.Refused(acp.MethodSetMode, acp.SetModeRequest{SessionID: id, ModeID: "ask"}).Code)
}

func TestExtRequests(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	var posture struct {
		State string `json:"state"`
		Link  string `json:"summary_link"`
	}
	c.Must(acp.MethodExtContext, acp.SessionRequest{SessionID: id}, &posture)
	require.Equal(t, "idle", posture.State)
	var pass struct {
		ID      string `json:"id"`
		Outcome string `json:"outcome"`
	}
	c.Must(acp.MethodExtCompact, acp.CompactRequest{SessionID: id, Focus: "x"}, &pass)
	require.Equal(t, "completed", pass.Outcome)
	require.Equal(t, acp.CodeNothingToUndo, c.Refused(acp.MethodExtUndo, acp.SessionRequest{SessionID: id}).Code)
	require.Equal(t, acp.CodeMethodNotFound, c.Refused("_tidemark/none", acp.Empty{}).Code)
}

func TestGaugeTicks_HaveNoNumber(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	h.fake.bus.PublishTick(event.Tick{SessionID: id, TurnID: "T1", Gauge: event.Gauge{Used: 10, Window: 100, CostUSD: "0.01"}})
	u := c.AwaitUpdate(acp.UpdateUsage, func(u acptest.Update) bool { return u.Meta.Has(acp.MetaEphemeral) })
	require.NotContains(t, u.Meta, acp.MetaSeq)
}

// A cancel reaches a manual compaction too, whichever way it was asked for.
func TestCancel_ManualCompaction(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(nil)
	stop := make(chan struct{}, 1)
	h.fake.cancel = func(string) error { stop <- struct{}{}; return nil }
	h.fake.compact = func(ctx context.Context, id, _ string) (compaction.Pass, error) {
		select {
		case <-stop:
			return compaction.Pass{ID: "P", SessionID: id, Outcome: compaction.OutcomeCancelled}, nil
		case <-ctx.Done():
			return compaction.Pass{}, ctx.Err()
		}
	}
	begun := func(n int) {
		eventually(t, "it runs", func() bool { return len(h.fake.called()) == n })
	}
	command := c.Start(acp.MethodPrompt, acptest.Text(id, "/compact", nil))
	begun(1)
	c.Notify(acp.MethodCancel, acp.SessionRequest{SessionID: id})
	raw, rpc := command.Wait()
	require.Nil(t, rpc)
	require.Contains(t, string(raw), "cancelled")

	for i, start := range []func() *acptest.Pending{
		func() *acptest.Pending { return c.Start(acp.MethodExtCompact, acp.CompactRequest{SessionID: id}) },
		func() *acptest.Pending { return c.Start(acp.MethodPrompt, acptest.Text(id, "/compact", nil)) },
	} {
		p := start()
		begun(3 + 2*i)
		c.Notify(acp.MethodCancelRequest, acp.CancelRequestNotification{RequestID: p.ID})
		_, rpc = p.Wait()
		require.NotNil(t, rpc)
		require.Equal(t, acp.CodeCancelled, rpc.Code)
		<-stop // the pass itself is cancelled, not only the wait for it
	}
}
