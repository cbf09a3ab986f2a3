package web_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/internal/session"
	"tidemark/web"
)

// Every verb answers alike for a session of another owner and for none at all.
func TestAccess_ForeignAndMissingAreAlike(t *testing.T) {
	h := newHarness(t, web.Config{})
	h.fake.add("bobs", "bob")
	c := h.dial("alice")
	for _, method := range []string{
		acp.MethodSessionLoad, acp.MethodSessionResume, acp.MethodSessionClose, acp.MethodSessionDelete, acp.MethodSetConfigOption,
		acp.MethodPrompt, acp.MethodExtContext, acp.MethodExtCompact, acp.MethodExtUndo,
	} {
		ask := func(id string) acp.Error {
			params := map[string]any{
				"sessionId": id, "cwd": "/", "mcpServers": []any{}, "configId": "model", "value": "sim:free",
				"prompt": []any{map[string]any{"type": "text", "text": "hi"}},
			}
			rpc := *c.Refused(method, params)
			require.NotEmpty(t, rpc.Data.RequestID)
			rpc.Data.RequestID = ""
			return rpc
		}
		foreign, missing := ask("bobs"), ask("nobodys")
		require.Equal(t, acp.CodeNotFound, foreign.Code, method)
		require.Equal(t, missing, foreign, method)
	}
	c.Notify(acp.MethodCancel, acp.SessionRequest{SessionID: "bobs"})
	c.Must(acp.MethodSessionList, acp.Empty{}, nil)
	require.Empty(t, h.fake.called(), "nothing reached the session")
	require.Equal(t, acp.CodeInvalidParams, c.Refused(acp.MethodPrompt, acp.Empty{}).Code, "no id at all")
}

func TestAccess_OperatorReadsAndStopsButDoesNotDrive(t *testing.T) {
	h := newHarness(t, web.Config{})
	h.fake.add("bobs", "bob")
	c := h.dial("operator")
	c.Must(acp.MethodSessionLoad, load("bobs"), nil)
	c.Must(acp.MethodExtCompact, acp.CompactRequest{SessionID: "bobs"}, nil)
	_, rpc := c.Prompt("bobs", "hi", nil)
	require.NotNil(t, rpc)
	require.Equal(t, "forbidden", rpc.Data.Code)
	c.Notify(acp.MethodCancel, acp.SessionRequest{SessionID: "bobs"})
	eventually(t, "cancelled", func() bool { return len(h.fake.called()) == 2 })
	c.Must(acp.MethodSessionClose, acp.SessionRequest{SessionID: "bobs"}, nil)
}

func TestList_OwnFilterAndPages(t *testing.T) {
	h := newHarness(t, web.Config{})
	for i := range 250 {
		h.fake.add(fmt.Sprintf("a%03d", i), "alice")
	}
	h.fake.add("bobs", "bob")
	h.fake.sessions["a007"].rec.CWD = "/other"
	list := func(c *acptest.Client, cwd *string) (ids []string) {
		var cursor *string
		for {
			var out acp.ListSessionsResponse
			c.Must(acp.MethodSessionList, acp.ListSessionsRequest{CWD: cwd, Cursor: cursor}, &out)
			for _, s := range out.Sessions {
				ids = append(ids, s.SessionID)
			}
			if out.NextCursor == "" {
				return ids
			}
			cursor = &out.NextCursor
		}
	}
	require.Len(t, list(h.dial("alice"), nil), 250)
	require.Equal(t, []string{"bobs"}, list(h.dial("bob"), nil))
	require.Len(t, list(h.dial("operator"), nil), 251, "operators see all")
	other := "/other"
	require.Equal(t, []string{"a007"}, list(h.dial("alice"), &other))
}

func TestNew_ChecksItsParameters(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	h.fake.add("bobs", "bob")
	h.fake.create = func(n session.NewSession) error {
		if len(n.Overrides) > 0 {
			return &session.ParamError{Param: "compaction.threshold_tokens", Reason: "-1 is below 1"}
		}
		return nil
	}
	tool := func(s string) string { return `"_meta":{"tidemark/tools":[` + s + `]}` }
	for name, tc := range map[string]struct{ params, param string }{
		"relative cwd":      {`"cwd":"home","mcpServers":[]`, "cwd"},
		"no cwd":            {`"mcpServers":[]`, "cwd"},
		"stdio server":      {`"cwd":"/","mcpServers":[{"name":"files","command":"/bin/x","args":[],"env":[]}]`, "mcpServers"},
		"knob out of range": {`"cwd":"/","_meta":{"tidemark/config":{"compaction":{"threshold_tokens":-1}}}`, "compaction.threshold_tokens"},
		"foreign parent":    {`"cwd":"/","_meta":{"tidemark/config":{"parent":"bobs"}}`, "parent"},
		"disconnect":        {`"cwd":"/","_meta":{"tidemark/config":{"disconnect":"explode"}}`, "disconnect"},
		"config shape":      {`"cwd":"/","_meta":{"tidemark/config":3}`, `_meta["tidemark/config"]`},
		"tool name":         {`"cwd":"/",` + tool(`{"name":"a b","inputSchema":{}}`), "tidemark/tools"},
		"tool twice":        {`"cwd":"/",` + tool(`{"name":"a","inputSchema":{}},{"name":"a","inputSchema":{}}`), "tidemark/tools"},
		"tool schema":       {`"cwd":"/",` + tool(`{"name":"a","inputSchema":[]}`), "tidemark/tools"},
	} {
		t.Run(name, func(t *testing.T) {
			rpc := c.Refused(acp.MethodSessionNew, json.RawMessage("{"+tc.params+"}"))
			require.Equal(t, acp.CodeInvalidParams, rpc.Code)
			require.Equal(t, tc.param, rpc.Data.Param)
		})
	}
	rpc := c.Refused(acp.MethodSessionNew, json.RawMessage(`{"cwd":"/","mcpServers":[{"name":"files","command":"/bin/x"}]}`))
	require.Contains(t, rpc.Message, "files", "it is named")
	c.Must(acp.MethodSessionNew, json.RawMessage(`{"cwd":"C:\\work","mcpServers":[]}`), nil)
}

func TestNew_ShowsWhatTookEffect(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	var out acp.NewSessionResponse
	c.Must(acp.MethodSessionNew, acp.NewSessionRequest{CWD: "/", MCPServers: []json.RawMessage{}, Meta: acp.Meta{}.With(acp.MetaConfig, acp.SessionConfig{System: "Be kind."})}, &out)
	var cfg acp.SessionConfig
	require.Nil(t, out.Meta.Read(acp.MetaConfig, &cfg))
	require.Equal(t, "Be kind.", cfg.System)
	require.Equal(t, "sim:assistant", cfg.Model)
	require.Contains(t, string(cfg.Compaction), `"threshold_tokens":30000`)
	require.Len(t, out.ConfigOptions, 2)
	require.Equal(t, "_tidemark", out.ConfigOptions[1].Category)
}

// TestCaseD5_42 of the wire: a deleted session is gone for everybody, and who was attached to nothing else is told not
// to come back.
func TestDelete_EndsAttachments(t *testing.T) {
	h := newHarness(t, web.Config{})
	asker, other, busy := h.dial("alice"), h.dial("alice"), h.dial("alice")
	id := asker.NewSession(nil)
	other.Must(acp.MethodSessionLoad, load(id), nil)
	busy.Must(acp.MethodSessionLoad, load(id), nil)
	busy.NewSession(nil)
	asker.Must(acp.MethodSessionDelete, acp.SessionRequest{SessionID: id}, nil)
	require.Equal(t, websocket.StatusCode(4501), other.CloseCode())
	eventually(t, "detached", func() bool { return h.fake.Attached(id) == 0 })
	for _, c := range []*acptest.Client{asker, busy} {
		require.Equal(t, acp.CodeNotFound, c.Refused(acp.MethodSessionLoad, load(id)).Code)
	}
}
