package session

import (
	"strconv"

	"tidemark/internal/message"
)

// NewAccepted makes an Accepted, for other implementations of Service: close done when result is final.
func NewAccepted(id TurnID, attached bool, done <-chan struct{}, result *TurnResult) *Accepted {
	return &Accepted{TurnID: id, Attached: attached, done: done, result: result}
}

// MessageID names a transcript row to clients: the same in live rows and in a replayed history, so that a client can
// rebuild a message instead of showing it twice (case D1 #2).
func MessageID(id ID, seq message.Seq) string { return id + "." + strconv.FormatInt(int64(seq), 10) }
