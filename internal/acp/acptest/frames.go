package acptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"tidemark/internal/acp"
)

// Frames are the messages received so far.
func (c *Client) Frames() []acp.Envelope {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.frames)
}

// Raw are the bytes of Frames.
func (c *Client) Raw() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.raw)
}

// Await returns the first message that matches, received already or yet to come.
func (c *Client) Await(what string, matches func(acp.Envelope) bool) acp.Envelope {
	c.tb.Helper()
	var found acp.Envelope
	next := 0
	c.wait(what, func() bool {
		for ; next < len(c.frames); next++ {
			if matches(c.frames[next]) {
				found = c.frames[next]
				return true
			}
		}
		return c.ended != nil
	})
	if found.Kind() == acp.KindResponse && found.ID.IsZero() {
		c.mu.Lock()
		ended := c.ended
		c.mu.Unlock()
		c.tb.Fatalf("the socket ended while waiting for %s: %v", what, ended)
	}
	return found
}

// AwaitSeq waits until a row of that number or a later one has arrived.
func (c *Client) AwaitSeq(n int64) {
	c.tb.Helper()
	c.wait(fmt.Sprintf("row %d", n), func() bool { return c.head >= n })
}

// AwaitUpdate waits for a session update of a kind and returns its notification.
func (c *Client) AwaitUpdate(kind acp.UpdateKind, also func(Update) bool) Update {
	c.tb.Helper()
	var found Update
	c.Await("update "+string(kind), func(e acp.Envelope) bool {
		u, ok := UpdateOf(e)
		if ok && u.Kind == kind && (also == nil || also(u)) {
			found = u
			return true
		}
		return false
	})
	return found
}

// Update is a session update in loose form.
type Update struct {
	SessionID string
	Kind      acp.UpdateKind
	Meta      acp.Meta // of the row
	Body      json.RawMessage
}

// UpdateOf reads a session update.
func UpdateOf(e acp.Envelope) (Update, bool) {
	if e.Method != acp.MethodUpdate {
		return Update{}, false
	}
	var p struct {
		SessionID string          `json:"sessionId"`
		Update    json.RawMessage `json:"update"`
		Meta      acp.Meta        `json:"_meta"`
	}
	var kind struct {
		Kind acp.UpdateKind `json:"sessionUpdate"`
	}
	if json.Unmarshal(e.Params, &p) != nil || json.Unmarshal(p.Update, &kind) != nil {
		return Update{}, false
	}
	return Update{p.SessionID, kind.Kind, p.Meta, p.Update}, true
}

// Text is the text of a content chunk.
func (u Update) Text() string {
	var body struct {
		Content acp.ContentBlock `json:"content"`
	}
	_ = json.Unmarshal(u.Body, &body)
	return body.Content.Text
}

// Seq is the number of the row behind a frame, 0 when it is none.
func Seq(e acp.Envelope) int64 {
	var p struct {
		Seq  int64    `json:"seq"` // of a keepalive
		Meta acp.Meta `json:"_meta"`
	}
	if json.Unmarshal(e.Params, &p) != nil {
		return 0
	}
	if raw, ok := p.Meta[acp.MetaSeq]; ok {
		_ = json.Unmarshal(raw, &p.Seq)
	}
	return p.Seq
}

// Rows are the bytes of the numbered frames by number. A number that came twice with different bytes is in clash.
func Rows(raw [][]byte) (rows map[int64][]byte, clash []int64) {
	rows = make(map[int64][]byte)
	for _, b := range raw {
		env, bad := acp.Decode(b)
		if bad != nil {
			continue
		}
		n := Seq(env)
		if n == 0 {
			continue
		}
		if old, ok := rows[n]; ok && !bytes.Equal(old, b) {
			clash = append(clash, n)
		}
		rows[n] = b
	}
	return rows, clash
}
