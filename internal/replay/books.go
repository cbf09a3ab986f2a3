package replay

import (
	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// books are a session's rows as the HTTP API tells them (protocol section 5). The types are the client's own: what is
// checked here is the wire, not the server's structs.
type books struct {
	session sessionRow
	turns   []turnRow
	ledger  []ledgerRow
	passes  []passRow
	events  []eventRow
	posture postureRow
}

type sessionRow struct {
	ID                string       `json:"id"`
	Model             string       `json:"model"`
	Turns             int          `json:"turns"`
	Watermark         int64        `json:"watermark"`
	WindowTokens      int          `json:"window_tokens"`
	CostUSD           *pricing.USD `json:"cost_usd"`
	CompactionCostUSD pricing.USD  `json:"compaction_cost_usd"`
	CacheHitRate      *float64     `json:"cache_hit_rate"`
}

type turnRow struct {
	ID                string       `json:"id"`
	State             string       `json:"state"`
	Steps             int          `json:"steps"`
	CostUSD           *pricing.USD `json:"cost_usd"`
	CompactionCostUSD pricing.USD  `json:"compaction_cost_usd"`
	ErrorClass        string       `json:"error_class"`
	ErrorMessage      string       `json:"error_message"`
}

type ledgerRow struct {
	ID           string        `json:"id"`
	TurnID       string        `json:"turn_id"`
	Purpose      string        `json:"purpose"`
	CompactionID string        `json:"compaction_id"`
	Usage        message.Usage `json:"usage"`
	CostUSD      *pricing.USD  `json:"cost_usd"`
	Outcome      string        `json:"outcome"`
	ErrorClass   string        `json:"error_class"`
}

type passRow struct {
	ID                string       `json:"id"`
	Trigger           string       `json:"trigger"`
	Kind              string       `json:"kind"`
	WatermarkBefore   int64        `json:"watermark_before"`
	WatermarkAfter    int64        `json:"watermark_after"`
	SpanTokenCountIn  int          `json:"span_token_count_in"`
	SpanTokenCountOut int          `json:"span_token_count_out"`
	CacheHit          bool         `json:"cache_hit"`
	CostUSD           *pricing.USD `json:"cost_usd"`
	Outcome           string       `json:"outcome"`
	FailureMode       string       `json:"failure_mode"`
}

type eventRow struct {
	EventID int64  `json:"event_id"`
	Type    string `json:"type"`
	Payload struct {
		FailureMode           string `json:"failure_mode"`
		TruncatedMessageCount *int   `json:"truncated_message_count"`
	} `json:"payload"`
}

type postureRow struct {
	State         string `json:"state"`
	PrefixTokens  int    `json:"prefix_tokens"`
	SummaryTokens int    `json:"summary_tokens"`
}
