package transcript

import (
	"encoding/json"

	"tidemark/internal/message"
)

// codexUsage is the usage of one call. Cached tokens are a part of the input there, reasoning of the output.
type codexUsage struct {
	Input     int `json:"input_tokens"`
	Cached    int `json:"cached_input_tokens"`
	Output    int `json:"output_tokens"`
	Reasoning int `json:"reasoning_output_tokens"`
}

// event takes the token counts out of the events; all others repeat what the items say. The counts are told again
// whenever a limit changes, so the newest for an answer is the one that holds.
func (c *codexLog) event(payload json.RawMessage) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(payload, &kind); err != nil {
		return err
	}
	if kind.Type != "token_count" {
		return nil
	}
	var e struct {
		Info *struct {
			Last *codexUsage `json:"last_token_usage"`
		} `json:"info"`
	}
	if err := json.Unmarshal(payload, &e); err != nil {
		return err
	}
	if i := c.lastAssistant(); i >= 0 && e.Info != nil && e.Info.Last != nil {
		c.rec.Usages[i] = e.Info.Last.usage()
	}
	return nil
}

func (u *codexUsage) usage() message.Usage {
	cached := min(max(u.Cached, 0), u.Input)
	return message.Usage{Input: u.Input - cached, CacheRead: cached, Output: u.Output, Reasoning: u.Reasoning}
}
