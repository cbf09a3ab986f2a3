package acp

import "errors"

// MaxDepth is how deep JSON may nest (protocol section 3, "Limits").
const MaxDepth = 64

var errTooDeep = errors.New("JSON nests too deeply")

// CheckDepth refuses JSON that nests deeper than MaxDepth.
func CheckDepth(b []byte) error { return checkDepth(b, MaxDepth) }

// checkDepth refuses deep nesting before anything is decoded. It only counts brackets outside strings: whether the
// text is JSON at all is the decoder's to say.
func checkDepth(b []byte, limit int) error {
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return errTooDeep
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}
