package web

import (
	"context"

	"tidemark/internal/acp"
	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// historyPage is how many transcript rows one read takes.
const historyPage = 256

// sendHistory shows a session up to a moment, between marks (protocol section 3, "Resume").
func (c *wsConn) sendHistory(ctx context.Context, m moment) error {
	h := &history{c: c, ctx: ctx, id: m.rec.ID, caps: c.capabilities()}
	h.mark(acp.HistoryBegin)
	if m.rec.Posture.State == compaction.StateSummaryLinkBroken {
		h.gauge() // told before any compaction or chunk (spec 6.8)
	}
	if m.rec.Title != "" {
		h.show(acp.SessionInfoUpdate{SessionUpdate: acp.UpdateSessionInfo, Title: m.rec.Title})
	}
	if h.caps.Compaction {
		h.passes, h.err = c.s.allPasses(ctx, m.rec.ID)
	}
	h.transcript(m.rec.NextSeq)
	h.unfinished(m)
	h.show(commandsUpdate())
	h.gauge()
	h.mark(acp.HistoryEnd)
	return h.err
}

// history sends one entry per message, tool call and compaction, each at its place. After an error it sends nothing.
type history struct {
	c      *wsConn
	ctx    context.Context
	id     session.ID
	caps   acp.Capabilities
	passes []compaction.Pass // still to show, oldest first
	err    error
}

func (h *history) push(frame []byte) {
	if h.err == nil {
		h.err = h.c.out.pushWait(h.ctx, frame)
	}
}

func (h *history) mark(mark string) {
	if h.caps.Ext {
		h.push(encode(acp.MethodExtHistory, acp.HistoryNotification{SessionID: h.id, Mark: mark}))
	}
}

func (h *history) show(u acp.SessionUpdate) {
	h.push(replayedFrame(h.id, u, h.caps))
}

// replayedFrame is an update that is no stream row: it has no number and says so.
func replayedFrame(id session.ID, u acp.SessionUpdate, caps acp.Capabilities) []byte {
	n := acp.SessionNotification{SessionID: id, Update: u}
	if caps.Ext {
		n.Meta = acp.Meta{}.With(acp.MetaReplayed, true)
	}
	return encode(acp.MethodUpdate, n)
}

// transcript shows the rows before end. A row waits for the next one, which holds the results of its calls.
func (h *history) transcript(end message.Seq) {
	var held *message.Message
	for at := message.Seq(-1); h.err == nil; {
		rows, err := h.c.s.Reader.Messages(h.ctx, h.id, at, historyPage)
		if err != nil {
			h.err = err
			return
		}
		for i := range rows {
			if rows[i].Seq >= end {
				rows = rows[:i]
				break
			}
			if held != nil {
				h.message(*held, rows[i].ToolResults())
			}
			held = &rows[i]
		}
		if len(rows) < historyPage {
			break
		}
		at = rows[len(rows)-1].Seq
	}
	if held != nil {
		h.message(*held, nil)
	}
	h.passesBefore(nil)
}

// message shows a row, and before it the compactions that are older. Rows that the server wrote only to keep the
// transcript valid are not shown: no client ever saw them (spec 3.4).
func (h *history) message(m message.Message, results []message.ToolResult) {
	h.passesBefore(&m)
	if m.Synthetic {
		return
	}
	id := session.MessageID(h.id, m.Seq)
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case message.Text, message.Image:
			h.show(acp.ContentChunk{SessionUpdate: chunkOf(m.Role), MessageID: id, Content: contentOf(message.Blocks{b})[0]})
		case message.Thinking:
			if b.Thinking != "" {
				h.show(acp.ContentChunk{SessionUpdate: acp.UpdateAgentThought, MessageID: id, Content: acp.TextBlock(b.Thinking)})
			}
		case message.ToolUse:
			h.show(replayedCall(b, results))
		}
	}
}

func chunkOf(r message.Role) acp.UpdateKind {
	if r == message.RoleUser {
		return acp.UpdateUserMessage
	}
	return acp.UpdateAgentMessage
}

// replayedCall is a call with its result; without one it still runs.
func replayedCall(u message.ToolUse, results []message.ToolResult) acp.ToolCallUpdate {
	out := acp.ToolCallUpdate{
		SessionUpdate: acp.UpdateToolCall, ToolCallID: u.ID, Title: u.Name, Name: u.Name, Status: acp.ToolInProgress,
		RawInput: u.Input,
	}
	for _, r := range results {
		if r.ToolUseID == u.ID {
			out.Status, out.Content = acp.ToolCompleted, toolContent(r.Content)
			if r.IsError {
				out.Status = acp.ToolFailed
			}
		}
	}
	return out
}

// unfinished shows the message that is being written, as far as it is.
func (h *history) unfinished(m moment) {
	if m.thought != "" {
		h.show(acp.ContentChunk{SessionUpdate: acp.UpdateAgentThought, MessageID: m.messageID, Content: acp.TextBlock(m.thought)})
	}
	if m.text != "" {
		h.show(acp.ContentChunk{SessionUpdate: acp.UpdateAgentMessage, MessageID: m.messageID, Content: acp.TextBlock(m.text)})
	}
}

// passesBefore shows the compactions that began before a row was stored; nil = all that are left.
func (h *history) passesBefore(m *message.Message) {
	for len(h.passes) > 0 && h.err == nil && (m == nil || h.passes[0].CreatedAt.Before(m.CreatedAt)) {
		h.pass(h.passes[0])
		h.passes = h.passes[1:]
	}
}

// pass shows a compaction as it stands, with the text that took the span's place.
func (h *history) pass(p compaction.Pass) {
	raw, err := acp.Marshal(p)
	if err != nil {
		h.err = err
		return
	}
	shown := event.Compaction{CompactionID: p.ID, Status: statusOf(p.Outcome), Record: raw}
	if p.Applied() {
		if sum, err := h.c.s.Reader.Summary(h.ctx, h.id, p.ID); err == nil && sum.Text != "" {
			shown.Summary = &sum.Text // an elision has none, and a broken link is told by the posture
		}
	}
	h.show(compactionUpdate(shown, h.caps))
}

// statusOf is an outcome as clients see it: an undone pass did complete.
func statusOf(o compaction.Outcome) string {
	switch o {
	case compaction.OutcomeOpen:
		return string(acp.CompactionInProgress)
	case compaction.OutcomeUndone:
		return string(acp.CompactionCompleted)
	}
	return string(o)
}

// allPasses reads every compaction of a session, oldest first.
func (s *Server) allPasses(ctx context.Context, id session.ID) ([]compaction.Pass, error) {
	var out []compaction.Pass
	for cursor := ""; ; {
		page, err := s.Reader.Passes(ctx, id, cursor, historyPage)
		if err != nil {
			return nil, err
		}
		out = append(out, page.Items...)
		if cursor = page.Next; cursor == "" {
			return out, nil
		}
	}
}

// gauge shows the gauge as the session's live clients have it: an estimate right after a pass, not what was measured
// before it.
func (h *history) gauge() {
	if h.err != nil {
		return
	}
	st, err := h.c.s.Sessions.Status(h.ctx, h.id)
	if err != nil {
		h.err = err
		return
	}
	if u := usageUpdate(gaugeOf(st), h.caps); u != nil {
		h.show(u)
	}
}

// gaugeOf is the gauge of a session's status.
func gaugeOf(st session.Status) event.Gauge {
	p := st.Posture
	return event.Gauge{
		Used: p.UsedTokens, Window: p.WindowTokens, CostUSD: st.Record.ExactCost(), Estimated: p.Estimated,
		Posture: &event.Posture{State: string(p.State), Reason: string(p.Reason)},
	}
}
