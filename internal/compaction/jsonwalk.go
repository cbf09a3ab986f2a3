package compaction

import (
	"encoding/json"
	"strings"
)

// arg is one scalar of a call's input, with the key it stands under and how deep.
type arg struct {
	key   string
	value string
	depth int // 1 = directly in the input
	text  bool
}

// walkInput lists the scalars of a JSON object in the order they were written, which a map would lose. It stops quietly
// at the first byte that is no JSON: a digest is never a reason to fail a turn.
func walkInput(raw string, visit func(arg)) {
	w := jsonWalker{s: raw, visit: visit}
	w.value("", 0)
}

type jsonWalker struct {
	s     string
	i     int
	visit func(arg)
}

// maxJSONDepth keeps a hostile input from exhausting the stack.
const maxJSONDepth = 64

func (w *jsonWalker) value(key string, depth int) bool {
	w.blank()
	if w.i >= len(w.s) || depth > maxJSONDepth {
		return false
	}
	switch w.s[w.i] {
	case '{', '[':
		return w.list(key, depth)
	case '"':
		v, ok := w.str()
		if ok {
			w.visit(arg{key, v, depth, true})
		}
		return ok
	}
	from := w.i
	w.i = runEnd(w.s, w.i, func(b byte) bool { return isWord(b) || b == '-' || b == '+' || b == '.' })
	if w.i == from {
		return false
	}
	w.visit(arg{key, w.s[from:w.i], depth, false})
	return true
}

// list walks an object or an array; the elements of an array stand under its key.
func (w *jsonWalker) list(key string, depth int) bool {
	object := w.s[w.i] == '{'
	w.i++
	for {
		w.blank()
		if w.i >= len(w.s) {
			return false
		}
		switch w.s[w.i] {
		case '}', ']':
			w.i++
			return true
		case ',':
			w.i++
			continue
		}
		k := key
		if object {
			var ok bool
			if k, ok = w.str(); !ok {
				return false
			}
			w.blank()
			if w.i >= len(w.s) || w.s[w.i] != ':' {
				return false
			}
			w.i++
		}
		if !w.value(k, depth+1) {
			return false
		}
	}
}

func (w *jsonWalker) blank() { w.i = runEnd(w.s, w.i, isSpace) }

func (w *jsonWalker) str() (string, bool) {
	if w.i >= len(w.s) || w.s[w.i] != '"' {
		return "", false
	}
	for j := w.i + 1; j < len(w.s); j++ {
		switch w.s[j] {
		case '\\':
			j++
		case '"':
			lit := w.s[w.i : j+1]
			w.i = j + 1
			return unquoteJSON(lit), true
		}
	}
	return "", false
}

func unquoteJSON(lit string) string {
	if strings.IndexByte(lit, '\\') < 0 {
		return lit[1 : len(lit)-1]
	}
	var v string
	if err := json.Unmarshal([]byte(lit), &v); err != nil {
		return lit[1 : len(lit)-1]
	}
	return v
}
