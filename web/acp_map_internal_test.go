package web

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/internal/event"
)

var (
	full    = acp.Capabilities{Ext: true, Compaction: true}
	extOnly = acp.Capabilities{Ext: true}
	plain   = acp.Capabilities{}
)

const rowMetaJSON = `,"_meta":{"tidemark/epoch":"e1","tidemark/seq":7,"tidemark/ts":"2026-11-30T12:00:00.123Z","tidemark/turn":"T"}}}`

// mapCases are one or more rows of each kind and what a client that knows everything is sent for them.
var mapCases = []struct {
	name    string
	kind    event.StreamKind
	payload string
	update  string // with all capabilities; "" = hidden
	ext     bool   // shown without session.compaction
	plain   bool   // shown to a client that knows no extension
}{
	{"user text", event.StreamUserMessage, `{"message_id":"m","block":{"type":"text","text":"<hi>"}}`,
		`{"sessionUpdate":"user_message_chunk","messageId":"m","content":{"type":"text","text":"<hi>"}}`, true, true},
	{"user block in a list", event.StreamUserMessage, `{"message_id":"m","block":[{"type":"image","media_type":"image/png","data":"aGk="}]}`,
		`{"sessionUpdate":"user_message_chunk","messageId":"m","content":{"type":"image","data":"aGk=","mimeType":"image/png"}}`, true, true},
	{"text", event.StreamText, `{"message_id":"m","text":""}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":""}}`, true, true},
	{"thought", event.StreamThought, `{"message_id":"m","text":"hm"}`,
		`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"text","text":"hm"}}`, true, true},
	{"call", event.StreamToolCall, `{"call_id":"c","name":"n","title":"","status":"pending","input":{"b":1,"a":2}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"n","name":"n","status":"pending","rawInput":{"b":1,"a":2}}`, true, true},
	{"result", event.StreamToolUpdate, `{"call_id":"c","status":"completed","content":[{"type":"text","text":"r"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"r"}}]}`, true, true},
	{"cancelled call", event.StreamToolUpdate, `{"call_id":"c","status":"failed","cancelled":true}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","_meta":{"tidemark/cancelled":true}}`, true, true},
	{"gauge", event.StreamUsage, `{"used":10,"window":100,"cost_usd":"0.000000000001","estimated":true}`,
		`{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":0.000000000001,"currency":"USD"},"_meta":{"tidemark/costUsd":"0.000000000001","tidemark/estimated":true}}`, true, true},
	{"gauge of an unknown window", event.StreamUsage, `{"used":10,"window":0,"cost_usd":"1"}`, "", false, false},
	{"posture of an unknown window", event.StreamUsage, `{"used":0,"window":0,"cost_usd":"","posture":{"state":"unavailable","reason":"window_unknown"}}`,
		`{"sessionUpdate":"usage_update","used":0,"size":0,"_meta":{"tidemark/posture":{"state":"unavailable","reason":"window_unknown"}}}`, true, false},
	{"pass begins", event.StreamCompaction, `{"compaction_id":"p","status":"in_progress","record":{"id":"p"}}`,
		`{"sessionUpdate":"compaction_update","compactionId":"p","status":"in_progress","_meta":{"tidemark/compaction":{"id":"p"}}}`, false, false},
	{"pass completes", event.StreamCompaction, `{"compaction_id":"p","status":"completed","summary":"s","record":{"id":"p"}}`,
		`{"sessionUpdate":"compaction_update","compactionId":"p","status":"completed","summary":[{"type":"text","text":"s"}],"_meta":{"tidemark/compaction":{"id":"p"}}}`, false, false},
	{"pass fails", event.StreamCompaction, `{"compaction_id":"p","status":"failed","record":{"failure_mode":"adapter_error","error_message":"no"}}`,
		`{"sessionUpdate":"compaction_update","compactionId":"p","status":"failed","summary":[],"error":"adapter_error: no","_meta":{"tidemark/compaction":{"failure_mode":"adapter_error","error_message":"no"}}}`, false, false},
	{"pass is cancelled", event.StreamCompaction, `{"compaction_id":"p","status":"cancelled","record":{}}`,
		`{"sessionUpdate":"compaction_update","compactionId":"p","status":"cancelled","summary":[],"_meta":{"tidemark/compaction":{}}}`, false, false},
	{"pass is cancelled, its text cleared", event.StreamCompaction, `{"compaction_id":"p","status":"cancelled","summary":"","record":{}}`,
		`{"sessionUpdate":"compaction_update","compactionId":"p","status":"cancelled","summary":[],"_meta":{"tidemark/compaction":{}}}`, false, false},
	{"truncation", event.StreamCompaction, `{"compaction_id":"p","status":"failed","summary":"left out","record":{"failure_mode":"validation_failed"}}`,
		`{"sessionUpdate":"compaction_update","compactionId":"p","status":"failed","summary":[{"type":"text","text":"left out"}],"error":"validation_failed","_meta":{"tidemark/compaction":{"failure_mode":"validation_failed"}}}`, false, false},
	{"summary chunk", event.StreamSummaryChunk, `{"compaction_id":"p","text":"s"}`,
		`{"sessionUpdate":"compaction_summary_chunk","compactionId":"p","content":{"type":"text","text":"s"}}`, false, false},
	{"title", event.StreamInfo, `{"title":"t"}`, `{"sessionUpdate":"session_info_update","title":"t"}`, true, true},
	{"unreadable", event.StreamText, `{"message_id":7}`, "", false, false},
	{"unknown kind", event.StreamKind("novel"), `{}`, "", false, false},
}

func mapRow(kind event.StreamKind, payload string) event.StreamRow {
	return event.StreamRow{
		SessionID: "S", Seq: 7, Epoch: "e1", Kind: kind, TurnID: "T", Payload: json.RawMessage(payload),
		At: time.Date(2026, 11, 30, 13, 0, 0, 123_456_789, time.FixedZone("", 3600)),
	}
}

func TestMap_ExactFrames(t *testing.T) {
	schema := acptest.LoadSchema(t)
	m := mapper{models: []string{"sim:assistant"}}
	for _, tc := range mapCases {
		t.Run(tc.name, func(t *testing.T) {
			row := mapRow(tc.kind, tc.payload)
			frame, shown := m.rowFrame(row, full)
			if tc.update == "" {
				require.False(t, shown)
				require.Equal(t, `{"jsonrpc":"2.0","method":"_tidemark/keepalive","params":{"sessionId":"S","seq":7}}`, string(frame))
				return
			}
			require.True(t, shown)
			require.Equal(t, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":`+tc.update+rowMetaJSON, string(frame))
			for caps, want := range map[acp.Capabilities]bool{extOnly: tc.ext, plain: tc.plain} {
				frame, shown := m.rowFrame(row, caps)
				require.Equal(t, want, shown, "%+v", caps)
				require.Equal(t, want || caps.Ext, frame != nil, "hidden without a trace from a plain client alone")
			}
			for _, caps := range []acp.Capabilities{full, extOnly, plain} {
				if frame, _ := m.rowFrame(row, caps); frame != nil {
					env, bad := acp.Decode(frame)
					require.Nil(t, bad)
					require.NoError(t, schema.Call(env.Method, env.Params), string(frame))
				}
			}
		})
	}
}

// The frame depends on the row and the capabilities alone: a row that was stored and read back, with other white space
// and a time of more digits, gives the same bytes as the live one.
func TestMap_IsPure(t *testing.T) {
	m := mapper{models: []string{"a", "b"}}
	for _, tc := range mapCases {
		live := mapRow(tc.kind, tc.payload)
		stored := live
		stored.At = live.At.UTC().Truncate(time.Millisecond)
		var spaced bytes.Buffer
		require.NoError(t, json.Indent(&spaced, live.Payload, "", "  "))
		stored.Payload = spaced.Bytes()
		for _, caps := range []acp.Capabilities{full, extOnly, plain} {
			a, _ := m.rowFrame(live, caps)
			b, _ := m.rowFrame(stored, caps)
			require.Equal(t, string(a), string(b), tc.name)
		}
	}
}

func TestMap_TurnsAndLists(t *testing.T) {
	m := mapper{models: []string{"sim:assistant"}}
	frame, shown := m.rowFrame(mapRow(event.StreamTurn, `{"state":"ended","stop_reason":"end_turn"}`), full)
	require.True(t, shown)
	require.Equal(t, `{"jsonrpc":"2.0","method":"_tidemark/turn","params":{"sessionId":"S","state":"ended","stopReason":"end_turn"`+rowMetaJSON, string(frame))
	frame, _ = m.rowFrame(mapRow(event.StreamTurn, `{"state":"started"}`), plain)
	require.Nil(t, frame)

	frame, _ = m.rowFrame(mapRow(event.StreamCommands, `null`), plain)
	for _, c := range commands {
		require.Contains(t, string(frame), `"name":"`+c.Name+`"`)
	}
	frame, _ = m.rowFrame(mapRow(event.StreamConfigOptions, `{"model":"gone:model","compaction_mode":"semantic"}`), plain)
	require.Contains(t, string(frame), `"currentValue":"gone:model","options":[{"value":"sim:assistant","name":"sim:assistant"},{"value":"gone:model","name":"gone:model"}]`)
}
