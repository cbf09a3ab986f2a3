package compaction

import "strings"

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
	return valueAt(s, j, kind, quoted || s[i] == '=' && j == i+1)
}

// valueAt decides about the value that starts at j; close tells that it is quoted or stands right behind its sign.
func valueAt(s string, j int, kind nameKind, closely bool) (int, int) {
	e := runEnd(s, j, isValueByte)
	if isAuthScheme(s[j:e]) && e < len(s) && s[e] == ' ' { // Authorization: Basic …
		j, closely = e+1, false
		e = runEnd(s, j, isValueByte)
	}
	if e < len(s) && (s[e] == '(' || s[e] == '{' || s[e] == '[') { // a call or an index: code, not a value
		return 0, 0
	}
	if !secretValue(s[j:e], kind, closely) {
		return 0, 0
	}
	return j, e
}

func isAuthScheme(v string) bool {
	return strings.EqualFold(v, "basic") || strings.EqualFold(v, "bearer") || strings.EqualFold(v, "token") || strings.EqualFold(v, "apikey")
}

// flagAt looks at the dash at i for `--token VALUE` and for the user and password of `curl -u USER:PASSWORD`.
func flagAt(s string, i int) (int, int) {
	if i > 0 && !isSpace(s[i-1]) && s[i-1] != '"' && s[i-1] != '\'' {
		return 0, 0
	}
	if strings.HasPrefix(s[i:], "-u ") && strings.Contains(s[max(0, i-120):i], "curl ") {
		j := i + len("-u ")
		j = runEnd(s, j, func(b byte) bool { return b == '"' || b == '\'' || b == ' ' })
		e := runEnd(s, j, isValueByte)
		if c := strings.IndexByte(s[j:e], ':'); c > 0 && c+1 < e-j && s[j+c+1] != '$' {
			return j, e
		}
		return 0, 0
	}
	if !strings.HasPrefix(s[i:], "--") {
		return 0, 0
	}
	e := runEnd(s, i+2, isURLBase64)
	if e >= len(s) || s[e] != ' ' {
		return 0, 0
	}
	kind := secretName(s, e)
	if kind == notSecret {
		return 0, 0
	}
	j, _ := skipToValue(s, e)
	return valueAt(s, j, kind, true)
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

// skipToValue passes blanks and one opening quote, which may be escaped.
func skipToValue(s string, j int) (int, bool) {
	for j < len(s) && (s[j] == ' ' || s[j] == '\t') {
		j++
	}
	if j+1 < len(s) && s[j] == '\\' && (s[j+1] == '"' || s[j+1] == '\'') {
		j++
	}
	if j < len(s) && (s[j] == '"' || s[j] == '\'') {
		return j + 1, true
	}
	return j, false
}

func isValueByte(b byte) bool {
	return b > ' ' && b < 0x7f && b != '"' && b != '\'' && b != '\\' && b != ',' && b != ';' && b != '`' &&
		b != '(' && b != ')' && b != '{' && b != '}' && b != '[' && b != ']' && b != '<' && b != '>' && b != '&' && b != '|'
}

// secretValue decides about a value by its name's kind: passwords may be short and plain when they are given closely,
// other secrets must look random.
func secretValue(v string, kind nameKind, closely bool) bool {
	if v == "" || v[0] == '$' || v[0] == '%' || v[0] == '*' || v[0] == '-' || isNumber(v) || strings.Contains(v, "://") {
		return false // a reference, a placeholder, a flag, a number, or a URL (which has its own rule)
	}
	if kind == passwordName && closely && len(v) >= 6 && (hasDigit(v) || !strings.ContainsAny(v, "._")) && squeeze(v) != "password" {
		return true
	}
	return len(v) >= 12 && looksRandom(v)
}
