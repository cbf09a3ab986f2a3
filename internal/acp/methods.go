package acp

// Methods that a client calls.
const (
	MethodInitialize      = "initialize"
	MethodAuthenticate    = "authenticate"
	MethodLogout          = "logout"
	MethodSessionNew      = "session/new"
	MethodSessionLoad     = "session/load"
	MethodSessionResume   = "session/resume"
	MethodSessionList     = "session/list"
	MethodSessionClose    = "session/close"
	MethodSessionDelete   = "session/delete"
	MethodSetMode         = "session/set_mode"
	MethodSetConfigOption = "session/set_config_option"
	MethodPrompt          = "session/prompt"
	MethodCancel          = "session/cancel"
	MethodExtContext      = "_tidemark/context"
	MethodExtCompact      = "_tidemark/compact"
	MethodExtUndo         = "_tidemark/undo_compaction"
)

// Methods that we call.
const (
	MethodUpdate            = "session/update"
	MethodRequestPermission = "session/request_permission"
	MethodReadTextFile      = "fs/read_text_file"
	MethodWriteTextFile     = "fs/write_text_file"
	MethodExtToolCall       = "_tidemark/tool_call"
	MethodExtTurn           = "_tidemark/turn"
	MethodExtHistory        = "_tidemark/history"
	MethodExtKeepalive      = "_tidemark/keepalive"
)

// MethodCancelRequest goes both ways.
const MethodCancelRequest = "$/cancel_request"
