package acp

import "reflect"

// Side says who sends a message.
type Side string

// Sides.
const (
	FromClient Side = "client"
	FromServer Side = "server"
	FromBoth   Side = "both"
)

// MethodSpec describes one method: its types and examples of both. Result is nil for a notification.
type MethodSpec struct {
	Method   string
	From     Side
	Summary  string
	Params   reflect.Type
	Result   reflect.Type
	Examples []Example
}

// Example is a test vector: params of a method and, of a request, a result.
type Example struct {
	Name   string
	Params any
	Result any
}

// Specs is the one table of all methods, in the order of a session's life. The document and the tests walk it.
func Specs() []MethodSpec {
	return []MethodSpec{
		request[InitializeRequest, InitializeResponse](MethodInitialize, FromClient, "Open the connection", exampleInitialize),
		request[AuthenticateRequest, Empty](MethodAuthenticate, FromClient, "Sign in again after a logout", exampleAuthenticate),
		request[Empty, Empty](MethodLogout, FromClient, "Let go of all sessions", exampleEmpty),
		request[NewSessionRequest, NewSessionResponse](MethodSessionNew, FromClient, "Make a session", exampleNew),
		request[LoadSessionRequest, LoadSessionResponse](MethodSessionLoad, FromClient, "Attach with history", exampleLoad),
		request[ResumeSessionRequest, ResumeSessionResponse](MethodSessionResume, FromClient, "Attach from a row on", exampleResume),
		request[ListSessionsRequest, ListSessionsResponse](MethodSessionList, FromClient, "List sessions", exampleList),
		request[SessionRequest, Empty](MethodSessionClose, FromClient, "Close a session", exampleSession),
		request[SessionRequest, Empty](MethodSessionDelete, FromClient, "Delete a session", exampleSession),
		request[SetConfigOptionRequest, SetConfigOptionResponse](MethodSetConfigOption, FromClient, "Change an option", exampleSetOption),
		request[PromptRequest, PromptResponse](MethodPrompt, FromClient, "Run a turn or a command", examplePrompt),
		notification[SessionRequest](MethodCancel, FromClient, "Cancel the running turn", exampleCancel),
		notification[CancelRequestNotification](MethodCancelRequest, FromBoth, "Withdraw a request", exampleCancelRequest),
		request[SessionRequest, Record](MethodExtContext, FromClient, "The posture record", exampleContext),
		request[CompactRequest, Record](MethodExtCompact, FromClient, "Compact now", exampleCompact),
		request[SessionRequest, Record](MethodExtUndo, FromClient, "Take back the newest compaction", exampleContext),
		notification[SessionNotification](MethodUpdate, FromServer, "One row of a session's stream", exampleUpdates),
		request[RequestPermissionRequest, RequestPermissionResponse](MethodRequestPermission, FromServer, "May this call run?", examplePermission),
		request[ReadTextFileRequest, ReadTextFileResponse](MethodReadTextFile, FromServer, "Read a client's file", exampleRead),
		request[WriteTextFileRequest, Empty](MethodWriteTextFile, FromServer, "Write a client's file", exampleWrite),
		request[ToolCallRequest, ToolCallResponse](MethodExtToolCall, FromServer, "Run a client's tool", exampleToolCall),
		notification[TurnNotification](MethodExtTurn, FromServer, "A turn begins or ends", exampleTurn),
		notification[HistoryNotification](MethodExtHistory, FromServer, "A history begins or ends", exampleHistory),
		notification[KeepaliveNotification](MethodExtKeepalive, FromServer, "A row that cannot be shown", exampleKeepalive),
	}
}

func request[P, R any](method string, from Side, summary string, examples func() []Example) MethodSpec {
	return MethodSpec{method, from, summary, reflect.TypeFor[P](), reflect.TypeFor[R](), examples()}
}

func notification[P any](method string, from Side, summary string, examples func() []Example) MethodSpec {
	return MethodSpec{method, from, summary, reflect.TypeFor[P](), nil, examples()}
}

// Updates lists one empty value of each session update.
func Updates() []SessionUpdate {
	return []SessionUpdate{
		ContentChunk{}, ToolCallUpdate{}, UsageUpdate{}, CompactionUpdate{}, CompactionSummaryChunk{}, CommandsUpdate{},
		ConfigOptionUpdate{}, SessionInfoUpdate{},
	}
}
