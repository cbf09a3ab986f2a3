package transcript

import (
	"bytes"
	"encoding/json"

	"tidemark/internal/message"
)

// wireUsage is the usage object of the Anthropic API, which the corpus and Claude Code use too, and the names of the
// OpenAI API beside it.
type wireUsage struct {
	Input         int              `json:"input_tokens"`
	CacheRead     int              `json:"cache_read_input_tokens"`
	CacheCreation int              `json:"cache_creation_input_tokens"`
	Creation      *wireCacheWrites `json:"cache_creation,omitempty"`
	Output        int              `json:"output_tokens"`
	Reasoning     int              `json:"reasoning_tokens,omitempty"`

	Prompt     int `json:"prompt_tokens,omitempty"`
	Completion int `json:"completion_tokens,omitempty"`
	PromptPart *struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details,omitempty"`
	CompletionPart *struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details,omitempty"`
}

type wireCacheWrites struct {
	FiveMinutes int `json:"ephemeral_5m_input_tokens"`
	OneHour     int `json:"ephemeral_1h_input_tokens"`
}

// usage reads the token counts of one message into disjoint buckets (spec 7.3).
func usage(raw json.RawMessage) (message.Usage, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return message.Usage{}, nil
	}
	var w wireUsage
	if err := json.Unmarshal(raw, &w); err != nil {
		return message.Usage{}, err
	}
	if w.Prompt > 0 || w.Completion > 0 {
		return w.openAI(), nil
	}
	u := message.Usage{
		Input: w.Input, CacheRead: w.CacheRead, CacheWrite5m: w.CacheCreation, Output: w.Output, Reasoning: w.Reasoning,
	}
	if w.Creation != nil && w.Creation.OneHour > 0 {
		u.CacheWrite1h = min(w.Creation.OneHour, w.CacheCreation)
		u.CacheWrite5m = w.CacheCreation - u.CacheWrite1h
	}
	return u, nil
}

// openAI takes the cached tokens out of the prompt, of which they are a part there.
func (w *wireUsage) openAI() message.Usage {
	u := message.Usage{Input: w.Prompt, Output: w.Completion}
	if w.PromptPart != nil {
		u.CacheRead = min(w.PromptPart.Cached, w.Prompt)
		u.Input = w.Prompt - u.CacheRead
	}
	if w.CompletionPart != nil {
		u.Reasoning = w.CompletionPart.Reasoning
	}
	return u
}

// usageOut is the usage object that [Write] writes; nil for no usage.
func usageOut(u message.Usage) *wireUsage {
	if u.IsZero() {
		return nil
	}
	w := &wireUsage{
		Input: u.Input, CacheRead: u.CacheRead, CacheCreation: u.CacheWrite5m + u.CacheWrite1h,
		Output: u.Output, Reasoning: u.Reasoning,
	}
	if u.CacheWrite1h > 0 {
		w.Creation = &wireCacheWrites{u.CacheWrite5m, u.CacheWrite1h}
	}
	return w
}
