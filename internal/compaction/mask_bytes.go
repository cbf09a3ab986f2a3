package compaction

import "unicode/utf8"

// runEnd is the end of the run of bytes from i on that ok accepts.
func runEnd(s string, i int, ok func(byte) bool) int {
	for i < len(s) && ok(s[i]) {
		i++
	}
	return i
}

func isDigit(b byte) bool  { return b >= '0' && b <= '9' }
func isLower(b byte) bool  { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool  { return b >= 'A' && b <= 'Z' }
func isLetter(b byte) bool { return isLower(b) || isUpper(b) }
func isWord(b byte) bool   { return isLetter(b) || isDigit(b) || b == '_' }
func isSpace(b byte) bool  { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

func isKeyByte(b byte) bool   { return isWord(b) || b == '-' || b == '.' }
func isURLBase64(b byte) bool { return isWord(b) || b == '-' }
func isTokenByte(b byte) bool {
	return isWord(b) || b == '-' || b == '.' || b == '+' || b == '/' || b == '=' || b == '~'
}

func isPEMByte(b byte) bool {
	return isWord(b) || isSpace(b) || b == '+' || b == '/' || b == '=' || b == '-' || b == '\\' || b == ':' || b == ','
}

// cutRunes cuts s to at most n characters on a rune border.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// cutBytes cuts s to at most n bytes on a rune border.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}
