package replay

import (
	"encoding/json"

	"tidemark/internal/acp"
	"tidemark/internal/message"
)

// serve answers the server's requests from the recording.
func (d *driver) serve(req acp.Envelope) (any, *acp.Error) {
	switch req.Method {
	case acp.MethodExtToolCall:
		in, bad := acp.DecodeParams[acp.ToolCallRequest](req.Params)
		if bad != nil {
			return nil, bad
		}
		return d.toolResult(in), nil
	case acp.MethodRequestPermission:
		in, bad := acp.DecodeParams[acp.RequestPermissionRequest](req.Params)
		if bad != nil {
			return nil, bad
		}
		return allow(in.Options), nil
	}
	return nil, acp.MethodNotFound(req.Method)
}

func (d *driver) toolResult(in acp.ToolCallRequest) acp.ToolCallResponse {
	res, ok := d.rec.results[in.ToolCallID]
	if !ok {
		d.violate("the server called %s with an id that the recording does not have", in.Name)
		res = message.TextResult(in.ToolCallID, "not in the recording", true)
	}
	content, err := acp.Marshal(answerBlocks(res.Content))
	if err != nil {
		d.violate("the result of %s cannot be encoded: %v", in.Name, err)
		content = json.RawMessage(`[]`)
	}
	return acp.ToolCallResponse{Content: content, IsError: res.IsError}
}

// answerBlocks keeps what a client may answer: texts and images (protocol section 2).
func answerBlocks(blocks message.Blocks) message.Blocks {
	out := message.Blocks{}
	for _, b := range blocks {
		switch b.(type) {
		case message.Text, message.Image:
			out = append(out, b)
		}
	}
	return out
}

// allow picks the widest permission offered.
func allow(options []acp.PermissionOption) acp.RequestPermissionResponse {
	for _, kind := range []string{acp.AllowAlways, acp.AllowOnce} {
		for _, o := range options {
			if o.Kind == kind {
				return acp.RequestPermissionResponse{Outcome: acp.PermissionOutcome{Outcome: acp.OutcomeSelected, OptionID: o.OptionID}}
			}
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.PermissionOutcome{Outcome: acp.OutcomeCancelled}}
}
