package event

// CompactionStartedPayload is exact (requirements A10.2): no field is added.
type CompactionStartedPayload struct {
	SessionID          string `json:"session_id"`
	TurnID             string `json:"turn_id"`
	WatermarkBefore    int64  `json:"watermark_before"`
	SpanMessageCount   int    `json:"span_message_count"`
	SpanTokenCountIn   int    `json:"span_token_count_in"`
	ThresholdOrHardCap string `json:"threshold_or_hard_cap"` // threshold or hard_cap
}

// CompactionCompletedPayload is exact (requirements A10.3).
type CompactionCompletedPayload struct {
	SessionID         string `json:"session_id"`
	TurnID            string `json:"turn_id"`
	WatermarkBefore   int64  `json:"watermark_before"`
	WatermarkAfter    int64  `json:"watermark_after"`
	SpanMessageCount  int    `json:"span_message_count"`
	SpanTokenCountIn  int    `json:"span_token_count_in"`
	SpanTokenCountOut int    `json:"span_token_count_out"`
	CacheHit          bool   `json:"cache_hit"`
	CacheKey          string `json:"cache_key"`
	CostUSD           string `json:"cost_usd"`
	LatencyMS         int64  `json:"latency_ms"`
}

// CompactionFailedPayload is exact (requirements A10.4): texts that do not apply are "" (spec section 8), and the count
// is null where nothing was dropped, which is how the notice of spec 4.4 is told from a truncation (requirements E6).
type CompactionFailedPayload struct {
	SessionID             string `json:"session_id"`
	TurnID                string `json:"turn_id"`
	WatermarkBefore       int64  `json:"watermark_before"`
	SpanMessageCount      int    `json:"span_message_count"`
	FailureMode           string `json:"failure_mode"`
	ErrorClass            string `json:"error_class"`
	ErrorMessage          string `json:"error_message"`
	TruncatedMessageCount *int   `json:"truncated_message_count"`
}

// SummarySwappedPayload reports a late semantic text put in the place of a mechanical one (spec 6.4).
type SummarySwappedPayload struct {
	SessionID               string `json:"session_id"`
	CompactionID            string `json:"compaction_id"`
	Version                 int64  `json:"version"`
	SpanTokenCountOut       int    `json:"span_token_count_out"`
	CacheHit                bool   `json:"cache_hit"`
	CacheKey                string `json:"cache_key"`
	CostUSD                 string `json:"cost_usd"`
	PrefixInvalidatedTokens int    `json:"prefix_invalidated_tokens"`
}

// CompactionUndonePayload reports an undo (spec 6.7).
type CompactionUndonePayload struct {
	SessionID       string `json:"session_id"`
	CompactionID    string `json:"compaction_id"`
	Version         int64  `json:"version"`
	WatermarkBefore int64  `json:"watermark_before"`
	WatermarkAfter  int64  `json:"watermark_after"`
}

// PostureChangedPayload reports a new posture (spec 6.6).
type PostureChangedPayload struct {
	SessionID string `json:"session_id"`
	State     string `json:"state"`
	Reason    string `json:"reason"`
	Version   int64  `json:"version"`
}

// SessionCreatedPayload reports a new session.
type SessionCreatedPayload struct {
	SessionID       string `json:"session_id"`
	Model           string `json:"model"`
	ParentSessionID string `json:"parent_session_id"`
}

// SessionForkedPayload reports a fork; Seq is the first transcript row that was not copied.
type SessionForkedPayload struct {
	SessionID     string `json:"session_id"`
	FromSessionID string `json:"from_session_id"`
	Seq           int64  `json:"seq"`
}

// SessionEndPayload reports that a session was closed or deleted.
type SessionEndPayload struct {
	SessionID string `json:"session_id"`
}

// MemoryUpdatedPayload reports a write to a memory file: hashes and sizes, never text.
type MemoryUpdatedPayload struct {
	SessionID  string `json:"session_id"`
	File       string `json:"file"`
	Operation  string `json:"operation"`
	BeforeHash string `json:"before_hash"`
	AfterHash  string `json:"after_hash"`
	SizeBefore int    `json:"size_before"`
	SizeAfter  int    `json:"size_after"`
}

// TurnStartedPayload reports an accepted prompt.
type TurnStartedPayload struct {
	SessionID string `json:"session_id"`
	TurnID    string `json:"turn_id"`
	Tokens    int    `json:"tokens"` // of the user message, estimated
}

// TurnEndPayload reports the end of a turn. Costs are decimal strings; null = a call had no price.
type TurnEndPayload struct {
	SessionID         string  `json:"session_id"`
	TurnID            string  `json:"turn_id"`
	StopReason        string  `json:"stop_reason"`
	Steps             int     `json:"steps"`
	CostUSD           *string `json:"cost_usd"`
	CompactionCostUSD string  `json:"compaction_cost_usd"`
	ErrorClass        string  `json:"error_class"`
	ErrorMessage      string  `json:"error_message"` // redacted
	DurationMS        int64   `json:"duration_ms"`
}

// CallPayload reports one model call: started, completed or failed.
type CallPayload struct {
	SessionID    string  `json:"session_id"`
	TurnID       string  `json:"turn_id"`
	CallID       string  `json:"call_id"` // the ledger row's id
	Purpose      string  `json:"purpose"`
	Model        string  `json:"model"`
	Step         int     `json:"step"`
	Attempt      int     `json:"attempt"`
	CompactionID string  `json:"compaction_id"`
	Input        int     `json:"input"`
	CacheRead    int     `json:"cache_read"`
	CacheWrite5m int     `json:"cache_write_5m"`
	CacheWrite1h int     `json:"cache_write_1h"`
	Output       int     `json:"output"`
	CostUSD      *string `json:"cost_usd"` // null = unpriced or not known yet
	LatencyMS    int64   `json:"latency_ms"`
	ErrorClass   string  `json:"error_class"`
	ErrorMessage string  `json:"error_message"` // redacted
}

// ToolPayload reports one tool call: name and size, never its text.
type ToolPayload struct {
	SessionID  string `json:"session_id"`
	TurnID     string `json:"turn_id"`
	ToolCallID string `json:"tool_call_id"`
	Name       string `json:"name"`
	Bytes      int    `json:"bytes"`
	DurationMS int64  `json:"duration_ms"`
	ErrorClass string `json:"error_class"` // failed: error, cancelled, denied, timeout
}

// BudgetReachedPayload reports that a budget is used up.
type BudgetReachedPayload struct {
	SessionID string `json:"session_id"`
	Budget    string `json:"budget"` // compaction_session, session, key, day
	LimitUSD  string `json:"limit_usd"`
	SpentUSD  string `json:"spent_usd"`
}

// EvalPayload reports a judged turn or session.
type EvalPayload struct {
	SessionID string `json:"session_id"`
	SubjectID string `json:"subject_id"`
	EvalID    string `json:"eval_id"`
	Score     string `json:"score"`
	Error     string `json:"error"`
}
