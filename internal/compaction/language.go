package compaction

import (
	"strings"
	"unicode"
)

// wrongLanguage reports whether a summary is surely in another language than the user's (spec 6.3): another dominant
// script, or, where both are Latin, the stop words of another language. Undecided passes. Facts that stand in the
// summary word for word say nothing about the language of the rest.
func wrongLanguage(user, summary string, facts []Fact) bool {
	a := profileOf(user, userShare)
	if a.script == "" || a.script == latin && a.language == "" { // pasted logs are Latin, whoever pastes them
		return false
	}
	b := profileOf(withoutFacts(summary, facts), summaryShare)
	if b.script == "" {
		return false
	}
	return a.script != b.script || b.language != "" && a.language != b.language
}

// Shares of the words, in tenths, that make a script dominant. A user who pastes much in another script than the one he
// writes in has none.
const (
	userShare    = 8
	summaryShare = 6
)

// withoutFacts drops the lines that are mostly a fact, or a piece of one.
func withoutFacts(summary string, facts []Fact) string {
	folded := make([]string, 0, len(facts))
	for _, f := range facts {
		folded = append(folded, foldLine(f.Text))
	}
	var sb strings.Builder
	for line := range strings.Lines(summary) {
		if !quotes(strings.TrimLeft(foldLine(line), "-* "), folded) {
			sb.WriteString(line)
		}
	}
	return sb.String()
}

func quotes(line string, facts []string) bool {
	for _, f := range facts {
		long := len(line) >= 10 && strings.Contains(f, line)
		if long || 2*len(f) >= len(line) && len(f) >= 10 && strings.Contains(line, f) {
			return true
		}
	}
	return false
}

// languageProfile is what a text looks like; empty fields are undecided.
type languageProfile struct {
	script   string
	language string
}

// maxProfiled bounds the bytes looked at; a language shows in the first pages.
const maxProfiled = 64 << 10

func profileOf(s string, share int) (p languageProfile) {
	words := proseWords(cutBytes(s, maxProfiled))
	p.script = dominantScript(words, share)
	if p.script == latin {
		p.language = latinLanguage(words)
	}
	return p
}

// proseWords are the words of a text that are neither code nor paths, identifiers, tags or labels.
func proseWords(s string) []string {
	var out []string
	code := false
	for line := range strings.SplitSeq(s, "\n") {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "```") {
			code = !code
			continue
		}
		if !code {
			out = appendProse(out, line)
		}
	}
	return out
}

func appendProse(out []string, line string) []string {
	for _, p := range cutPieces(dropTags(line)) {
		if p.hard || profileLabels[p.text] {
			continue
		}
		out = append(out, strings.FieldsFunc(p.text, notInWord)...)
	}
	return out
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' }

// profileLabels are the words of our own marks.
var profileLabels = setOf("user assistant redacted ok failed")

// dropTags takes out what stands between < and >.
func dropTags(s string) string {
	if strings.IndexByte(s, '<') < 0 {
		return s
	}
	var sb strings.Builder
	for ok := true; ok; {
		text, rest, _ := strings.Cut(s, "<")
		sb.WriteString(text)
		sb.WriteByte(' ')
		_, s, ok = strings.Cut(rest, ">")
	}
	return sb.String()
}

// minProse is the least number of words that shows anything.
const minProse = 8
