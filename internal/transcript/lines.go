package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Limits of what is read into memory at once.
const (
	MaxLine     = 64 << 20
	MaxDocument = 256 << 20
)

// line is one line that is not blank, with its number from 1.
type line struct {
	data   []byte
	number int
}

// lineReader gives the lines of a stream, with any number put back.
type lineReader struct {
	r      *bufio.Reader
	number int
	back   []line
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next gives the next line that is not blank; io.EOF at the end.
func (l *lineReader) next() (line, error) {
	if len(l.back) > 0 {
		out := l.back[0]
		l.back = l.back[1:]
		return out, nil
	}
	for {
		data, err := l.read()
		if data = bytes.TrimSpace(data); len(data) > 0 {
			return line{data, l.number}, nil
		}
		if err != nil {
			return line{}, err
		}
	}
}

// read gives one raw line and the error that ended it. The first one loses its byte order mark.
func (l *lineReader) read() ([]byte, error) {
	l.number++
	var out []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if out = append(out, part...); len(out) > MaxLine {
			return nil, &Error{Line: l.number, Want: wantLine, Err: errTooLong}
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if l.number == 1 {
			out = bytes.TrimPrefix(out, []byte("\ufeff"))
		}
		return out, err
	}
}

// unread puts lines back in front, in order.
func (l *lineReader) unread(lines ...line) {
	l.back = append(append([]line(nil), lines...), l.back...)
}

// rest gives everything from the lines put back on, as one document. Blank lines before it are made up for, so that line
// numbers in errors hold.
func (l *lineReader) rest() ([]byte, error) {
	var out bytes.Buffer
	for i, b := range l.back {
		if i == 0 {
			out.Write(bytes.Repeat([]byte("\n"), b.number-1))
		}
		out.Write(b.data)
		out.WriteByte('\n')
	}
	l.back = nil
	if _, err := io.Copy(&out, io.LimitReader(l.r, MaxDocument+1)); err != nil {
		return nil, err
	}
	if out.Len() > MaxDocument {
		return nil, &Error{Want: wantTranscript, Err: errTooLarge}
	}
	return out.Bytes(), nil
}
