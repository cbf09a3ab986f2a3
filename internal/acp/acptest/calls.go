package acptest

import (
	"encoding/json"

	"tidemark/internal/acp"
)

// Pending is a request that waits for its answer.
type Pending struct {
	c  *Client
	ID acp.RequestID
}

// Start sends a request.
func (c *Client) Start(method string, params any) *Pending {
	c.tb.Helper()
	c.mu.Lock()
	id := acp.IntID(c.nextID)
	c.nextID++
	c.methods[id.String()] = method
	c.mu.Unlock()
	frame, err := acp.EncodeRequest(id, method, params)
	if err != nil {
		c.tb.Fatalf("encode %s: %v", method, err)
	}
	if err := c.write(frame); err != nil {
		c.tb.Fatalf("send %s: %v", method, err)
	}
	return &Pending{c, id}
}

// Wait waits for the answer.
func (p *Pending) Wait() (json.RawMessage, *acp.Error) {
	p.c.tb.Helper()
	env := p.c.Await("the answer to request "+p.ID.String(), func(e acp.Envelope) bool {
		return e.Kind() == acp.KindResponse && e.ID == p.ID
	})
	return env.Result, env.Error
}

// Call sends a request and waits for its answer.
func (c *Client) Call(method string, params any) (json.RawMessage, *acp.Error) {
	c.tb.Helper()
	return c.Start(method, params).Wait()
}

// Must is Call for requests that succeed; it decodes the result into v unless that is nil.
func (c *Client) Must(method string, params, v any) {
	c.tb.Helper()
	raw, rpc := c.Call(method, params)
	if rpc != nil {
		c.tb.Fatalf("%s: %v %+v", method, rpc, rpc.Data)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(raw, v); err != nil {
		c.tb.Fatalf("%s: %v", method, err)
	}
}

// Refused is Call for requests that fail; it returns the error.
func (c *Client) Refused(method string, params any) *acp.Error {
	c.tb.Helper()
	raw, rpc := c.Call(method, params)
	if rpc == nil {
		c.tb.Fatalf("%s succeeded: %s", method, raw)
	}
	return rpc
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) {
	c.tb.Helper()
	frame, err := acp.EncodeNotification(method, params)
	if err == nil {
		err = c.write(frame)
	}
	if err != nil {
		c.tb.Fatalf("notify %s: %v", method, err)
	}
}

// Full are the capabilities of a client that knows everything we send.
func Full() acp.ClientCapabilities {
	return acp.ClientCapabilities{
		Session: &acp.ClientSessionCapabilities{Compaction: json.RawMessage(`{}`)},
		Meta:    acp.Meta{}.With(acp.MetaExt, acp.Flag{}),
	}
}

// Initialize opens the protocol.
func (c *Client) Initialize(caps acp.ClientCapabilities) acp.InitializeResponse {
	c.tb.Helper()
	v := acp.ProtocolVersion
	var out acp.InitializeResponse
	c.Must(acp.MethodInitialize, acp.InitializeRequest{ProtocolVersion: &v, ClientCapabilities: caps}, &out)
	return out
}

// NewSession makes a session and returns its id.
func (c *Client) NewSession(meta acp.Meta) string {
	c.tb.Helper()
	var out acp.NewSessionResponse
	c.Must(acp.MethodSessionNew, acp.NewSessionRequest{CWD: "/", MCPServers: []json.RawMessage{}, Meta: meta}, &out)
	return out.SessionID
}

// Prompt runs a turn of one text.
func (c *Client) Prompt(sessionID, text string, meta acp.Meta) (acp.PromptResponse, *acp.Error) {
	c.tb.Helper()
	raw, rpc := c.Call(acp.MethodPrompt, Text(sessionID, text, meta))
	var out acp.PromptResponse
	if rpc == nil {
		if err := json.Unmarshal(raw, &out); err != nil {
			c.tb.Fatal(err)
		}
	}
	return out, rpc
}

// Text is a prompt of one text.
func Text(sessionID, text string, meta acp.Meta) acp.PromptRequest {
	return acp.PromptRequest{SessionID: sessionID, Prompt: []acp.ContentBlock{acp.TextBlock(text)}, Meta: meta}
}
