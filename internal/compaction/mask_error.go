package compaction

import (
	"strings"
	"unicode/utf8"
)

// maxErrorChars is the length an error message is cut to before it leaves the server (requirements C13.3).
const maxErrorChars = 500

// MaskError makes an error message fit to be stored and shown: secrets, e-mail addresses, long hex or base64 runs and
// home folders are masked, and the rest is cut to 500 characters.
func MaskError(s string) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	if len(s) > 16*maxErrorChars { // more than can be shown; the cut falls between words so that no half secret stays
		s = s[:16*maxErrorChars]
		s = s[:strings.LastIndexAny(s, " \n\t")+1]
	}
	s, _ = Mask(s)
	return cutRunes(maskWords(s), maxErrorChars)
}

// maskWords goes over the runs of word-like bytes and masks those that are an address, a home path or a long blob.
func maskWords(s string) string {
	var sb strings.Builder
	for i := 0; i < len(s); {
		e := runEnd(s, i, isErrorWord)
		if e == i {
			sb.WriteByte(s[i])
			i++
			continue
		}
		sb.WriteString(maskWord(s[i:e]))
		i = e
	}
	return sb.String()
}

func isErrorWord(b byte) bool {
	return isWord(b) || b == '-' || b == '.' || b == '+' || b == '/' || b == '=' || b == '@' || b == '%' || b == '~' || b >= 0x80
}

func maskWord(w string) string {
	if at := strings.IndexByte(w, '@'); at > 0 && strings.Contains(w[at:], ".") {
		if slash := strings.LastIndexByte(w[:at], '/'); slash >= 0 {
			return w[:slash+1] + Redacted
		}
		return Redacted
	}
	if h, ok := maskHome(w); ok {
		w = h
	}
	return maskBlobs(w)
}

// maskHome hides whose home folder a path lies in.
func maskHome(w string) (string, bool) {
	for _, p := range [...]string{"/home/", "/Users/", "/root/"} {
		i := strings.Index(w, p)
		if i < 0 {
			continue
		}
		if p == "/root/" {
			return w[:i] + "~/" + w[i+len(p):], true
		}
		rest := w[i+len(p):]
		if s := strings.IndexByte(rest, '/'); s >= 0 {
			return w[:i] + "~" + rest[s:], true
		}
		return w[:i] + "~", true
	}
	return w, false
}

// maskBlobs masks parts of 32 and more hex or mixed letters and digits.
func maskBlobs(w string) string {
	var sb strings.Builder
	for i := 0; i < len(w); {
		e := runEnd(w, i, func(b byte) bool { return isLetter(b) || isDigit(b) || b == '+' || b == '=' })
		if e == i {
			sb.WriteByte(w[i])
			i++
			continue
		}
		if e-i >= 32 && hasDigit(w[i:e]) {
			sb.WriteString(Redacted)
		} else {
			sb.WriteString(w[i:e])
		}
		i = e
	}
	return sb.String()
}
