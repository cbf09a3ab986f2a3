package acp

import "encoding/json"

// CompactRequest asks for a manual compaction (spec 6.7).
type CompactRequest struct {
	SessionID string `json:"sessionId"`
	Focus     string `json:"focus,omitempty"`
}

// Record is a posture or compaction record as its owner encodes it.
type Record = json.RawMessage

// TurnNotification opens and closes a turn.
type TurnNotification struct {
	SessionID  string `json:"sessionId"`
	State      string `json:"state"`
	StopReason string `json:"stopReason,omitempty"`
	Meta       Meta   `json:"_meta,omitempty"`
}

// Marks of a history.
const (
	HistoryBegin = "begin"
	HistoryEnd   = "end"
)

// HistoryNotification brackets the entries of session/load: a client forgets what it showed at begin.
type HistoryNotification struct {
	SessionID string `json:"sessionId"`
	Mark      string `json:"mark"`
}

// KeepaliveNotification stands for a row that the client cannot be shown, so that its numbers have no hole. Without a
// session it only keeps the connection busy.
type KeepaliveNotification struct {
	SessionID string `json:"sessionId,omitempty"`
	Seq       int64  `json:"seq,omitempty"`
}

// Posture is MetaPosture of a usage update.
type Posture struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
}
