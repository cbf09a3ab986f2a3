package compaction

// ScanCodes calls yield for the words that are specifics of other trades than programming: codes of capitals and digits
// (`HAT028`, `ENT-221`), versions, dates and mail addresses. They are no part of the fidelity measure.
func ScanCodes(s string, yield func(from, to int)) {
	for i := 0; i < len(s); {
		if !isCodeByte(s[i]) {
			i++
			continue
		}
		e := runEnd(s, i, isCodeByte)
		from, to := trimCode(s, i, e)
		if isCode(s[from:to]) {
			yield(from, to)
		}
		i = e
	}
}

func isCodeByte(b byte) bool { return isPathByte(b) || b == '@' || b == '+' || b == '/' }

// trimCode drops the dots and dashes around a word.
func trimCode(s string, from, to int) (int, int) {
	for from < to && !isLetter(s[from]) && !isDigit(s[from]) {
		from++
	}
	for to > from && !isLetter(s[to-1]) && !isDigit(s[to-1]) {
		to--
	}
	return from, to
}

// Bounds of a code, in bytes.
const (
	minCode = 5
	maxCode = 48
)

func isCode(w string) bool {
	if len(w) < minCode || len(w) > maxCode {
		return false
	}
	var c struct{ up, low, dig, dot, dash, at, other int }
	for i := 0; i < len(w); i++ {
		switch b := w[i]; {
		case isUpper(b):
			c.up++
		case isLower(b):
			c.low++
		case isDigit(b):
			c.dig++
		case b == '.':
			c.dot++
		case b == '-':
			c.dash++
		case b == '@':
			c.at++
		default:
			c.other++
		}
	}
	switch {
	case c.at == 1:
		return c.dot > 0 && c.low+c.up > 4 && w[0] != '@'
	case c.at > 0 || c.other > 0:
		return false
	case c.up > 1 && c.low == 0 && c.dot == 0:
		return c.dash < 4 && (c.dig > 1 || c.dig == 1 && c.dash == 0 && len(w) > minCode)
	case c.up == 0 && c.dig > 2 && c.low <= 1 && (c.low == 0 || w[0] == 'v'):
		return c.dot == 2 && c.dash == 0 || c.dash == 2 && c.dot == 0 && c.low == 0
	}
	return false
}
