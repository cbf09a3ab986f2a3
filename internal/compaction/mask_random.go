package compaction

import (
	"math"
	"strings"
)

func isNumber(v string) bool {
	return runEnd(v, 0, func(b byte) bool { return isDigit(b) || strings.IndexByte("+-.eE", b) >= 0 }) == len(v)
}

func hasDigit(v string) bool { return strings.ContainsAny(v, "0123456789") }

// looksRandom tells key material from words, paths and identifiers: letters and digits mixed within a part, and many
// different characters for the length.
func looksRandom(v string) bool {
	letter := strings.IndexFunc(v, func(r rune) bool { return r < 128 && isLetter(byte(r)) })
	return letter >= 0 && hasDigit(v) && longestRun(v) >= 8 && entropy(v) >= 2.6
}

// longestRun is the length of the longest part of letters and digits only.
func longestRun(v string) int {
	best, n := 0, 0
	for i := 0; i < len(v); i++ {
		if isLetter(v[i]) || isDigit(v[i]) {
			n++
			best = max(best, n)
		} else {
			n = 0
		}
	}
	return best
}

// entropy is the Shannon entropy of the bytes of v, in bits a byte.
func entropy(v string) float64 {
	var count [256]int
	for i := 0; i < len(v); i++ {
		count[v[i]]++
	}
	h := 0.0
	for _, c := range count {
		if c > 0 {
			p := float64(c) / float64(len(v))
			h -= p * math.Log2(p)
		}
	}
	return h
}
