package web

import (
	"context"
	"encoding/json"
	"fmt"

	"tidemark/internal/acp"
	"tidemark/internal/message"
	"tidemark/internal/tool"
)

func (a *attachment) askTool(ctx context.Context, r tool.Request) (tool.Answer, error) {
	raw, err := a.c.ask(ctx, acp.MethodExtToolCall, acp.ToolCallRequest{
		SessionID: a.id, ToolCallID: r.Call.CallID, Name: r.Call.Name, Input: r.Call.Input,
	})
	if err != nil {
		return refusal(err)
	}
	var out acp.ToolCallResponse
	if err := json.Unmarshal(raw, &out); err != nil {
		return badAnswer("the answer is not a tool result"), nil
	}
	blocks, err := resultBlocks(out.Content)
	if err != nil {
		return badAnswer(err.Error()), nil
	}
	return tool.Answer{Content: blocks, IsError: out.IsError}, nil
}

// resultBlocks reads a client's result: text and image blocks of spec 3.1.
func resultBlocks(raw json.RawMessage) (message.Blocks, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var blocks message.Blocks
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, err
	}
	for _, b := range blocks {
		switch v := b.(type) {
		case message.Text:
		case message.Image:
			if err := v.Check(); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("a result holds text and images, not %s", b.Type())
		}
	}
	return blocks, nil
}

// refusal turns a client's error into a result that the model reads; a socket that ended is no answer, so that another
// client may give one.
func refusal(err error) (tool.Answer, error) {
	if rpc, ok := err.(*acp.Error); ok { //nolint:errorlint // never wrapped
		if rpc.Code == acp.CodeMethodNotFound {
			return tool.Answer{}, err
		}
		return badAnswer(rpc.Message), nil
	}
	return tool.Answer{}, err
}

func badAnswer(text string) tool.Answer {
	return tool.Answer{Content: message.Blocks{message.Text{Text: "The client could not run the tool: " + text}}, IsError: true}
}

func (a *attachment) askPermission(ctx context.Context, r tool.Request) (tool.Answer, error) {
	title := r.Title
	if title == "" {
		title = r.Call.Name
	}
	raw, err := a.c.ask(ctx, acp.MethodRequestPermission, acp.RequestPermissionRequest{
		SessionID: a.id, Options: acp.PermissionOptions(),
		ToolCall: acp.ToolCallUpdate{
			ToolCallID: r.Call.CallID, Title: title, Name: r.Call.Name, Status: acp.ToolPending, RawInput: r.Call.Input,
		},
	})
	if err != nil {
		return tool.Answer{}, err
	}
	var out acp.RequestPermissionResponse
	if err := json.Unmarshal(raw, &out); err != nil || out.Outcome.Outcome != acp.OutcomeSelected {
		return tool.Answer{}, nil //nolint:nilerr // whatever is not a yes is a no
	}
	id := out.Outcome.OptionID
	return tool.Answer{
		Allowed: id == acp.AllowOnce || id == acp.AllowAlways,
		Always:  id == acp.AllowAlways || id == acp.RejectAlways,
	}, nil
}

func (a *attachment) askRead(ctx context.Context, r tool.Request) (tool.Answer, error) {
	in := acp.ReadTextFileRequest{SessionID: a.id}
	if err := json.Unmarshal(r.Call.Input, &in); err != nil {
		return badAnswer(err.Error()), nil
	}
	in.SessionID = a.id
	raw, err := a.c.ask(ctx, acp.MethodReadTextFile, in)
	if err != nil {
		return refusal(err)
	}
	var out acp.ReadTextFileResponse
	if err := json.Unmarshal(raw, &out); err != nil {
		return badAnswer("the answer is not a file's text"), nil
	}
	return tool.Answer{Content: message.Blocks{message.Text{Text: out.Content}}}, nil
}

func (a *attachment) askWrite(ctx context.Context, r tool.Request) (tool.Answer, error) {
	var in acp.WriteTextFileRequest
	if err := json.Unmarshal(r.Call.Input, &in); err != nil {
		return badAnswer(err.Error()), nil
	}
	in.SessionID = a.id
	if _, err := a.c.ask(ctx, acp.MethodWriteTextFile, in); err != nil {
		return refusal(err)
	}
	return tool.Answer{Content: message.Blocks{message.Text{Text: "written: " + in.Path}}}, nil
}
