package compaction

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordSet holds the content words of a text, with their beginnings so that another ending of a word is still the word.
type wordSet map[string]bool

func newWordSet(folded string) wordSet {
	s := make(wordSet)
	eachContentWord(folded, func(w string) {
		for _, form := range wordForms(w) {
			s[form] = true
		}
	})
	return s
}

// wordForms are the word and what is left without its last one or two letters, if that is still a word.
func wordForms(w string) []string {
	forms := []string{w}
	for range 2 {
		_, n := utf8.DecodeLastRuneInString(w)
		if w = w[:len(w)-n]; utf8.RuneCountInString(w) < 4 {
			break
		}
		forms = append(forms, w)
	}
	return forms
}

// maxNeeded bounds the words that are demanded of a long fact: a summary cannot repeat an ask of a thousand words.
const maxNeeded = 36

// Shares of a fact's content words, in hundredths, that must be there: of a goal (spec 6.3), and of a fail-closed fact in
// other words, on top of all that is hard in it.
const (
	majorityShare   = 60
	failClosedShare = 75
)

// covers reports whether the share of the content words of folded stands in the set; a text without any is not covered.
func (s wordSet) covers(folded string, share int) bool {
	total, hits := 0, 0
	seen := make(map[string]bool)
	eachContentWord(folded, func(w string) {
		if seen[w] {
			return
		}
		seen[w] = true
		total++
		for _, form := range wordForms(w) {
			if s[form] {
				hits++
				break
			}
		}
	})
	return total > 0 && hits >= min((share*total+99)/100, maxNeeded)
}

// eachContentWord goes over the words of a folded text that carry meaning: no stop words, none of fewer than three
// letters. Scripts without blanks give pairs of characters.
func eachContentWord(folded string, yield func(string)) {
	for _, w := range strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if spaceless(w) {
			eachPair(w, yield)
			continue
		}
		if utf8.RuneCountInString(w) >= 3 && !stopWords[w] {
			yield(w)
		}
	}
}

func spaceless(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func eachPair(w string, yield func(string)) {
	rs := []rune(w)
	if len(rs) == 1 {
		yield(w)
	}
	for i := 0; i+1 < len(rs); i++ {
		yield(string(rs[i : i+2]))
	}
}

// hasBase looks for the base name of the path that an active_path fact is about (`path: what was done`).
func (m *matcher) hasBase(fact string) bool {
	p := fact
	if i := strings.LastIndex(p, ": "); i > 0 {
		p = p[:i]
	}
	base := path.Base(strings.ReplaceAll(strings.TrimSpace(p), `\`, "/"))
	if base == "." || base == "/" {
		return false
	}
	for i := 0; ; {
		k := strings.Index(m.raw[i:], base)
		if k < 0 {
			return false
		}
		if from, to := i+k, i+k+len(base); nameBorder(m.raw, from, to) {
			return true
		}
		i += k + 1
	}
}

// nameBorder reports whether a file name begins at from and ends at to: `x.go` is neither `max.go` nor `x.go.bak`.
func nameBorder(s string, from, to int) bool {
	if from > 0 && (isWord(s[from-1]) || s[from-1] == '-' || s[from-1] == '.') {
		return false
	}
	rest := s[to:]
	if rest == "" {
		return true
	}
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == '-') {
		return !isWord(rest[1])
	}
	return !isWord(rest[0])
}
