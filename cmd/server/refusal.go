package main

import (
	"errors"
	"fmt"
)

// refusal is a server's no: its stable code, and its words.
type refusal struct {
	code, detail string
}

func (r *refusal) Error() string { return r.detail }

// mends says what to do about a refusal, by its code.
var mends = map[string]string{
	"not_found":       "tidemark %s list shows what is there",
	"session_busy":    "wait for its turn to end, or cancel it",
	"session_closed":  "a prompt of its owner opens it again",
	"forbidden":       "use a key of its owner, or of an operator",
	"nothing_to_undo": "tidemark session status shows its passes",
}

// naming says what a refusal is about, and its mend (spec section 10): the server's words say neither.
func naming(kind, id string, err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	mend, ok := mends[r.code]
	switch {
	case !ok:
		return fmt.Errorf("%s %s: %w", kind, id, err)
	case r.code == "not_found":
		return fmt.Errorf("%s %s: not found; "+mend, kind, id, kind)
	}
	return fmt.Errorf("%s %s: %w; %s", kind, id, err, mend)
}
