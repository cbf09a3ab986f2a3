package compaction

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clauseBefore is what stands before a sentence in its own line and clause.
func clauseBefore(s string) string { return s[strings.LastIndexAny(s, "\n;"+sentenceEnds)+1:] }

// goesOn reports whether the sentence goes on in the same line with more words, which may say anything.
func goesOn(rest string) bool {
	rest = strings.TrimPrefix(rest, " ")
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// undone reports whether the rest of the line makes an exception from the sentence or takes it back: in the same
// sentence, in a bracket or behind a dash, or by opening the next one with "unless".
func undone(rest string) bool {
	next := strings.TrimLeft(rest, sentenceEnds+"; ")
	switch {
	case next == "":
		return false
	case strings.ContainsRune("([-", rune(next[0])):
		return startsWith(next, softeners) || takenBack(next)
	case strings.ContainsAny(rest[:len(rest)-len(next)], sentenceEnds+";"):
		return startsWith(next, strongSofteners)
	}
	if i := strings.IndexAny(rest, sentenceEnds); i > 0 {
		rest = rest[:i]
	}
	return startsWith(rest, softeners) || takenBack(rest)
}

// startsWith reports whether s opens with one of the words.
func startsWith(s string, words []string) bool {
	s = strings.TrimLeft(s, " .,;:!?()[]-")
	for _, w := range words {
		if strings.HasPrefix(s, w) && wordBorder(s, len(w)) {
			return true
		}
	}
	return false
}

// takenBack reports whether a phrase beside the sentence says that it does not hold.
func takenBack(s string) bool {
	for _, w := range revokers {
		if i := strings.Index(s, w); i >= 0 && wordBorder(s, i) && wordBorder(s, i+len(w)) {
			return true
		}
	}
	return false
}

var strongSofteners = []string{"unless", "except", "es sei denn", "außer", "sauf", "salvo", "除非", "кроме"}

var softeners = []string{
	"unless", "except", "but", "if", "only if", "when needed", "where possible", "if possible", "whenever possible", "as a rule",
	"usually", "mostly", "ideally", "außer", "es sei denn", "wenn möglich", "aber", "sauf", "excepté", "si possible", "mais",
	"salvo", "excepto", "a menos que", "si es posible", "pero", "除非", "但", "кроме", "если",
}

var revokers = []string{
	"no longer", "not any more", "not anymore", "lifted", "revoked", "withdrawn", "obsolete", "outdated", "ignore", "ignored",
	"does not apply", "doesnt apply", "not binding", "is wrong", "was wrong", "is false", "not true", "untrue", "dropped", "waived",
	"overruled", "was optional", "is optional", "gilt nicht", "aufgehoben", "nicht mehr", "hinfällig", "ne sapplique", "levée",
	"ya no", "anulado", "不再", "已取消", "больше не",
}
