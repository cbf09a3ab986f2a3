package sim

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// chat answers a message without cues: it takes up the user's own words and never claims to have done anything.
func (c *call) chat() string {
	text := c.turn.text
	if text == "" {
		return "There is nothing in this message that I could answer. Write a few words, or a cue such as [[say 200]]."
	}
	if word := firstWord(text); greetings[word] && utf8.RuneCountInString(text) < 40 {
		return "Hello! I am the simulated assistant of this server: I answer at once, cost nothing real and follow cues. " +
			"Ask me anything, or try [[say 300]] for a long answer."
	}
	if firstWord(text) == "help" && utf8.RuneCountInString(text) < 40 {
		return cueHelp
	}
	opening := fmt.Sprintf("You wrote: “%s”.", excerpt(firstSentence(text), 120))
	if strings.Contains(text, "?") {
		opening = fmt.Sprintf("You ask: “%s”.", excerpt(questionOf(text), 120))
	}
	return opening + " " + about(keywords(text, 3)) + " " + closings[c.turn.key%uint64(len(closings))]
}

var greetings = map[string]bool{"hi": true, "hello": true, "hey": true, "hallo": true, "moin": true, "hola": true, "salut": true}

const cueHelp = "Cues I follow: [[say N]] speaks N tokens; [[echo text]] repeats; [[tool name {json}]] calls a tool and " +
	"[[tools a {..} b {..}]] several at once; [[steps N]] makes N steps; [[think N]] thinks first; [[slow 200ms]] " +
	"takes its time; [[fail rate_limit once]], [[fail cut]], [[fail overflow]], [[empty]], [[refuse]], " +
	"[[max_tokens]], [[hang]] and [[no_usage]] go wrong."

var closings = []string{
	"I am a simulated model, so take this as a stand-in for a real answer; what you see around it is real.",
	"A real model would go into detail here. I only show how the conversation grows and what it costs.",
	"Tell me more and the history grows; when it passes the threshold the older part is compacted.",
	"I keep this short. With [[say 600]] I would go on for a page.",
}

func about(words []string) string {
	switch len(words) {
	case 0:
		return "I take note of it."
	case 1:
		return fmt.Sprintf("I would begin with %s.", words[0])
	}
	return fmt.Sprintf("I would look at %s first and come back to the rest.", list(words))
}

// keywords takes the first n longer words that are not stop words, as they were written.
func keywords(text string, n int) []string {
	text = cutBytes(text, 2000)
	seen := make(map[string]bool)
	var out []string
	for _, w := range strings.FieldsFunc(text, notWord) {
		low := strings.ToLower(w)
		if utf8.RuneCountInString(w) < 5 || len(w) > 40 || seen[low] || stopWords[low] {
			continue
		}
		seen[low] = true
		if out = append(out, w); len(out) == n {
			break
		}
	}
	return out
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
}

var stopWords = map[string]bool{
	"about": true, "after": true, "again": true, "before": true, "being": true, "could": true, "does": true, "doing": true,
	"every": true, "first": true, "going": true, "maybe": true, "other": true, "please": true, "should": true, "since": true,
	"still": true, "their": true, "there": true, "these": true, "thing": true, "think": true, "those": true, "though": true,
	"under": true, "until": true, "wants": true, "where": true, "which": true, "while": true, "would": true,
}

func firstWord(text string) string {
	for _, w := range strings.FieldsFunc(cutBytes(text, 80), notWord) {
		return strings.ToLower(w)
	}
	return ""
}

// firstSentence ends at a line break or at a full stop, question mark or exclamation mark that a space follows. It looks
// at no more of the text than an excerpt shows.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(cutBytes(strings.TrimSpace(text), 800), "\n")
	for i, r := range text {
		if !strings.ContainsRune(".!?。！？", r) {
			continue
		}
		rest := strings.TrimLeft(text[i:], string(r))
		if rest == "" || rest[0] == ' ' || r >= utf8.RuneSelf {
			return strings.TrimRight(text[:i], " ")
		}
	}
	return text
}

// questionOf is the first sentence that ends with a question mark.
func questionOf(text string) string {
	before, _, _ := strings.Cut(text, "?")
	if i := strings.LastIndexAny(before, ".!\n"); i >= 0 {
		before = before[i+1:]
	}
	return strings.TrimSpace(before) + "?"
}

// excerpt is one line of at most n bytes.
func excerpt(s string, n int) string {
	s = strings.Join(strings.Fields(cutBytes(s, 4*n)), " ")
	if len(s) <= n {
		return s
	}
	cut := cutBytes(s, n)
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return cut + " …"
}
