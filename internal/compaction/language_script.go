package compaction

import "unicode"

// dominantScript is the script of at least share tenths of the words. Scripts without blanks count two characters as a
// word. Kana make Han Japanese.
func dominantScript(words []string, share int) string {
	count := make(map[string]int) // in halves of a word
	total := 0
	for _, w := range words {
		if spaceless(w) {
			for _, r := range w {
				count[scriptOf(r)]++
				total++
			}
			continue
		}
		r := []rune(w)[0]
		count[scriptOf(r)] += 2
		total += 2
	}
	if count["kana"] > 0 && count["kana"]*12 >= count["han"] {
		count["kana"], count["han"] = count["kana"]+count["han"], 0
	}
	for _, s := range scripts {
		if total >= 2*minProse && 10*count[s.name] >= share*total {
			return s.name
		}
	}
	return ""
}

const latin = "latin"

var scripts = []struct {
	name   string
	tables []*unicode.RangeTable
}{
	{latin, []*unicode.RangeTable{unicode.Latin}},
	{"han", []*unicode.RangeTable{unicode.Han}},
	{"kana", []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}},
	{"hangul", []*unicode.RangeTable{unicode.Hangul}},
	{"cyrillic", []*unicode.RangeTable{unicode.Cyrillic}},
	{"greek", []*unicode.RangeTable{unicode.Greek}},
	{"arabic", []*unicode.RangeTable{unicode.Arabic}},
	{"hebrew", []*unicode.RangeTable{unicode.Hebrew}},
	{"devanagari", []*unicode.RangeTable{unicode.Devanagari}},
	{"thai", []*unicode.RangeTable{unicode.Thai}},
}

func scriptOf(r rune) string {
	for _, s := range scripts {
		if unicode.In(r, s.tables...) {
			return s.name
		}
	}
	return "other"
}
