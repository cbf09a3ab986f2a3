package compaction

// openings keeps the words that open the lines of what a call wrote, with the escape that stands in front of them in the
// call's JSON (`\tsessionDir`, `\nUsage`): the model's next edit quotes such lines, escape and all. Only what looks like
// a specific in that form counts.
func (x *extractor) openings(s string, topic int, marks Marks) {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\n' && s[i] != '\t' || !isLetter(s[i+1]) {
			continue
		}
		e := pathEnd(s, runEnd(s, i+1, isPathByte))
		if n := e - i; n >= minOpening && n <= maxOpening {
			x.opening(escapeLetter(s[i])+s[i+1:e], topic, marks|MarkOpening)
		}
		i = e - 1
	}
}

// Bounds of the opening of a line, in bytes with the letter of its escape.
const (
	minOpening = 4
	maxOpening = 60
)

func escapeLetter(c byte) string {
	if c == '\t' {
		return "t"
	}
	return "n"
}

func (x *extractor) opening(w string, topic int, marks Marks) {
	end := 0
	ScanSpecifics(w, func(from, to int, _ SpecificKind) {
		if from == 0 {
			end = to
		}
	})
	if end > 0 {
		x.count(`\`+w[:end], inCall, topic, marks)
	}
}
