package web

import (
	"context"
	"encoding/json"

	"tidemark/internal/acp"
	"tidemark/internal/tool"
)

// answered is a client's answer to a request of ours.
type answered struct {
	result json.RawMessage
	err    *acp.Error
}

// answered hands an answer to whoever asked. One that nobody waits for any more is dropped: the request was withdrawn.
func (c *wsConn) answered(env acp.Envelope) {
	c.mu.Lock()
	ch := c.asked[env.ID.String()]
	delete(c.asked, env.ID.String())
	c.mu.Unlock()
	if ch != nil {
		ch <- answered{env.Result, env.Error} // capacity 1
	}
}

// ask sends a request to the client and waits for its answer. When ctx ends first the request is withdrawn.
func (c *wsConn) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	ch := make(chan answered, 1)
	c.mu.Lock()
	c.nextID++
	id := acp.IntID(c.nextID)
	c.asked[id.String()] = ch
	c.mu.Unlock()
	frame, err := acp.EncodeRequest(id, method, params)
	if err != nil {
		return nil, err
	}
	c.send(frame)
	select {
	case a := <-ch:
		if a.err != nil {
			return nil, a.err
		}
		return a.result, nil
	case <-ctx.Done():
		c.withdraw(id)
		return nil, ctx.Err()
	case <-c.ctx.Done():
		c.forget(id)
		return nil, tool.ErrNoAnswer
	}
}

// forget ends the wait for an answer; false when it has come.
func (c *wsConn) forget(id acp.RequestID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.asked[id.String()]
	delete(c.asked, id.String())
	return open
}

// withdraw tells the client that its answer is no longer wanted.
func (c *wsConn) withdraw(id acp.RequestID) {
	if c.forget(id) {
		c.send(encode(acp.MethodCancelRequest, acp.CancelRequestNotification{RequestID: id}))
	}
}

var _ tool.Client = (*attachment)(nil)

// Serves implements tool.Client.
func (a *attachment) Serves(r tool.Request) bool {
	caps := a.c.capabilities()
	switch r.Kind {
	case tool.RequestTool:
		return a.tools[r.Call.Name]
	case tool.RequestPermission:
		return true
	case tool.RequestReadFile:
		return caps.ReadFile
	case tool.RequestWriteFile:
		return caps.WriteFile
	}
	return false
}

// Ask implements tool.Client. The question follows the row that announces the call.
func (a *attachment) Ask(ctx context.Context, r tool.Request) (tool.Answer, error) {
	a.await(ctx)
	switch r.Kind {
	case tool.RequestTool:
		return a.askTool(ctx, r)
	case tool.RequestPermission:
		return a.askPermission(ctx, r)
	case tool.RequestReadFile:
		return a.askRead(ctx, r)
	case tool.RequestWriteFile:
		return a.askWrite(ctx, r)
	}
	return tool.Answer{}, tool.ErrNoAnswer
}
