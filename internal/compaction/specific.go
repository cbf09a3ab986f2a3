package compaction

import (
	"fmt"
	"strconv"
	"strings"
)

// Specific is an identifier, path, number, hash or name that the rest of the session may need word for word, with what
// tells how likely that is.
type Specific struct {
	Text  string
	Calls int // rows in which a call of the model held it
	Texts int // rows in which the model's prose held it
	Users int // rows in which the user wrote it
	Seen  int // rows in which a result showed it
	Hits  int // times results showed it beyond once a row
	Marks Marks
	Age   int // rows from the newest that held it to the digest's last
	At    int // where it belongs: place in Digest.Topics from 1, 0 = nowhere
}

// Marks are circumstances in which a specific was met.
type Marks uint8

// Marks of a specific.
const (
	MarkArgument Marks = 1 << iota // in a short argument of a call
	MarkEdit                       // in what an edit wrote
	MarkLine                       // as a line number of a search
	MarkOpening                    // as the opening of a line that a call wrote
	MarkCalled                     // in front of an opening parenthesis
	MarkAbsolute                   // a path behind a slash
)

// Specifics is a list with a compact text form, since a digest is stored beside every row.
type Specifics []Specific

// MarshalText writes the specifics with commas between them: text, then the fields as numbers with trailing zeros left
// out. Neither comma nor blank can stand in a specific.
func (l Specifics) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 20*len(l))
	for i := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, l[i].Text...)
		f := l[i].fields()
		n := len(f)
		for n > 0 && f[n-1] == 0 {
			n--
		}
		for _, v := range f[:n] {
			b = strconv.AppendInt(append(b, ' '), int64(v), 10)
		}
	}
	return b, nil
}

// fields are in an order that leaves most of them out: a name that a result showed once is `name 1 1`.
func (s *Specific) fields() [8]int {
	return [8]int{s.At, s.Seen, int(s.Marks), s.Hits, s.Calls, s.Texts, s.Users, s.Age}
}

// UnmarshalText reads what MarshalText wrote.
func (l *Specifics) UnmarshalText(b []byte) error {
	*l = nil
	if len(b) == 0 {
		return nil
	}
	text := string(b)
	out := make(Specifics, 0, strings.Count(text, ",")+1)
	for one := range strings.SplitSeq(text, ",") {
		s, err := parseSpecific(one)
		if err != nil {
			return err
		}
		out = append(out, s)
	}
	*l = out
	return nil
}

func parseSpecific(one string) (Specific, error) {
	tok, rest, _ := strings.Cut(one, " ")
	var f [8]int
	for i := 0; rest != ""; i++ {
		var num string
		num, rest, _ = strings.Cut(rest, " ")
		v, err := strconv.Atoi(num)
		if err != nil || i >= len(f) {
			return Specific{}, fmt.Errorf("specific %q cannot be read", one)
		}
		f[i] = v
	}
	return Specific{Text: tok, At: f[0], Seen: f[1], Marks: Marks(f[2]), Hits: f[3], Calls: f[4], Texts: f[5], Users: f[6], Age: f[7]}, nil
}

// add merges what a later row knows of the same specific.
func (s *Specific) add(o *Specific) {
	s.Calls += o.Calls
	s.Texts += o.Texts
	s.Users += o.Users
	s.Seen += o.Seen
	s.Hits += o.Hits
	s.Marks |= o.Marks
	s.Age = min(s.Age, o.Age)
}
