package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// passRow is the part of a compaction record that a line can hold.
type passRow struct {
	ID                string  `json:"id"`
	Trigger           string  `json:"trigger"`
	Kind              string  `json:"kind"`
	Outcome           string  `json:"outcome"`
	WatermarkBefore   int64   `json:"watermark_before"`
	WatermarkAfter    int64   `json:"watermark_after"`
	SpanTokenCountIn  int     `json:"span_token_count_in"`
	SpanTokenCountOut int     `json:"span_token_count_out"`
	CacheHit          bool    `json:"cache_hit"`
	CostUSD           *string `json:"cost_usd"`
	FailureMode       string  `json:"failure_mode"`
	ErrorMessage      string  `json:"error_message"`
}

func (p passRow) line() string {
	s := fmt.Sprintf("%s %s (%s): watermark %d -> %d, %d tokens -> %d, %s", p.Kind, p.Outcome, p.Trigger,
		p.WatermarkBefore, p.WatermarkAfter, p.SpanTokenCountIn, p.SpanTokenCountOut, dollars(p.CostUSD))
	if p.CacheHit {
		s += ", from the summary cache"
	}
	if p.FailureMode != "" {
		s += strings.TrimRight(", "+p.FailureMode+": "+p.ErrorMessage, ": ")
	}
	return s
}

// postureRow is the posture record (spec 6.6).
type postureRow struct {
	SessionID         string    `json:"session_id"`
	State             string    `json:"state"`
	Reason            string    `json:"reason"`
	Version           int64     `json:"version"`
	Watermark         int64     `json:"watermark"`
	Messages          int64     `json:"messages"`
	UsedTokens        int       `json:"used_tokens"`
	WindowTokens      int       `json:"window_tokens"`
	Estimated         bool      `json:"estimated"`
	PrefixTokens      int       `json:"prefix_tokens"`
	SummaryTokens     int       `json:"summary_tokens"`
	PendingTokens     int       `json:"pending_tokens"`
	TailTokens        int       `json:"tail_tokens"`
	ThresholdTokens   int       `json:"threshold_tokens"`
	HardCapTokens     int       `json:"hard_cap_tokens"`
	ElidedResults     int       `json:"elided_results"`
	SummaryLink       string    `json:"summary_link"`
	CompactionCostUSD string    `json:"compaction_cost_usd"`
	CompactionBudget  string    `json:"compaction_budget_usd"`
	SessionCostUSD    *string   `json:"session_cost_usd"`
	Recent            []passRow `json:"recent"`
}

// printPosture writes the record for people, in the words that every other surface uses.
func printPosture(w io.Writer, raw json.RawMessage) error {
	var p postureRow
	if err := json.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("the posture record is not as expected: %w", err)
	}
	measured := "measured"
	if p.Estimated {
		measured = "estimated"
	}
	rows := [][]any{
		{"posture", p.State + " (" + p.Reason + ")"},
		{"context", fmt.Sprintf("%d of %d tokens, %s", p.UsedTokens, p.WindowTokens, measured)},
		{"made of", fmt.Sprintf("prefix %d, summaries %d, pending %d, tail %d", p.PrefixTokens, p.SummaryTokens, p.PendingTokens, p.TailTokens)},
		{"triggers", fmt.Sprintf("threshold %d, hard cap %d pending tokens", p.ThresholdTokens, p.HardCapTokens)},
		{"watermark", fmt.Sprintf("%d of %d messages, version %d", p.Watermark, p.Messages, p.Version)},
		{"links", fmt.Sprintf("summary %s, %d results elided", p.SummaryLink, p.ElidedResults)},
		{"spend", fmt.Sprintf("session %s, of it compaction $%s of a budget of $%s", dollars(p.SessionCostUSD), p.CompactionCostUSD, p.CompactionBudget)},
	}
	for _, pass := range p.Recent {
		rows = append(rows, []any{"pass", pass.line()})
	}
	return table(w, "session\t"+oneLine(p.SessionID), rows)
}
