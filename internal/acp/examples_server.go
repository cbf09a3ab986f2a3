package acp

import "encoding/json"

func exampleMeta(seq int) Meta {
	return Meta{}.With(MetaSeq, seq).With(MetaEpoch, "e1").With(MetaTS, "2026-11-30T12:00:00.000Z").With(MetaTurn, exTurn)
}

// exampleUpdates are one or more of each kind.
func exampleUpdates() []Example {
	record := json.RawMessage(`{"id":"` + exCompaction + `","trigger":"threshold"}`)
	empty, text := []ContentBlock{}, []ContentBlock{TextBlock("The user wants the build fixed.")}
	updates := []SessionUpdate{
		ContentChunk{SessionUpdate: UpdateUserMessage, MessageID: exSession + ".3", Content: TextBlock("Why does the build fail?")},
		ContentChunk{SessionUpdate: UpdateUserMessage, MessageID: exSession + ".3", Content: ImageBlock("image/png", "aGk=")},
		ContentChunk{SessionUpdate: UpdateAgentThought, MessageID: exMessage, Content: TextBlock("Look at the log first.")},
		ContentChunk{SessionUpdate: UpdateAgentMessage, MessageID: exMessage, Content: TextBlock("")},
		ToolCallUpdate{
			SessionUpdate: UpdateToolCall, ToolCallID: exCall, Title: "lookup", Name: "lookup", Status: ToolPending,
			RawInput: json.RawMessage(`{"word":"tide"}`),
		},
		ToolCallUpdate{
			SessionUpdate: UpdateToolCallUpdate, ToolCallID: exCall, Status: ToolFailed,
			Content: []ToolContent{NewToolContent(TextBlock("interrupted"))}, Meta: Meta{}.With(MetaCancelled, true),
		},
		UsageUpdate{
			SessionUpdate: UpdateUsage, Used: 52000, Size: 200000, Cost: &Cost{Amount: "0.0421", Currency: "USD"},
			Meta: Meta{}.With(MetaCostUSD, "0.0421").With(MetaEstimated, true).With(MetaPosture, Posture{"idle", "prepared"}),
		},
		CompactionUpdate{
			SessionUpdate: UpdateCompaction, CompactionID: exCompaction, Status: CompactionInProgress,
			Meta: Meta{MetaCompaction: record},
		},
		CompactionSummaryChunk{SessionUpdate: UpdateCompactionSummary, CompactionID: exCompaction, Content: TextBlock("The user")},
		CompactionUpdate{SessionUpdate: UpdateCompaction, CompactionID: exCompaction, Status: CompactionCompleted, Summary: &text},
		CompactionUpdate{
			SessionUpdate: UpdateCompaction, CompactionID: exCompaction, Status: CompactionFailed, Summary: &empty,
			Error: "adapter_error",
		},
		CommandsUpdate{SessionUpdate: UpdateCommands, AvailableCommands: []Command{
			{Name: "cost", Description: "What this session cost"},
			{Name: "compact", Description: "Compact now", Input: &CommandInput{Hint: "focus"}},
		}},
		ConfigOptionUpdate{SessionUpdate: UpdateConfigOptions, ConfigOptions: exampleOptions()},
		SessionInfoUpdate{SessionUpdate: UpdateSessionInfo, Title: "Fix the build"},
	}
	out := make([]Example, len(updates))
	for i, u := range updates {
		out[i] = Example{string(u.updateKind()), SessionNotification{exSession, u, exampleMeta(i + 1)}, nil}
	}
	return out
}

func examplePermission() []Example {
	return []Example{
		{
			"allowed",
			RequestPermissionRequest{
				SessionID: exSession, Options: PermissionOptions(),
				ToolCall: ToolCallUpdate{ToolCallID: exCall, Title: "write /home/me/a.txt", Status: ToolPending},
			},
			RequestPermissionResponse{Outcome: PermissionOutcome{OutcomeSelected, AllowOnce}},
		},
		{
			"cancelled",
			RequestPermissionRequest{SessionID: exSession, Options: PermissionOptions(), ToolCall: ToolCallUpdate{ToolCallID: exCall}},
			RequestPermissionResponse{Outcome: PermissionOutcome{Outcome: OutcomeCancelled}},
		},
	}
}

func exampleRead() []Example {
	line := 1
	return one(ReadTextFileRequest{SessionID: exSession, Path: "/home/me/a.txt", Line: &line}, ReadTextFileResponse{Content: "hi\n"})
}

func exampleWrite() []Example {
	return one(WriteTextFileRequest{SessionID: exSession, Path: "/home/me/a.txt", Content: "hi\n"}, Empty{})
}

func exampleToolCall() []Example {
	return one(ToolCallRequest{exSession, exCall, "lookup", json.RawMessage(`{"word":"tide"}`)},
		ToolCallResponse{Content: RawBlocks(`[{"type":"text","text":"the rise of the sea"}]`)})
}

func exampleTurn() []Example {
	return []Example{
		{"started", TurnNotification{SessionID: exSession, State: "started", Meta: exampleMeta(1)}, nil},
		{"ended", TurnNotification{SessionID: exSession, State: "ended", StopReason: string(StopEndTurn), Meta: exampleMeta(20)}, nil},
	}
}

func exampleHistory() []Example {
	return one(HistoryNotification{exSession, HistoryBegin}, nil)
}

func exampleKeepalive() []Example {
	return one(KeepaliveNotification{exSession, 12}, nil)
}
