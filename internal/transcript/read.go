package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// ReadFile reads one transcript file. Errors name it.
func ReadFile(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err // names the path already
	}
	defer f.Close() //nolint:errcheck // read only
	rec, err := Read(f)
	var malformed *Error
	switch {
	case errors.As(err, &malformed):
		malformed.File = path
		return nil, malformed
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return rec, nil
}

// Read finds out the form and reads the whole stream.
func Read(r io.Reader) (*Recording, error) {
	lines := newLineReader(r)
	first, err := lines.next()
	if errors.Is(err, io.EOF) {
		return nil, &Error{Want: wantTranscript, Err: errEmpty}
	}
	if err != nil {
		return nil, err
	}
	lines.unread(first)
	if first.data[0] == '[' || !json.Valid(first.data) {
		return readDocument(lines)
	}
	return readLines(lines)
}

// readLines looks at lines until one shows the form, then starts over with the reader of that form.
func readLines(lines *lineReader) (*Recording, error) {
	var seen []line
	for {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			return readBare(seen)
		}
		if err != nil {
			return nil, err
		}
		if seen = append(seen, l); !json.Valid(l.data) {
			return nil, badLine(l)
		}
		if form, _ := classify(l.data); form != FormUnknown {
			lines.unread(seen...)
			return readForm(form, lines)
		}
	}
}

func readForm(form Form, lines *lineReader) (*Recording, error) {
	switch form {
	case FormCorpus:
		return readCorpus(lines)
	case FormClaudeCode:
		return readClaudeCode(lines)
	case FormCodex:
		return readCodex(lines)
	default:
		return readDocument(lines)
	}
}

func badLine(l line) error {
	var raw json.RawMessage
	return &Error{Line: l.number, Want: wantLine, Err: json.Unmarshal(l.data, &raw)}
}

// each hands every line to f until one fails.
func (l *lineReader) each(f func(line) error) error {
	for {
		next, err := l.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(next); err != nil {
			return err
		}
	}
}

// decode reads one line into v.
func (l line) decode(v any, want string) error {
	if bytes.Equal(l.data, []byte("null")) {
		return &Error{Line: l.number, Want: want, Err: errors.New("null")}
	}
	if err := json.Unmarshal(l.data, v); err != nil {
		return &Error{Line: l.number, Want: want, Err: err}
	}
	return nil
}
