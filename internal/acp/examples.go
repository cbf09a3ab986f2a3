package acp

import "encoding/json"

// Ids of the examples.
const (
	exSession    = "01JEXAMPLE0SESS10N00000000"
	exTurn       = "01JEXAMPLE0TURN00000000000"
	exCompaction = "01JEXAMPLE0PASS00000000000"
	exCall       = "call_1"
	exMessage    = exSession + ".4"
)

func one(params, result any) []Example { return []Example{{"", params, result}} }

func exampleInitialize() []Example {
	v := ProtocolVersion
	return one(
		InitializeRequest{
			ProtocolVersion: &v, ClientInfo: &Implementation{Name: "example", Version: "1.0.0"},
			ClientCapabilities: ClientCapabilities{
				FS:      FSCapabilities{ReadTextFile: true},
				Session: &ClientSessionCapabilities{Compaction: json.RawMessage(`{}`)},
				Meta:    Meta{}.With(MetaExt, Flag{}),
			},
		},
		InitializeResponse{
			ProtocolVersion: v, AgentInfo: Implementation{Name: "tidemark", Title: "Tidemark", Version: "1.0.0"},
			AuthMethods: []AuthMethod{{ID: "tidemark-key", Name: "API key"}},
			AgentCapabilities: AgentCapabilities{
				LoadSession: true, PromptCapabilities: PromptCapabilities{Image: true, EmbeddedContext: true},
				SessionCapabilities: SessionCapabilities{List: &Flag{}, Resume: &Flag{}, Close: &Flag{}, Delete: &Flag{}},
				Auth:                AgentAuth{Logout: &Flag{}},
				Meta: Meta{}.With(MetaExt, Ext{
					Version: ExtVersion, Seq: true, ResumeAfter: true, Idempotency: true, Tools: true, Budgets: true,
				}),
			},
		})
}

func exampleAuthenticate() []Example {
	return one(AuthenticateRequest{MethodID: "tidemark-key"}, Empty{})
}

func exampleEmpty() []Example { return one(Empty{}, Empty{}) }

func exampleSession() []Example { return one(SessionRequest{SessionID: exSession}, Empty{}) }

func exampleCancel() []Example { return one(SessionRequest{SessionID: exSession}, nil) }

func exampleOptions() []ConfigOption {
	return []ConfigOption{ModelOption("sim:assistant", []string{"sim:assistant", "sim:free"}), CompactionModeOption("two_phase")}
}

func exampleNew() []Example {
	config := SessionConfig{Model: "sim:assistant", Compaction: json.RawMessage(`{"threshold_tokens":30000}`)}
	tools := []ToolSpec{{"lookup", "Look a word up", json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}}}`)}}
	return one(
		NewSessionRequest{
			CWD: "/home/me/project", MCPServers: []json.RawMessage{},
			Meta: Meta{}.With(MetaConfig, config).With(MetaTools, tools),
		},
		NewSessionResponse{SessionID: exSession, ConfigOptions: exampleOptions(), Meta: Meta{}.With(MetaConfig, config)})
}

func exampleLoad() []Example {
	return one(
		LoadSessionRequest{SessionID: exSession, CWD: "/home/me/project", MCPServers: []json.RawMessage{}},
		LoadSessionResponse{ConfigOptions: exampleOptions(), Meta: Meta{}.With(MetaResume, Resume{
			ResumedFrom: 41, Head: 41, Epoch: "e1", Recovered: true, Turn: &ResumeTurn{ID: exTurn, State: "running"},
		})})
}

func exampleResume() []Example {
	return []Example{
		{
			"recovered",
			ResumeSessionRequest{SessionID: exSession, CWD: "/", Meta: Meta{}.With(MetaAfter, 17).With(MetaEpoch, "e1")},
			ResumeSessionResponse{ConfigOptions: exampleOptions(), Meta: Meta{}.With(MetaResume, Resume{
				ResumedFrom: 17, Head: 41, Epoch: "e1", Recovered: true,
			})},
		},
		{
			"too old",
			ResumeSessionRequest{SessionID: exSession, CWD: "/", Meta: Meta{}.With(MetaAfter, 3)},
			ResumeSessionResponse{ConfigOptions: exampleOptions(), Meta: Meta{}.With(MetaResume, Resume{ResumedFrom: 3, Head: 41, Epoch: "e1"})},
		},
	}
}

func exampleList() []Example {
	cwd := "/home/me/project"
	return one(ListSessionsRequest{CWD: &cwd}, ListSessionsResponse{
		Sessions: []SessionInfo{{SessionID: exSession, CWD: cwd, Title: "Fix the build", UpdatedAt: "2026-11-30T12:00:00Z"}},
	})
}

func exampleSetOption() []Example {
	return one(
		SetConfigOptionRequest{SessionID: exSession, ConfigID: OptionCompactionMode, Value: json.RawMessage(`"mechanical"`)},
		SetConfigOptionResponse{ConfigOptions: exampleOptions()})
}

func examplePrompt() []Example {
	cost := "0.00421"
	usage := TurnUsage{Input: 12, CacheRead: 8100, CacheWrite5m: 240, Output: 310, Steps: 2, CostUSD: &cost, CompactionCostUSD: "0.0011"}
	return []Example{
		{
			"turn",
			PromptRequest{
				SessionID: exSession, Prompt: []ContentBlock{TextBlock("Why does the build fail?")},
				Meta: Meta{}.With(MetaIdempotencyKey, "6f1c2d"),
			},
			PromptResponse{StopReason: StopEndTurn, Meta: Meta{}.With(MetaUsage, usage)},
		},
		{
			"recorded answers",
			PromptRequest{
				SessionID: exSession, Prompt: []ContentBlock{TextBlock("Hello")},
				Meta: Meta{}.With(MetaSim, Sim{Steps: []RawBlocks{RawBlocks(`[{"type":"text","text":"Hi."}]`)}}),
			},
			PromptResponse{StopReason: StopEndTurn},
		},
		{
			"command",
			PromptRequest{SessionID: exSession, Prompt: []ContentBlock{TextBlock("/cost")}},
			PromptResponse{StopReason: StopEndTurn},
		},
	}
}

func exampleCancelRequest() []Example {
	return one(CancelRequestNotification{RequestID: IntID(7)}, nil)
}

func exampleContext() []Example {
	return one(SessionRequest{SessionID: exSession}, Record(`{"session_id":"`+exSession+`","state":"idle","reason":"no_active_compaction"}`))
}

func exampleCompact() []Example {
	return one(CompactRequest{SessionID: exSession, Focus: "the failing test"},
		Record(`{"id":"`+exCompaction+`","session_id":"`+exSession+`","trigger":"manual","outcome":"completed"}`))
}
