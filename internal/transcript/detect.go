package transcript

import (
	"bytes"
	"encoding/json"
)

// Detect tells the form of a transcript from its beginning; the more of the file it is given the surer it is, but a few
// lines will do. Message arrays in which nothing belongs to one provider alone count as Anthropic's.
func Detect(head []byte) Form {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	if len(head) > 0 && head[0] == '[' {
		return arrayForm(head)
	}
	dec := json.NewDecoder(bytes.NewReader(head))
	var items []json.RawMessage
	for {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return messagesForm(items)
		}
		switch f, bare := classify(raw); {
		case f != FormUnknown:
			return f
		case bare:
			items = append(items, raw)
		}
	}
}

// arrayForm reads the elements of an array as far as they go.
func arrayForm(head []byte) Form {
	dec := json.NewDecoder(bytes.NewReader(head))
	if _, err := dec.Token(); err != nil {
		return FormUnknown
	}
	var items []json.RawMessage
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			break
		}
		items = append(items, raw)
	}
	return messagesForm(items)
}

// probe holds the keys that tell forms apart.
type probe struct {
	Type        string          `json:"type"`
	Role        string          `json:"role"`
	RecordType  string          `json:"record_type"`
	Payload     json.RawMessage `json:"payload"`
	SessionID   json.RawMessage `json:"sessionId"`
	ParentUUID  json.RawMessage `json:"parentUuid"`
	LeafUUID    json.RawMessage `json:"leafUuid"`
	Message     json.RawMessage `json:"message"`
	Snapshot    json.RawMessage `json:"snapshot"`
	ID          json.RawMessage `json:"id"`
	Timestamp   json.RawMessage `json:"timestamp"`
	Messages    json.RawMessage `json:"messages"`
	System      json.RawMessage `json:"system"`
	ToolCalls   json.RawMessage `json:"tool_calls"`
	ToolCallID  json.RawMessage `json:"tool_call_id"`
	FunctionOld json.RawMessage `json:"function_call"`
	Content     json.RawMessage `json:"content"`
}

// classify tells the form of one JSON object when it shows it; bare is true for a message without anything around it.
func classify(raw []byte) (f Form, bare bool) {
	var p probe
	if json.Unmarshal(raw, &p) != nil {
		return FormUnknown, false
	}
	switch {
	case p.Messages != nil:
		return p.requestForm(), false
	case p.Type == "session" && p.Payload == nil:
		return FormCorpus, false
	case p.isCodex():
		return FormCodex, false
	case p.isClaudeCode():
		return FormClaudeCode, false
	}
	return FormUnknown, p.Role != ""
}

func (p *probe) requestForm() Form {
	var items []json.RawMessage
	if json.Unmarshal(p.Messages, &items) != nil {
		return FormUnknown
	}
	if p.System != nil {
		return FormAnthropic
	}
	if f := messagesForm(items); f != FormUnknown {
		return f
	}
	return FormAnthropic
}

// isCodex knows the three generations: records with a payload, bare response items, and the state lines between them.
func (p *probe) isCodex() bool {
	switch {
	case p.Payload != nil && p.Type != "", p.RecordType != "":
		return true
	case p.Type != "" && p.Message == nil && codexItems[p.Type]:
		return true
	}
	return p.Type == "" && p.Role == "" && p.ID != nil && p.Timestamp != nil
}

func (p *probe) isClaudeCode() bool {
	if p.SessionID != nil || p.ParentUUID != nil || p.LeafUUID != nil || p.Snapshot != nil {
		return true
	}
	return p.Message != nil && (p.Type == "user" || p.Type == "assistant")
}
