package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadCues(t *testing.T) {
	for _, row := range []struct {
		text, rest string
		want       []cue
	}{
		{"no cue at all", "no cue at all", nil},
		{"[[say 20]]", "", []cue{{name: "say", args: "20"}}},
		{"please [[echo a b]] now", "please  now", []cue{{name: "echo", args: "a b"}}},
		{"[[unknown 1]] and [[ and ]]", "[[unknown 1]] and [[ and ]]", nil},
		{"[[say 20", "[[say 20", nil},
		{"x[[i]][[j]]", "x[[i]][[j]]", nil},
		{"[[empty]][[refuse]]", "", []cue{{name: "empty"}, {name: "refuse"}}},
		{`[[tool read {"a":[[1]],"b":"]]"}]]`, "", []cue{{name: "tool", calls: []toolCall{{name: "read", input: []byte(`{"a":[[1]],"b":"]]"}`)}}}}},
		{`[[tool read]]`, "", []cue{{name: "tool", calls: []toolCall{{name: "read", input: []byte(`{}`)}}}}},
		{`[[tools a {"x":1} b c {}]]`, "", []cue{{name: "tools", calls: []toolCall{{name: "a", input: []byte(`{"x":1}`)}, {name: "b", input: []byte(`{}`)}, {name: "c", input: []byte(`{}`)}}}}},
		{`[[call gone {}]]`, "", []cue{{name: "call", calls: []toolCall{{name: "gone", input: []byte(`{}`), unasked: true}}}}},
		{`[[tool read {"a":]]`, `[[tool read {"a":]]`, nil},
		{`[[tool]]`, `[[tool]]`, nil},
		{`[[tool read {} rubbish`, `[[tool read {} rubbish`, nil},
	} {
		got, rest := readCues(row.text)
		if rest != row.rest || !cmp.Equal(got, row.want, cmp.AllowUnexported(cue{}, toolCall{})) {
			t.Errorf("%q: cues %+v, rest %q", row.text, got, rest)
		}
	}
}

func TestFaultOf(t *testing.T) {
	for text, want := range map[string]faultCue{
		"[[fail rate_limit]]":                 {Fault: Fault{Kind: RateLimit}},
		"[[fail rate_limit once retry=3s]]":   {Fault: Fault{Kind: RateLimit, RetryAfter: 3 * time.Second}, limit: 1},
		"[[empty times=2 step=3]]":            {Fault: Fault{Kind: Empty}, limit: 2, step: 3},
		"[[summarizer refuse late=1m]]":       {Fault: Fault{Kind: Refusal, Delay: time.Minute}},
		"[[summarizer fail missing_facts]]":   {Fault: Fault{Kind: MissingFacts}},
		"[[summarizer rate_limit times=two]]": {Fault: Fault{Kind: RateLimit}},
	} {
		cues, _ := readCues(text)
		if got, ok := faultOf(cues[0]); !ok || got != want {
			t.Errorf("%s: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"[[fail]]", "[[fail nonsense]]", "[[summarizer]]", "[[say 3]]", "[[fail fail]]"} {
		cues, _ := readCues(text)
		if got, ok := faultOf(cues[0]); ok {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func FuzzReadCues(f *testing.F) {
	f.Add(`a [[tool x {"y":[[1]]}]] [[say 3]] [[fail cut once]] é[[`)
	f.Fuzz(func(t *testing.T, text string) {
		cues, rest := readCues(text)
		for _, c := range cues {
			faultOf(c)
		}
		if len(rest) > len(text) {
			t.Fatalf("%q grew to %q", text, rest)
		}
		firstSentence(text)
		keywords(text, 3)
		questionOf(text)
		excerpt(text, 10)
		for s := text; s != ""; {
			head := piece(s, 7)
			if head == "" {
				t.Fatalf("no progress in %q", s)
			}
			s = s[len(head):]
		}
	})
}

func TestProse_HasExactlyTheTokensAskedFor(t *testing.T) {
	for _, n := range []int{1, 2, 7, 20, 21, 333, 5000} {
		if got := prose(n); len(got) != 3*n {
			t.Errorf("prose(%d) has %d bytes", n, len(got))
		}
	}
}

// A large paste costs no more than its length, whatever is in it.
func TestReadCues_HostileTextIsBounded(t *testing.T) {
	for _, unit := range []string{"[[tool x {\"a\":", "[[say ", "[[", "a", ".", "[[echo x]]"} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		start := time.Now()
		cues, rest := readCues(text)
		firstSentence(rest)
		keywords(rest, 3)
		questionOf(rest)
		if len(cues) > maxCues {
			t.Errorf("%q: %d cues", unit, len(cues))
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q: took %v", unit, took)
		}
	}
}
