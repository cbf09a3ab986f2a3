package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// request is the object around a message array.
type request struct {
	ID       string            `json:"id"`
	Source   string            `json:"source"`
	System   json.RawMessage   `json:"system"`
	Tools    json.RawMessage   `json:"tools"`
	Messages []json.RawMessage `json:"messages"`
}

// readDocument reads one JSON value: a message array, or the request around it.
func readDocument(lines *lineReader) (*Recording, error) {
	data, err := lines.rest()
	if err != nil {
		return nil, err
	}
	var req request
	var into any = &req
	if bytes.TrimSpace(data)[0] == '[' {
		into = &req.Messages
	}
	if err := decodeOne(data, into); err != nil {
		return nil, err
	}
	if req.Messages == nil {
		return nil, &Error{Want: wantTranscript, Err: errors.New("no messages in it")}
	}
	return req.recording()
}

func decodeOne(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(into); err != nil {
		return &Error{Line: syntaxLine(data, err), Want: wantTranscript, Err: err}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &Error{Line: 1 + bytes.Count(data[:dec.InputOffset()], []byte("\n")), Want: wantEnd}
	}
	return nil
}

func (r *request) recording() (*Recording, error) {
	form := messagesForm(r.Messages)
	if form == FormUnknown || r.System != nil {
		form = FormAnthropic
	}
	b := &builder{rec: Recording{ID: r.ID, Source: r.Source, Form: form}}
	var err error
	if b.rec.System, err = system(r.System); err != nil {
		return nil, &Error{Want: wantSystem, Err: err}
	}
	if b.rec.Tools, err = tools(r.Tools); err != nil {
		return nil, &Error{Want: wantTools, Err: err}
	}
	c := chat{b, content{string(form)}}
	for i, raw := range r.Messages {
		if err := c.addRaw(raw); err != nil {
			return nil, &Error{Message: i + 1, Want: wantMessage, Err: err}
		}
	}
	return b.rec.finish(), nil
}

func (c chat) addRaw(raw json.RawMessage) error {
	var m chatMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	return c.add(&m)
}

// readBare reads message lines without a session line.
func readBare(seen []line) (*Recording, error) {
	items := make([]json.RawMessage, len(seen))
	for i, l := range seen {
		items[i] = l.data
	}
	form := messagesForm(items)
	if form == FormUnknown {
		return nil, &Error{Line: seen[0].number, Want: wantTranscript}
	}
	b := &builder{rec: Recording{Form: form}}
	c := chat{b, content{string(form)}}
	for _, l := range seen {
		if err := c.addRaw(l.data); err != nil {
			return nil, &Error{Line: l.number, Want: wantMessage, Err: err}
		}
	}
	return b.rec.finish(), nil
}
