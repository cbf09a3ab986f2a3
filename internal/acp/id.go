package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// MaxIDLength bounds a request id in characters (protocol section 3, "Limits").
const MaxIDLength = 128

// RequestID is a JSON-RPC id: an integer, a string or null. The zero value means that there is none, which makes a
// message a notification; id 0 and id null are real ids.
type RequestID struct{ raw string }

// NullID is the id of answers to requests whose id could not be read.
var NullID = RequestID{"null"}

// IntID makes an integer id.
func IntID(n int64) RequestID { return RequestID{strconv.FormatInt(n, 10)} }

// IsZero reports whether there is no id at all.
func (id RequestID) IsZero() bool { return id.raw == "" }

// String is the id as JSON, fit to be a map key: 1 and "1" differ.
func (id RequestID) String() string { return id.raw }

// MarshalJSON writes the id; none is written as null.
func (id RequestID) MarshalJSON() ([]byte, error) {
	if id.raw == "" {
		return []byte("null"), nil
	}
	return []byte(id.raw), nil
}

// UnmarshalJSON reads an id and puts it into one form, so that equal ids have equal text.
func (id *RequestID) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	switch {
	case bytes.Equal(b, []byte("null")):
		*id = NullID
		return nil
	case len(b) > 0 && b[0] == '"':
		return id.fromString(b)
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return errors.New("an id is an integer, a string or null")
	}
	*id = IntID(n)
	return nil
}

func (id *RequestID) fromString(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if n := len([]rune(s)); n > MaxIDLength {
		return fmt.Errorf("an id has at most %d characters, not %d", MaxIDLength, n)
	}
	raw, err := json.Marshal(s)
	id.raw = string(raw)
	return err
}
