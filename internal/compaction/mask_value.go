package compaction

import (
	"math"
	"strings"
)

// secretNames are the words that make the name before `=` or `:` one of a secret. They are matched at the end of the
// name, so that `token_count`, `passwordField` and `secretary` are not.
var secretNames = []string{
	"password", "passwd", "pwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey",
	"authkey", "credential", "credentials", "authorization", "connectionstring", "signingkey", "encryptionkey",
}

// namedValueAt looks at the `=` or `:` at i: a name that says secret before it and a value that looks like one behind.
func namedValueAt(s string, i int) (int, int) {
	kind := secretName(s, i)
	if kind == notSecret {
		return 0, 0
	}
	j := i + 1
	if j < len(s) && (s[j] == '=' || s[j] == ':' || s[j] == '>') { // comparison, scope or arrow; `:=` assigns
		return 0, 0
	}
	j, quoted := skipToValue(s, j)
	e := runEnd(s, j, isValueByte)
	v := s[j:e]
	if e < len(s) && (s[e] == '(' || s[e] == '{' || s[e] == '[') { // a call or an index: code, not a value
		return 0, 0
	}
	if !secretValue(v, kind, quoted, s[i] == '=' && j == i+1) {
		return 0, 0
	}
	return j, e
}

type nameKind int

const (
	notSecret nameKind = iota
	secretKey
	passwordName
)

// secretName reads the name that ends before i, through quotes and blanks, and says what it names.
func secretName(s string, i int) nameKind {
	e := i
	if e > 0 && s[e-1] == ':' { // `:=`
		e--
	}
	for e > 0 && (s[e-1] == ' ' || s[e-1] == '"' || s[e-1] == '\'' || s[e-1] == '\\' || s[e-1] == '`') {
		e--
	}
	b := e
	for b > 0 && e-b < 48 && (isWord(s[b-1]) || s[b-1] == '-') {
		b--
	}
	name := squeeze(s[b:e])
	for k, w := range secretNames {
		if strings.HasSuffix(name, w) {
			if k < 4 {
				return passwordName
			}
			return secretKey
		}
	}
	return notSecret
}

// squeeze lowers a name and drops its separators: API_KEY, api-key and apiKey are one.
func squeeze(s string) string {
	if s == "" {
		return ""
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isUpper(c):
			b = append(b, c+'a'-'A')
		case c != '_' && c != '-':
			b = append(b, c)
		}
	}
	return string(b)
}

func skipToValue(s string, j int) (int, bool) {
	quoted := false
	for j < len(s) && (s[j] == ' ' || s[j] == '\t' || s[j] == '"' || s[j] == '\'' || s[j] == '\\') {
		if s[j] == '"' || s[j] == '\'' {
			if quoted {
				return j, true // an empty value
			}
			quoted = true
		}
		j++
	}
	return j, quoted
}

func isValueByte(b byte) bool {
	return b > ' ' && b < 0x7f && b != '"' && b != '\'' && b != '\\' && b != ',' && b != ';' && b != '`' &&
		b != '(' && b != ')' && b != '{' && b != '}' && b != '[' && b != ']' && b != '<' && b != '>' && b != '&' && b != '|'
}

// secretValue decides about a value by its name's kind: passwords may be short, other secrets must look random.
func secretValue(v string, kind nameKind, quoted, tight bool) bool {
	if v == "" || v[0] == '$' || v[0] == '%' || v[0] == '*' || isNumber(v) || strings.Contains(v, "://") {
		return false // a reference, a placeholder, a number, or a URL (which has its own rule)
	}
	if kind == passwordName && (quoted || tight) && len(v) >= 6 && hasDigit(v) && !strings.Contains(v, ".") {
		return true
	}
	return len(v) >= 12 && looksRandom(v)
}

func isNumber(v string) bool {
	return runEnd(v, 0, func(b byte) bool { return isDigit(b) || strings.IndexByte("+-.eE", b) >= 0 }) == len(v)
}

func hasDigit(v string) bool { return strings.ContainsAny(v, "0123456789") }

// looksRandom tells key material from words, paths and identifiers: letters and digits mixed within a part, and many
// different characters for the length.
func looksRandom(v string) bool {
	if len(v) < 8 || !hasDigit(v) || strings.IndexFunc(v, func(r rune) bool { return r < 128 && isLetter(byte(r)) }) < 0 {
		return len(v) >= 24 && longestRun(v) >= 24 && entropy(v) >= 3.7
	}
	return longestRun(v) >= 8 && entropy(v) >= 2.6
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
