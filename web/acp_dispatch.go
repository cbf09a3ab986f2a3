package web

import "tidemark/internal/acp"

// methods is what a client may call (protocol section 1). Notifications are in wsConn.notified.
var methods map[string]method

func init() { // a variable would refer to itself through the handlers
	methods = map[string]method{
		acp.MethodInitialize:      {serve: (*wsConn).initialize, open: true, inline: true},
		acp.MethodAuthenticate:    {serve: (*wsConn).authenticate, open: true},
		acp.MethodLogout:          {serve: (*wsConn).logout, open: true},
		acp.MethodSessionNew:      {serve: (*wsConn).sessionNew},
		acp.MethodSessionLoad:     {serve: (*wsConn).sessionLoad},
		acp.MethodSessionResume:   {serve: (*wsConn).sessionResume},
		acp.MethodSessionList:     {serve: (*wsConn).sessionList},
		acp.MethodSessionClose:    {serve: (*wsConn).sessionClose},
		acp.MethodSessionDelete:   {serve: (*wsConn).sessionDelete},
		acp.MethodSetMode:         {serve: (*wsConn).setMode},
		acp.MethodSetConfigOption: {serve: (*wsConn).setConfigOption},
		acp.MethodPrompt:          {serve: (*wsConn).prompt},
		acp.MethodExtContext:      {serve: (*wsConn).extContext},
		acp.MethodExtCompact:      {serve: (*wsConn).extCompact},
		acp.MethodExtUndo:         {serve: (*wsConn).extUndo},
	}
}
