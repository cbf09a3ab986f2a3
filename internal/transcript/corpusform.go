package transcript

import (
	"encoding/json"
)

// session is the first line of the corpus form (spec 10).
type session struct {
	Type   string          `json:"type"`
	ID     string          `json:"id"`
	Source string          `json:"source"`
	System json.RawMessage `json:"system"`
	Tools  json.RawMessage `json:"tools"`
}

// unknownProvider marks blocks whose maker a corpus file does not name: no provider is sent them.
const unknownProvider = "unknown"

func readCorpus(lines *lineReader) (*Recording, error) {
	head, err := lines.next()
	if err != nil {
		return nil, err
	}
	b := &builder{}
	if err := b.readSession(head); err != nil {
		return nil, err
	}
	c := chat{b, content{unknownProvider}}
	err = lines.each(func(l line) error {
		var m chatMessage
		if err := l.decode(&m, wantMessage); err != nil {
			return err
		}
		if err := c.add(&m); err != nil {
			return &Error{Line: l.number, Want: wantMessage, Err: err}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b.rec.finish(), nil
}

func (b *builder) readSession(l line) error {
	var s session
	if err := l.decode(&s, wantSession); err != nil {
		return err
	}
	if s.Type != "session" {
		return &Error{Line: l.number, Want: wantSession}
	}
	b.rec = Recording{ID: s.ID, Source: s.Source, Form: FormCorpus}
	var err error
	if b.rec.System, err = system(s.System); err != nil {
		return &Error{Line: l.number, Want: wantSystem, Err: err}
	}
	if b.rec.Tools, err = tools(s.Tools); err != nil {
		return &Error{Line: l.number, Want: wantTools, Err: err}
	}
	return nil
}
