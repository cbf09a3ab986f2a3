package compaction

import "strings"

// sentences cuts prose at ends of paragraphs and at stops that a blank follows. Code fences and what is too long to be a
// sentence are passed over. White space is folded, so that a sentence that was wrapped is whole.
func sentences(s string, visit func(string)) {
	paragraphs(s, func(t string) {
		for t != "" {
			var one string
			one, t = cutSentence(t)
			if one = dropMarker(one); len(one) >= 8 && len(one) <= maxSentence && !strings.HasSuffix(strings.TrimRight(one, "*_"), ":") {
				visit(strings.Clone(one))
			}
		}
	})
}

// paragraphs joins lines that were wrapped: those that go on in lower case behind a line without an end.
func paragraphs(s string, visit func(string)) {
	fenced := false
	var held []string
	flush := func() {
		if len(held) > 0 {
			visit(strings.Join(held, " "))
		}
		held = held[:0]
	}
	for line := range strings.SplitSeq(s, "\n") {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "```") {
			fenced = !fenced
			t = ""
		}
		if fenced || t == "" || len(held) > 0 && !wrapped(held[len(held)-1], t) {
			flush()
		}
		if !fenced && t != "" {
			held = append(held, foldSpace(t))
		}
	}
	flush()
}

// wrapped reports whether the line t goes on with the line before.
func wrapped(before, t string) bool {
	return isLower(t[0]) && strings.IndexByte(".!?:", before[len(before)-1]) < 0
}

// foldSpace makes each run of white space one blank.
func foldSpace(s string) string {
	if !strings.ContainsAny(s, "\n\t\r") && !strings.Contains(s, "  ") {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// dropMarker drops what makes a line an item, a heading or a quotation.
func dropMarker(t string) string {
	for {
		word, rest, ok := strings.Cut(t, " ")
		if !ok || len(word) > 4 || strings.Trim(word, "-*•>#0123456789.)[]x") != "" {
			return strings.TrimSpace(t)
		}
		t = strings.TrimLeft(rest, " ")
	}
}

func cutSentence(t string) (one, rest string) {
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '.', '!', '?':
			if i+1 < len(t) && t[i+1] == ' ' && i > 2 && t[i-1] != '.' && !strings.HasSuffix(t[:i], "e.g") && !strings.HasSuffix(t[:i], "i.e") {
				return t[:i+1], strings.TrimSpace(t[i+1:])
			}
		case 0xE3: // 。
			if strings.HasPrefix(t[i:], "。") {
				return t[:i+3], strings.TrimSpace(t[i+3:])
			}
		}
	}
	return t, ""
}
