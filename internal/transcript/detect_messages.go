package transcript

import "encoding/json"

// messagesForm tells whose messages these are: OpenAI's as soon as one has what only those have.
func messagesForm(items []json.RawMessage) Form {
	form := FormUnknown
	for _, raw := range items {
		var p probe
		if json.Unmarshal(raw, &p) != nil || p.Role == "" {
			continue
		}
		if p.isOpenAI() {
			return FormOpenAI
		}
		form = FormAnthropic
	}
	return form
}

func (p *probe) isOpenAI() bool {
	switch p.Role {
	case "system", "developer", "tool", "function":
		return true
	}
	if p.ToolCalls != nil || p.ToolCallID != nil || p.FunctionOld != nil {
		return true
	}
	var parts []struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(p.Content, &parts) != nil {
		return false
	}
	for _, part := range parts {
		switch part.Type {
		case "image_url", "input_audio", "file", "refusal":
			return true
		}
	}
	return false
}
