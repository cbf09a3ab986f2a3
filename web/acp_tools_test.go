package web_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/tool"
	"tidemark/web"
)

var lookup = acp.ToolSpec{Name: "lookup", Description: "d", InputSchema: json.RawMessage(`{"type":"object"}`)}

func withTools(tools ...acp.ToolSpec) acp.Meta { return acp.Meta{}.With(acp.MetaTools, tools) }

func (f *fake) ask(ctx context.Context, id string, r tool.Request) (tool.Answer, error) {
	f.mu.Lock()
	s := f.sessions[id]
	f.mu.Unlock()
	r.Call.SessionID = id
	return s.clients.Ask(ctx, r, acptest.Patience)
}

func toolRequest() tool.Request {
	return tool.Request{Kind: tool.RequestTool, Call: tool.Call{CallID: "c1", Name: "lookup", Input: json.RawMessage(`{"w":1}`)}}
}

func TestToolCall_RunsAtTheClient(t *testing.T) {
	h := newHarness(t, web.Config{})
	var asked acp.ToolCallRequest
	c := h.dialWith("alice", acptest.Full(), func(_ context.Context, method string, params json.RawMessage) (any, *acp.Error) {
		require.Equal(t, acp.MethodExtToolCall, method)
		require.NoError(t, json.Unmarshal(params, &asked))
		return acp.ToolCallResponse{Content: acp.RawBlocks(`[{"type":"text","text":"found"}]`)}, nil
	})
	id := c.NewSession(withTools(lookup))
	h.fake.row(id, "T", event.StreamToolCall, event.ToolCall{CallID: "c1", Name: "lookup", Status: "pending"})
	a, err := h.fake.ask(t.Context(), id, toolRequest())
	require.NoError(t, err)
	require.Equal(t, message.Blocks{message.Text{Text: "found"}}, a.Content)
	require.Equal(t, acp.ToolCallRequest{SessionID: id, ToolCallID: "c1", Name: "lookup", Input: json.RawMessage(`{"w":1}`)}, asked)
	k := kinds(c.Frames())
	require.Equal(t, []string{"tool_call", "_tidemark/tool_call"}, k[len(k)-2:], "the question follows its announcement")
}

func TestToolCall_BadAnswers(t *testing.T) {
	h := newHarness(t, web.Config{})
	for name, tc := range map[string]struct {
		result any
		err    *acp.Error
		text   string
	}{
		"an error":     {nil, acp.NewError(acp.CodeInternal, "internal", "disk on fire"), "disk on fire"},
		"a wrong type": {json.RawMessage(`{"content":[{"type":"tool_use","id":"x","name":"n","input":{}}]}`), nil, "not tool_use"},
		"no blocks":    {json.RawMessage(`{"content":7}`), nil, "could not run"},
	} {
		t.Run(name, func(t *testing.T) {
			c := h.dialWith("alice", acptest.Full(), func(context.Context, string, json.RawMessage) (any, *acp.Error) { return tc.result, tc.err })
			id := c.NewSession(withTools(lookup))
			a, err := h.fake.ask(t.Context(), id, toolRequest())
			require.NoError(t, err)
			require.True(t, a.IsError)
			require.Contains(t, a.Content.PlainText(), tc.text)
			c.Close()
		})
	}
}

// A client that attaches while a call is open gets it again under the same id; the first answer counts and the others
// are withdrawn.
func TestToolCall_LateClientAndWithdrawal(t *testing.T) {
	h := newHarness(t, web.Config{})
	withdrawn := make(chan struct{})
	first := h.dialWith("alice", acptest.Full(), func(ctx context.Context, _ string, _ json.RawMessage) (any, *acp.Error) {
		<-ctx.Done()
		close(withdrawn)
		return nil, nil
	})
	id := first.NewSession(withTools(lookup))
	answer := make(chan tool.Answer, 1)
	go func() {
		a, _ := h.fake.ask(context.Background(), id, toolRequest())
		answer <- a
	}()
	first.Await("the call", func(e acp.Envelope) bool { return e.Method == acp.MethodExtToolCall })
	second := h.dialWith("alice", acptest.Full(), func(_ context.Context, _ string, params json.RawMessage) (any, *acp.Error) {
		require.Contains(t, string(params), `"toolCallId":"c1"`)
		return acp.ToolCallResponse{Content: acp.RawBlocks(`[]`)}, nil
	})
	req := resume(id, nil)
	req.Meta = withTools(lookup)
	second.Must(acp.MethodSessionResume, req, nil)
	require.False(t, (<-answer).IsError)
	select {
	case <-withdrawn:
	case <-time.After(acptest.Patience):
		t.Fatal("the first client still waits")
	}
}

func TestTools_OnlyThoseOfTheSession(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	id := c.NewSession(withTools(lookup))
	for name, tc := range map[string]struct {
		tool acp.ToolSpec
		ok   bool
	}{
		"the same":                {lookup, true},
		"other spelling":          {acp.ToolSpec{Name: "lookup", Description: "d", InputSchema: json.RawMessage(` {"type" : "object"}`)}, true},
		"another":                 {acp.ToolSpec{Name: "other", InputSchema: json.RawMessage(`{}`)}, false},
		"another schema":          {acp.ToolSpec{Name: "lookup", Description: "d", InputSchema: json.RawMessage(`{}`)}, false},
		"another description too": {acp.ToolSpec{Name: "lookup", Description: "x", InputSchema: json.RawMessage(`{"type":"object"}`)}, false},
	} {
		req := load(id)
		req.Meta = withTools(tc.tool)
		_, rpc := c.Call(acp.MethodSessionLoad, req)
		require.Equal(t, tc.ok, rpc == nil, name)
		if rpc != nil {
			require.Equal(t, acp.CodeInvalidParams, rpc.Code)
		}
	}
}

func TestPermission(t *testing.T) {
	h := newHarness(t, web.Config{})
	for name, tc := range map[string]struct {
		answer string
		want   tool.Answer
	}{
		"allow once":   {`{"outcome":{"outcome":"selected","optionId":"allow_once"}}`, tool.Answer{Allowed: true}},
		"allow always": {`{"outcome":{"outcome":"selected","optionId":"allow_always"}}`, tool.Answer{Allowed: true, Always: true}},
		"reject":       {`{"outcome":{"outcome":"selected","optionId":"reject_once"}}`, tool.Answer{}},
		"reject all":   {`{"outcome":{"outcome":"selected","optionId":"reject_always"}}`, tool.Answer{Always: true}},
		"cancelled":    {`{"outcome":{"outcome":"cancelled"}}`, tool.Answer{}},
		"nonsense":     {`{"outcome":{"outcome":"selected","optionId":"yes please"}}`, tool.Answer{}},
		"no object":    {`7`, tool.Answer{}},
	} {
		t.Run(name, func(t *testing.T) {
			c := h.dialWith("alice", acp.ClientCapabilities{}, func(_ context.Context, method string, params json.RawMessage) (any, *acp.Error) {
				require.Equal(t, acp.MethodRequestPermission, method)
				require.Contains(t, string(params), `"title":"write a.txt"`)
				return json.RawMessage(tc.answer), nil
			})
			id := c.NewSession(nil)
			r := tool.Request{Kind: tool.RequestPermission, Title: "write a.txt", Call: tool.Call{CallID: "c1", Name: "fs_write"}}
			a, err := h.fake.ask(t.Context(), id, r)
			require.NoError(t, err)
			require.Equal(t, tc.want, a)
			c.Close()
		})
	}
}

func TestFiles_OnlyWhenDeclared(t *testing.T) {
	h := newHarness(t, web.Config{})
	caps := acptest.Full()
	caps.FS = acp.FSCapabilities{ReadTextFile: true, WriteTextFile: true}
	c := h.dialWith("alice", caps, func(_ context.Context, method string, params json.RawMessage) (any, *acp.Error) {
		if method == acp.MethodReadTextFile {
			require.JSONEq(t, `{"sessionId":"S1","path":"/a","line":2,"limit":3}`, string(params))
			return acp.ReadTextFileResponse{Content: "text"}, nil
		}
		require.JSONEq(t, `{"sessionId":"S1","path":"/a","content":"new"}`, string(params))
		return acp.Empty{}, nil
	})
	id := c.NewSession(nil)
	a, err := h.fake.ask(t.Context(), id, tool.Request{Kind: tool.RequestReadFile, Call: tool.Call{Input: json.RawMessage(`{"path":"/a","line":2,"limit":3,"sessionId":"other"}`)}})
	require.NoError(t, err)
	require.Equal(t, "text", a.Content.PlainText())
	a, err = h.fake.ask(t.Context(), id, tool.Request{Kind: tool.RequestWriteFile, Call: tool.Call{Input: json.RawMessage(`{"path":"/a","content":"new"}`)}})
	require.NoError(t, err)
	require.False(t, a.IsError)

	plain := h.dialWith("bob", acp.ClientCapabilities{}, nil)
	other := plain.NewSession(nil)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = h.fake.ask(ctx, other, tool.Request{Kind: tool.RequestReadFile, Call: tool.Call{Input: json.RawMessage(`{"path":"/a"}`)}})
	require.Error(t, err, "nobody serves it")
}
