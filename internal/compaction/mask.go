package compaction

import "strings"

// Redacted is what a masked secret is replaced by.
const Redacted = "[REDACTED]"

// Mask replaces secrets by pattern (spec 4.6, case B51): vendor keys, bearer tokens, JWTs, private key blocks, the
// password of a URL and high-entropy values of names that say secret. It returns how many it replaced. It is
// deterministic and idempotent, and it never removes a quote or a backslash, so masked JSON stays JSON. Ordinary
// hashes, paths and UUIDs are left alone: the rest of a session needs them.
func Mask(s string) (string, int) {
	var sb strings.Builder
	n, done := 0, 0
	for i := 0; i < len(s); {
		if !maskStart[s[i]] {
			i++
			continue
		}
		from, to := secretAt(s, i)
		if to <= from {
			i++
			continue
		}
		sb.WriteString(s[done:from])
		sb.WriteString(Redacted)
		n, done, i = n+1, to, to
	}
	if n == 0 {
		return s, 0
	}
	sb.WriteString(s[done:])
	return sb.String(), n
}

// maskStart marks the bytes a secret, or the name in front of one, can start with; most bytes are passed over by it.
var maskStart = func() (t [256]bool) {
	for i := range vendorKeys {
		t[vendorKeys[i].prefix[0]] = true
	}
	for _, c := range "-:=bBeE" {
		t[c] = true
	}
	return t
}()

// secretAt looks for a secret that is recognized by the byte at i; the secret is s[from:to].
func secretAt(s string, i int) (from, to int) {
	switch s[i] {
	case '-':
		if from, to = privateKeyAt(s, i); to > from {
			return from, to
		}
		return flagAt(s, i)
	case ':':
		if from, to = urlPasswordAt(s, i); to > from {
			return from, to
		}
		return namedValueAt(s, i)
	case '=':
		return namedValueAt(s, i)
	}
	if i > 0 && isWord(s[i-1]) && !escapedLetter(s, i-1) {
		return vendorKeyAt(s, i, true)
	}
	if s[i] == 'b' || s[i] == 'B' {
		if from, to = bearerAt(s, i); to > from {
			return from, to
		}
	}
	if s[i] == 'e' {
		if from, to = jwtAt(s, i); to > from {
			return from, to
		}
	}
	return vendorKeyAt(s, i, false)
}

// escapedLetter reports whether s[i] is the letter of a JSON escape, as in `\nsk-…`.
func escapedLetter(s string, i int) bool {
	return i > 0 && s[i-1] == '\\' && (s[i] == 'n' || s[i] == 't' || s[i] == 'r')
}

// bearerAt finds the token after "Bearer ", in headers and in prose that quotes them.
func bearerAt(s string, i int) (int, int) {
	const word = "bearer "
	if len(s) < i+len(word) || !strings.EqualFold(s[i:i+len(word)], word) {
		return 0, 0
	}
	j := runEnd(s, i+len(word), func(b byte) bool { return b == ' ' })
	e := runEnd(s, j, isTokenByte)
	if e-j < 12 || !looksRandom(s[j:e]) {
		return 0, 0
	}
	return j, e
}

// jwtAt finds header.payload.signature; the header of a JWT is a JSON object and so begins with eyJ.
func jwtAt(s string, i int) (int, int) {
	if !strings.HasPrefix(s[i:], "eyJ") {
		return 0, 0
	}
	a := runEnd(s, i, isURLBase64)
	if a-i < 12 || a >= len(s) || s[a] != '.' {
		return 0, 0
	}
	b := runEnd(s, a+1, isURLBase64)
	if b-a < 9 {
		return 0, 0
	}
	if b < len(s) && s[b] == '.' {
		b = runEnd(s, b+1, isURLBase64)
	}
	return i, b
}

// privateKeyAt finds a PEM private key. Without its end line it covers what can only be key material.
func privateKeyAt(s string, i int) (int, int) {
	const begin, mid = "-----BEGIN ", "PRIVATE KEY-----"
	if !strings.HasPrefix(s[i:], begin) {
		return 0, 0
	}
	head := s[i:min(len(s), i+len(begin)+40)]
	k := strings.Index(head, mid)
	if k < 0 || strings.ContainsAny(head[:k], "\n\"") {
		return 0, 0
	}
	body := i + k + len(mid)
	e := runEnd(s, body, isPEMByte)
	if t := strings.Index(s[body:e], mid); t >= 0 {
		e = body + t + len(mid)
	}
	for e > body && (s[e-1] == '\\' || isSpace(s[e-1])) { // a lone backslash would escape what follows
		e--
	}
	return i, e
}

// urlPasswordAt finds user:password@ of a URL; both are masked, since a user name alone is often a token too.
func urlPasswordAt(s string, i int) (int, int) {
	if !strings.HasPrefix(s[i:], "://") || i == 0 || !isWord(s[i-1]) {
		return 0, 0
	}
	from := i + 3
	colon, at := -1, -1
	for j := from; j < len(s) && isUserinfo(s[j]); j++ {
		if s[j] == ':' && colon < 0 {
			colon = j
		}
		if s[j] == '@' {
			at = j
		}
	}
	if colon < 0 || at < colon+2 {
		return 0, 0
	}
	if v := s[colon+1 : at]; v[0] == '$' || v[0] == '{' || v[0] == '<' || strings.Trim(v, "*") == "" {
		return 0, 0 // a placeholder
	}
	return from, at
}

func isUserinfo(b byte) bool {
	return b > ' ' && b < 0x7f && b != '/' && b != '"' && b != '\'' && b != '\\' && b != '?' && b != '#' && b != '[' && b != '`' && b != ',' && b != '(' && b != ')'
}
