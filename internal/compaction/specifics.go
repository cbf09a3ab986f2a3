package compaction

import "strings"

// SpecificKind says what a specific looks like; ranking uses it (spec 6.1).
type SpecificKind uint8

// Kinds of specifics.
const (
	KindPath   SpecificKind = iota // a/b, with or without a file at its end
	KindFile                       // name.ext
	KindSnake                      // snake_case
	KindCamel                      // camelCase
	KindPascal                     // PascalCase
	KindConst                      // CONSTANT_NAME
	KindNumber                     // three digits and more
	KindHash                       // seven to forty hex digits
	KindCode                       // booking and ticket codes, versions, dates, addresses: see ScanCodes
)

// fileExts are the endings that make a bare name a file.
var fileExts = [...]string{
	"go", "py", "ts", "tsx", "js", "json", "md", "yaml", "yml", "toml", "sh", "rs", "sql", "html", "css", "txt", "lock",
}

// ScanSpecifics calls yield for each specific s[from:to] from left to right: paths, file names, identifiers with inner
// structure, numbers and hashes. It is a hand-written scanner because it goes over each byte of a session once; the
// equal regular expression stands in its test.
func ScanSpecifics(s string, yield func(from, to int, kind SpecificKind)) {
	for i := 0; i < len(s); {
		if !isPathByte(s[i]) {
			i++
			continue
		}
		e := runEnd(s, i, isPathByte)
		if p := pathEnd(s, e); p > e {
			yield(i, p, KindPath)
			i = p
			continue
		}
		scanRun(s, i, e, yield)
		i = e
	}
}

func isPathByte(b byte) bool { return charClass[b]&inPath != 0 }

// pathEnd extends a run that ends at e over `/run/run…`; it is e when no path stands there.
func pathEnd(s string, e int) int {
	for e+1 < len(s) && s[e] == '/' && isPathByte(s[e+1]) {
		e = runEnd(s, e+1, isPathByte)
	}
	return e
}

// scanRun goes over a run of word bytes, dots and dashes that is not part of a path.
func scanRun(s string, i, e int, yield func(int, int, SpecificKind)) {
	named := 0 // a file name cannot start before it: the part up to here was tried
	for i < e {
		if s[i] == '.' || (s[i] == '-' && (i == 0 || !isWord(s[i-1]))) {
			i++
			continue
		}
		if i >= named {
			dash := runEnd(s, i, isURLBase64)
			if f := fileEnd(s, dash); f > 0 {
				yield(i, f, KindFile)
				i, named = f, f
				continue
			}
			named = dash
		}
		if s[i] == '-' || (i > 0 && isWord(s[i-1])) {
			i++
			continue
		}
		w := runEnd(s, i, isWord)
		if k, ok := wordKind(s[i:w]); ok {
			yield(i, w, k)
		}
		i = w
	}
}

// fileEnd is the end of `.ext` at i, or 0.
func fileEnd(s string, i int) int {
	if i >= len(s) || s[i] != '.' {
		return 0
	}
	w := runEnd(s, i+1, isWord)
	for _, x := range fileExts {
		if s[i+1:w] == x {
			return w
		}
	}
	return 0
}

// wordKind classifies a whole word; most are plain and have none.
func wordKind(w string) (SpecificKind, bool) {
	if len(w) < 3 {
		return 0, false
	}
	var has uint8
	for i := 0; i < len(w); i++ {
		has |= charClass[w[i]]
	}
	switch {
	case has&(isUp|isUnder|isDig) == 0:
		return KindHash, isHash(w, has)
	case has&(isUp|isLow|isUnder) == 0:
		return KindNumber, true
	case has&isUp == 0 && has&isUnder != 0:
		return KindSnake, isSnake(w)
	case has&isUp == 0:
		return KindHash, isHash(w, has)
	case has&(isLow|isDig) == 0:
		return KindConst, isConst(w)
	}
	return caseKind(w)
}

func isHash(w string, has uint8) bool {
	if len(w) < 7 || len(w) > 40 || has&^(isHex|isLow|isDig|inPath) != 0 {
		return false
	}
	return runEnd(w, 0, func(b byte) bool { return charClass[b]&isHex != 0 }) == len(w)
}

// isSnake accepts lower words and digits joined by single underscores, starting with a letter.
func isSnake(w string) bool {
	if i := runEnd(w, 0, isLower); i == 0 || w[i] != '_' {
		return false
	}
	return w[len(w)-1] != '_' && !strings.Contains(w, "__")
}

func isConst(w string) bool { return len(w) >= 5 && isUpper(w[0]) && isUpper(w[1]) }

// caseKind tells camelCase and PascalCase.
func caseKind(w string) (SpecificKind, bool) {
	if isLower(w[0]) {
		i := runEnd(w, 0, isLower)
		return KindCamel, isUpper(w[i]) && len(w)-i > 3
	}
	if !isUpper(w[0]) {
		return 0, false
	}
	i := runEnd(w, 1, isLower)
	return KindPascal, i > 1 && i < len(w)-1 && isUpper(w[i])
}

// Classes of bytes, for one look-up a byte.
const (
	isLow uint8 = 1 << iota
	isUp
	isDig
	isUnder
	isHex
	inPath
)

var charClass = func() (t [256]uint8) {
	for c := 0; c < 128; c++ {
		b := byte(c)
		switch {
		case isLower(b):
			t[c] = isLow | inPath
		case isUpper(b):
			t[c] = isUp | inPath
		case isDigit(b):
			t[c] = isDig | inPath | isHex
		case b == '_':
			t[c] = isUnder | inPath
		case b == '.' || b == '-':
			t[c] = inPath
		}
		if b >= 'a' && b <= 'f' {
			t[c] |= isHex
		}
	}
	return t
}()
