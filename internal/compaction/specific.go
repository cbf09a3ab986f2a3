package compaction

import (
	"fmt"
	"strconv"
	"strings"

	"tidemark/internal/message"
)

// Specific is an identifier, path, number, hash or name that the rest of the session may need word for word, with what
// tells how likely that is.
type Specific struct {
	Text  string
	Calls int // rows in which a call of the model held it
	Texts int // rows in which the model's prose held it
	Users int // rows in which the user wrote it
	Seen  int // rows in which a result showed it
	Hits  int // times results showed it
	Marks Marks
	Last  message.Seq // newest row that held it
	At    int         // where it belongs: place in Digest.Topics from 1, 0 = nowhere
}

// Marks are circumstances in which a specific was met.
type Marks uint8

// Marks of a specific.
const (
	MarkArgument Marks = 1 << iota // in a short argument of a call
	MarkEdit                       // in what an edit wrote
	MarkLine                       // as a line number in a listing
	MarkDefined                    // behind a word that defines: func, class, const
	MarkCalled                     // in front of an opening parenthesis
	MarkAbsolute                   // a path behind a slash
)

// Specifics is a list with a compact text form, since a digest is stored beside every row.
type Specifics []Specific

// MarshalText writes one line a specific: text, then the fields as numbers with trailing zeros left out.
func (l Specifics) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 24*len(l))
	for i := range l {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(b, l[i].Text...)
		f := l[i].fields()
		n := len(f)
		for n > 0 && f[n-1] == 0 {
			n--
		}
		for _, v := range f[:n] {
			b = strconv.AppendInt(append(b, ' '), v, 10)
		}
	}
	return b, nil
}

func (s *Specific) fields() [8]int64 {
	return [8]int64{
		int64(s.Last), int64(s.Seen), int64(s.Hits), int64(s.At), int64(s.Calls), int64(s.Texts), int64(s.Users), int64(s.Marks),
	}
}

// UnmarshalText reads what MarshalText wrote.
func (l *Specifics) UnmarshalText(b []byte) error {
	*l = nil
	if len(b) == 0 {
		return nil
	}
	text := string(b)
	out := make(Specifics, 0, strings.Count(text, "\n")+1)
	for line := range strings.SplitSeq(text, "\n") {
		s, err := parseSpecific(line)
		if err != nil {
			return err
		}
		out = append(out, s)
	}
	*l = out
	return nil
}

func parseSpecific(line string) (Specific, error) {
	tok, rest, _ := strings.Cut(line, " ")
	var f [8]int64
	for i := 0; rest != ""; i++ {
		var num string
		num, rest, _ = strings.Cut(rest, " ")
		v, err := strconv.ParseInt(num, 10, 64)
		if err != nil || i >= len(f) {
			return Specific{}, fmt.Errorf("specific %q cannot be read", line)
		}
		f[i] = v
	}
	return Specific{
		Text: tok, Last: message.Seq(f[0]), Seen: int(f[1]), Hits: int(f[2]), At: int(f[3]),
		Calls: int(f[4]), Texts: int(f[5]), Users: int(f[6]), Marks: Marks(f[7]),
	}, nil
}

// add merges what a later row knows of the same specific.
func (s *Specific) add(o *Specific) {
	s.Calls += o.Calls
	s.Texts += o.Texts
	s.Users += o.Users
	s.Seen += o.Seen
	s.Hits += o.Hits
	s.Marks |= o.Marks
	s.Last = max(s.Last, o.Last)
}
