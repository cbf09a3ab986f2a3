package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/internal/config"
)

// TestCaseD1_14_CancelInTheNextFrame: a prompt and its cancel in adjacent frames, again and again, against real sessions;
// the cancel counts each time and the session goes on.
func TestCaseD1_14_CancelInTheNextFrame(t *testing.T) {
	a := openApp(t, func(c *config.Config) { c.Limits.RequestsPerSecond, c.Limits.RequestBurst = 100_000, 100_000 })
	c := acptest.Dial(t, a.URL()+"/acp", acptest.Options{Key: adminKey, Schema: acptest.LoadSchema(t)})
	c.Initialize(acptest.Full())
	id := c.NewSession(nil)
	for range 40 {
		p := c.Start(acp.MethodPrompt, acptest.Text(id, "[[slow 20ms]] [[say 300]]", nil))
		c.Notify(acp.MethodCancel, acp.SessionRequest{SessionID: id})
		raw, rpc := p.Wait()
		require.Nil(t, rpc)
		var out acp.PromptResponse
		require.NoError(t, json.Unmarshal(raw, &out))
		require.Equal(t, acp.StopCancelled, out.StopReason)
	}
	out, rpc := c.Prompt(id, "hello", nil)
	require.Nil(t, rpc)
	require.Equal(t, acp.StopEndTurn, out.StopReason)
}

// $/cancel_request on a prompt answers -32800, and only that request.
func TestCancelRequest(t *testing.T) {
	a := openApp(t, nil)
	c := acptest.Dial(t, a.URL()+"/acp", acptest.Options{Key: adminKey, Schema: acptest.LoadSchema(t)})
	c.Initialize(acptest.Full())
	id := c.NewSession(nil)
	p := c.Start(acp.MethodPrompt, acptest.Text(id, "[[slow 20ms]] [[say 300]]", nil))
	c.AwaitUpdate(acp.UpdateAgentMessage, nil)
	_, busy := c.Prompt(id, "and this", nil)
	require.NotNil(t, busy)
	require.Equal(t, acp.CodeSessionBusy, busy.Code)
	_, rpc := c.Prompt(id, "/context", nil)
	require.Nil(t, rpc, "/cost and /context are answered while a turn runs")
	_, busy = c.Prompt(id, "/compact", nil)
	require.Equal(t, acp.CodeSessionBusy, busy.Code)
	c.Notify(acp.MethodCancelRequest, acp.CancelRequestNotification{RequestID: p.ID})
	_, rpc = p.Wait()
	require.NotNil(t, rpc)
	require.Equal(t, acp.CodeCancelled, rpc.Code)
	require.NotNil(t, rpc.Data.Usage)
}

// TestCaseD1_16_LoadDuringATurn: loading in the middle of an answer shows it so far, then the rest, without loss or
// doubling, whatever the moment.
func TestCaseD1_16_LoadDuringATurn(t *testing.T) {
	a := openApp(t, func(c *config.Config) { c.Limits.RequestsPerSecond, c.Limits.RequestBurst = 100_000, 100_000 })
	whole := acptest.Dial(t, a.URL()+"/acp", acptest.Options{Key: adminKey})
	whole.Initialize(acptest.Full())
	for range 10 {
		id := whole.NewSession(nil)
		p := whole.Start(acp.MethodPrompt, acptest.Text(id, "[[slow 2ms]] [[say 400]]", nil))
		whole.AwaitUpdate(acp.UpdateAgentMessage, func(u acptest.Update) bool { return u.SessionID == id })
		late := acptest.Dial(t, a.URL()+"/acp", acptest.Options{Key: adminKey, Schema: acptest.LoadSchema(t)})
		late.Initialize(acptest.Full())
		late.Must(acp.MethodSessionLoad, acp.LoadSessionRequest{SessionID: id, CWD: "/", MCPServers: []json.RawMessage{}}, nil)
		_, rpc := p.Wait()
		require.Nil(t, rpc)
		late.Await("the end of the turn", func(e acp.Envelope) bool {
			return e.Method == acp.MethodExtTurn && strings.Contains(string(e.Params), `"ended"`)
		})
		require.Equal(t, answerText(whole, id), answerText(late, id))
		late.Close()
	}
}

// answerText merges the chunks of each agent message and joins them by message id.
func answerText(c *acptest.Client, id string) map[string]string {
	out := make(map[string]string)
	for _, e := range c.Frames() {
		u, ok := acptest.UpdateOf(e)
		if !ok || u.SessionID != id || u.Kind != acp.UpdateAgentMessage {
			continue
		}
		var body acp.ContentChunk
		if json.Unmarshal(u.Body, &body) == nil {
			out[body.MessageID] += body.Content.Text
		}
	}
	return out
}
