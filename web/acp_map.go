package web

import (
	"encoding/json"
	"time"

	"tidemark/internal/acp"
	"tidemark/internal/event"
)

// mapper turns stream rows into frames: the only mapping of events to the wire. What it returns depends on the row and
// the client's capabilities alone (and on the list of models, fixed for the life of the process), so that live, resume
// and a second socket give equal bytes.
type mapper struct {
	models []string
}

// stampForm keeps milliseconds: a row read back from the store has no more.
const stampForm = "2006-01-02T15:04:05.000Z07:00"

// rowFrame is the frame of a row. shown is false when the client lacks a capability for it: then the frame is a
// keepalive with its number, or nil for a client that does not know our extension.
func (m mapper) rowFrame(row event.StreamRow, caps acp.Capabilities) (frame []byte, shown bool) {
	var meta acp.Meta
	if caps.Ext {
		meta = rowMeta(row)
	}
	if row.Kind == event.StreamTurn {
		return turnFrame(row, meta, caps)
	}
	update := m.update(row, caps)
	if update == nil {
		return keepaliveFrame(row, caps), false
	}
	return encode(acp.MethodUpdate, acp.SessionNotification{SessionID: row.SessionID, Update: update, Meta: meta}), true
}

// rowMeta numbers a row (protocol section 2).
func rowMeta(row event.StreamRow) acp.Meta {
	meta := acp.Meta{}.With(acp.MetaSeq, row.Seq).With(acp.MetaEpoch, row.Epoch).
		With(acp.MetaTS, row.At.UTC().Truncate(time.Millisecond).Format(stampForm))
	if row.TurnID != "" {
		meta = meta.With(acp.MetaTurn, row.TurnID)
	}
	return meta
}

// encode makes a notification; our own types always have a JSON form.
func encode(method string, params any) []byte {
	frame, err := acp.EncodeNotification(method, params)
	if err != nil {
		panic("web: encode " + method + ": " + err.Error())
	}
	return frame
}

func keepaliveFrame(row event.StreamRow, caps acp.Capabilities) []byte {
	if !caps.Ext {
		return nil
	}
	return encode(acp.MethodExtKeepalive, acp.KeepaliveNotification{SessionID: row.SessionID, Seq: int64(row.Seq)})
}

func turnFrame(row event.StreamRow, meta acp.Meta, caps acp.Capabilities) ([]byte, bool) {
	p, ok := payload[event.TurnMark](row)
	if !ok || !caps.Ext {
		return keepaliveFrame(row, caps), false
	}
	return encode(acp.MethodExtTurn, acp.TurnNotification{
		SessionID: row.SessionID, State: p.State, StopReason: p.StopReason, Meta: meta,
	}), true
}

// tickFrame is an ephemeral gauge: no number, and its meta says so.
func tickFrame(t event.Tick, caps acp.Capabilities) []byte {
	update := usageUpdate(t.Gauge, caps)
	if update == nil {
		return nil
	}
	var meta acp.Meta
	if caps.Ext {
		meta = acp.Meta{}.With(acp.MetaEphemeral, true)
		if t.TurnID != "" {
			meta = meta.With(acp.MetaTurn, t.TurnID)
		}
	}
	return encode(acp.MethodUpdate, acp.SessionNotification{SessionID: t.SessionID, Update: update, Meta: meta})
}

// payload decodes a row's payload. One that cannot be read is passed over like one that may not be shown: a client must
// not be cut off from a session by one bad row.
func payload[T any](row event.StreamRow) (T, bool) {
	var p T
	err := json.Unmarshal(row.Payload, &p)
	return p, err == nil
}

// update is the session update of a row; nil when the client is not shown it.
func (m mapper) update(row event.StreamRow, caps acp.Capabilities) acp.SessionUpdate {
	switch row.Kind {
	case event.StreamUserMessage:
		return userChunk(row)
	case event.StreamText:
		return textChunk(row, acp.UpdateAgentMessage)
	case event.StreamThought:
		return textChunk(row, acp.UpdateAgentThought)
	case event.StreamToolCall:
		return toolCall(row)
	case event.StreamToolUpdate:
		return toolUpdate(row, caps)
	case event.StreamUsage:
		return usageRow(row, caps)
	case event.StreamCompaction:
		return compactionRow(row, caps)
	case event.StreamSummaryChunk:
		return summaryChunk(row, caps)
	case event.StreamCommands:
		return acp.CommandsUpdate{SessionUpdate: acp.UpdateCommands, AvailableCommands: commands}
	case event.StreamConfigOptions:
		return m.configRow(row)
	case event.StreamInfo:
		return infoRow(row)
	}
	return nil
}

func infoRow(row event.StreamRow) acp.SessionUpdate {
	p, ok := payload[event.Info](row)
	if !ok {
		return nil
	}
	return acp.SessionInfoUpdate{SessionUpdate: acp.UpdateSessionInfo, Title: p.Title}
}

func (m mapper) configRow(row event.StreamRow) acp.SessionUpdate {
	p, ok := payload[event.ConfigOptions](row)
	if !ok {
		return nil
	}
	return acp.ConfigOptionUpdate{SessionUpdate: acp.UpdateConfigOptions, ConfigOptions: m.options(p.Model, p.CompactionMode)}
}

// options are the two configuration options with their current values.
func (m mapper) options(model, mode string) []acp.ConfigOption {
	return []acp.ConfigOption{acp.ModelOption(model, m.models), acp.CompactionModeOption(mode)}
}
