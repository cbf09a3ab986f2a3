package web

import (
	"bytes"
	"encoding/json"

	"tidemark/internal/acp"
	"tidemark/internal/event"
	"tidemark/internal/message"
)

func userChunk(row event.StreamRow) acp.SessionUpdate {
	p, ok := payload[event.UserMessage](row)
	if !ok {
		return nil
	}
	blocks := contentOf(decodeBlocks(p.Block))
	if len(blocks) == 0 {
		return nil
	}
	return acp.ContentChunk{SessionUpdate: acp.UpdateUserMessage, MessageID: p.MessageID, Content: blocks[0]}
}

func textChunk(row event.StreamRow, kind acp.UpdateKind) acp.SessionUpdate {
	p, ok := payload[event.Text](row)
	if !ok {
		return nil
	}
	return acp.ContentChunk{SessionUpdate: kind, MessageID: p.MessageID, Content: acp.TextBlock(p.Text)}
}

func toolCall(row event.StreamRow) acp.SessionUpdate {
	p, ok := payload[event.ToolCall](row)
	if !ok {
		return nil
	}
	title := p.Title
	if title == "" {
		title = p.Name
	}
	return acp.ToolCallUpdate{
		SessionUpdate: acp.UpdateToolCall, ToolCallID: p.CallID, Title: title, Name: p.Name,
		Status: acp.ToolStatus(p.Status), RawInput: p.Input,
	}
}

func toolUpdate(row event.StreamRow, caps acp.Capabilities) acp.SessionUpdate {
	p, ok := payload[event.ToolUpdate](row)
	if !ok {
		return nil
	}
	u := acp.ToolCallUpdate{
		SessionUpdate: acp.UpdateToolCallUpdate, ToolCallID: p.CallID, Status: acp.ToolStatus(p.Status), RawInput: p.Input,
		Content: toolContent(decodeBlocks(p.Content)),
	}
	if p.Cancelled && caps.Ext {
		u.Meta = acp.Meta{}.With(acp.MetaCancelled, true)
	}
	return u
}

func usageRow(row event.StreamRow, caps acp.Capabilities) acp.SessionUpdate {
	p, ok := payload[event.Gauge](row)
	if !ok {
		return nil
	}
	return usageUpdate(p, caps)
}

// usageUpdate is sent only when window and used are known; a change of posture is sent in any case, with a size of 0
// when that is unknown (protocol section 2).
func usageUpdate(g event.Gauge, caps acp.Capabilities) acp.SessionUpdate {
	known := g.Used > 0 && g.Window > 0
	if !known && (g.Posture == nil || !caps.Ext) {
		return nil
	}
	u := acp.UsageUpdate{SessionUpdate: acp.UpdateUsage, Used: g.Used, Size: g.Window}
	if g.CostUSD != "" {
		u.Cost = &acp.Cost{Amount: json.Number(g.CostUSD), Currency: "USD"}
	}
	if caps.Ext {
		u.Meta = usageMeta(g)
	}
	return u
}

func usageMeta(g event.Gauge) acp.Meta {
	var meta acp.Meta
	if g.CostUSD != "" {
		meta = meta.With(acp.MetaCostUSD, g.CostUSD)
	}
	if g.Estimated {
		meta = meta.With(acp.MetaEstimated, true)
	}
	if g.Posture != nil {
		meta = meta.With(acp.MetaPosture, acp.Posture{State: g.Posture.State, Reason: g.Posture.Reason})
	}
	return meta
}

func compactionRow(row event.StreamRow, caps acp.Capabilities) acp.SessionUpdate {
	p, ok := payload[event.Compaction](row)
	if !ok || !caps.Compaction {
		return nil
	}
	return compactionUpdate(p, caps)
}

// compactionUpdate shows a compaction. A failed or cancelled one clears what was streamed of its text, so that nobody
// reads a summary that was never used (protocol section 3, "Turn").
func compactionUpdate(p event.Compaction, caps acp.Capabilities) acp.CompactionUpdate {
	u := acp.CompactionUpdate{
		SessionUpdate: acp.UpdateCompaction, CompactionID: p.CompactionID, Status: acp.CompactionStatus(p.Status),
	}
	switch failed := u.Status == acp.CompactionFailed || u.Status == acp.CompactionCancelled; {
	case failed && (p.Summary == nil || *p.Summary == ""):
		u.Summary = &[]acp.ContentBlock{}
	case p.Summary != nil:
		u.Summary = &[]acp.ContentBlock{acp.TextBlock(*p.Summary)}
	}
	if u.Status == acp.CompactionFailed {
		u.Error = compactionError(p.Record)
	}
	if caps.Ext {
		u.Meta = acp.Meta{acp.MetaCompaction: p.Record}
	}
	return u
}

// compactionError says in words why a compaction failed; the record has been redacted.
func compactionError(record json.RawMessage) string {
	var r struct {
		Mode    string `json:"failure_mode"`
		Message string `json:"error_message"`
	}
	_ = json.Unmarshal(record, &r)
	switch {
	case r.Message == "":
		return r.Mode
	case r.Mode == "":
		return r.Message
	}
	return r.Mode + ": " + r.Message
}

func summaryChunk(row event.StreamRow, caps acp.Capabilities) acp.SessionUpdate {
	p, ok := payload[event.SummaryChunk](row)
	if !ok || !caps.Compaction {
		return nil
	}
	return acp.CompactionSummaryChunk{
		SessionUpdate: acp.UpdateCompactionSummary, CompactionID: p.CompactionID, Content: acp.TextBlock(p.Text),
	}
}

// decodeBlocks reads one block or a list of spec 3.1.
func decodeBlocks(raw json.RawMessage) message.Blocks {
	if len(raw) > 0 && raw[0] == '{' {
		raw = bytes.Join([][]byte{{'['}, raw, {']'}}, nil)
	}
	var blocks message.Blocks
	if len(raw) == 0 || json.Unmarshal(raw, &blocks) != nil {
		return nil
	}
	return blocks
}

// contentOf are the blocks that clients are shown as content: text and images.
func contentOf(blocks message.Blocks) []acp.ContentBlock {
	var out []acp.ContentBlock
	for _, b := range blocks {
		switch b := b.(type) {
		case message.Text:
			out = append(out, acp.TextBlock(b.Text))
		case message.Image:
			out = append(out, acp.ImageBlock(b.MediaType, b.Data))
		}
	}
	return out
}

func toolContent(blocks message.Blocks) []acp.ToolContent {
	var out []acp.ToolContent
	for _, b := range contentOf(blocks) {
		out = append(out, acp.NewToolContent(b))
	}
	return out
}
