package compaction

import (
	"strings"
	"unicode"
)

// fold lowers case, drops quotes and emphasis and makes one of all dashes; runs of white space become a blank, or a line
// break when they hold one.
func fold(s string) string {
	var sb strings.Builder
	sb.Grow(len(s))
	gap := byte(0)
	for _, r := range strings.ReplaceAll(s, "**", "") {
		switch {
		case r == '\n' || r == '\u2028' || r == '\u2029':
			gap = '\n'
			continue
		case unicode.IsSpace(r):
			if gap == 0 {
				gap = ' '
			}
			continue
		case isQuote(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff':
			continue
		}
		if gap != 0 && sb.Len() > 0 {
			sb.WriteByte(gap)
		}
		gap = 0
		sb.WriteRune(foldRune(r))
	}
	return sb.String()
}

func isQuote(r rune) bool {
	return strings.ContainsRune("\"'`´‘’‚‛“”„‟«»‹›「」『』", r)
}

func foldRune(r rune) rune {
	if r >= '‐' && r <= '―' {
		return '-'
	}
	return unicode.ToLower(r)
}

// foldLine folds into one line.
func foldLine(s string) string { return strings.ReplaceAll(fold(s), "\n", " ") }
