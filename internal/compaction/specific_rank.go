package compaction

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The rank of a specific is the chance that the session writes it again after it left the view, for each byte that it
// costs. The chance is a logistic sum over a few circumstances. Its weights were fitted on open transcripts, judged on
// those left out of the fit, and rounded; they are meant to be plausible on their own: what the session wrote counts
// more than what tools showed, what stood in a short argument more than the body of an edit, what came twice more than
// what came once, one of few more than one of many, round numbers (limits, time-outs) more than line numbers, recent
// more than old.
const (
	weightBase      = -0.6
	weightCall      = 0.5
	weightText      = 0.4
	weightTexts     = 0.65 // by the logarithm of rows
	weightUser      = 0.15
	weightSeen      = -0.5  // a result showed it: the session can read it again
	weightOnce      = -0.75 // and showed it once, and nobody wrote it
	weightNumHits   = -0.2  // numbers that results repeat are mostly sizes and counts
	weightArgument  = 0.45
	weightEdit      = -0.25
	weightLine      = -0.45
	weightCalled    = 0.25
	weightOpening   = 1 // the next edit quotes the line
	weightAbsolute  = 0.35
	weightRelated   = 0.3 // a path only seen, whose folder or file name the session used
	weightRound     = 0.9
	weightAge       = -0.16 // by the logarithm of rows since
	weightTopicSize = -0.39 // by the logarithm of specifics of its topic
)

var weightKind = [...]float64{
	KindPath: -0.35, KindFile: 0, KindSnake: -0.4, KindCamel: -0.8, KindPascal: -0.7, KindConst: -0.4, KindNumber: -0.7, KindHash: -0.7,
	KindCode: -0.4,
}

var weightMark = [...]struct {
	mark   Marks
	weight float64
}{
	{MarkArgument, weightArgument}, {MarkEdit, weightEdit}, {MarkLine, weightLine}, {MarkCalled, weightCalled}, {MarkOpening, weightOpening},
	{MarkAbsolute, weightAbsolute},
}

func weightTopic(k TopicKind) float64 {
	switch k {
	case TopicFile:
		return -0.25
	case TopicCommand, TopicModel:
		return -0.75
	case TopicTool:
		return -0.4
	case TopicUser:
		return -0.15
	}
	return 0
}

// ranker knows what a list of specifics tells about each of them.
type ranker struct {
	list      Specifics
	topics    []Topic
	topicSize []int
	bases     map[string]bool // file names and folders that the session itself used
	dirs      map[string]bool
}

func newRanker(list Specifics, topics []Topic) *ranker {
	r := &ranker{list: list, topics: topics, topicSize: make([]int, len(topics)+1), bases: map[string]bool{}, dirs: map[string]bool{}}
	for i := range list {
		s := &list[i]
		r.topicSize[s.At]++
		if !s.written() || strings.IndexByte(s.Text, '/') < 0 && strings.IndexByte(s.Text, '.') < 0 {
			continue
		}
		r.bases[baseName(s.Text)] = true
		if k := strings.LastIndexByte(s.Text, '/'); k > 0 {
			r.dirs[s.Text[:k]] = true
		}
	}
	return r
}

// written reports whether user or model wrote it, rather than only a tool.
func (s *Specific) written() bool { return s.Calls+s.Texts+s.Users > 0 }

// chance is the logistic of the sum of what is known about a specific.
func (r *ranker) chance(s *Specific) float64 {
	kind := kindOf(s.Text)
	z := weightBase + weightKind[kind] + s.sourceWeight(kind) + weightAge*log1p(s.Age+1)
	for _, m := range weightMark {
		if s.Marks&m.mark != 0 {
			z += m.weight
		}
	}
	if kind == KindNumber && strings.HasSuffix(s.Text, "0") {
		z += weightRound
	}
	if s.At > 0 {
		z += weightTopic(r.topics[s.At-1].Kind) + weightTopicSize*log1p(r.topicSize[s.At])
	}
	if !s.written() && r.related(s.Text, kind) {
		z += weightRelated
	}
	return 1 / (1 + math.Exp(-z))
}

func (s *Specific) sourceWeight(kind SpecificKind) float64 {
	z := 0.0
	if s.Calls > 0 {
		z += weightCall
	}
	if s.Texts > 0 {
		z += weightText + weightTexts*log1p(s.Texts)
	}
	if s.Users > 0 {
		z += weightUser
	}
	if s.Seen > 0 {
		z += weightSeen
	}
	if s.Seen == 1 && s.Hits == 0 && !s.written() {
		z += weightOnce
	}
	if kind == KindNumber {
		z += weightNumHits * log1p(s.Seen+s.Hits)
	}
	return z
}

func (r *ranker) related(t string, kind SpecificKind) bool {
	if kind != KindPath && kind != KindFile {
		return false
	}
	k := strings.LastIndexByte(t, '/')
	return r.bases[t[k+1:]] || k > 0 && r.dirs[t[:k]]
}

// rankSpecifics orders the places of specifics by chance a byte, best first; ties keep their order of appearance. Focus
// words of a manual pass lift what holds them.
func rankSpecifics(list Specifics, topics []Topic, focus string) []int {
	r := newRanker(list, topics)
	words := focusWords(focus)
	order := make([]int, len(list))
	score := make([]float64, len(list))
	for i := range list {
		order[i] = i
		score[i] = r.chance(&list[i]) / float64(len(list[i].Text)+1)
		if holdsAny(list[i].Text, words) {
			score[i] *= focusLift
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order
}

// focusLift is how much likelier a specific becomes by standing in a focus text.
const focusLift = 4

func focusWords(focus string) []string {
	words := strings.FieldsFunc(strings.ToLower(focus), func(r rune) bool { return r == ' ' || r == ',' || r == '.' || r == '\n' })
	return slices.DeleteFunc(words, func(w string) bool { return len(w) < 4 })
}

func holdsAny(s string, words []string) bool {
	if len(words) == 0 {
		return false
	}
	low := strings.ToLower(s)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) || strings.Contains(w, low) })
}

func log1p(n int) float64 { return math.Log1p(float64(n)) }

// baseName is what stands behind the last slash.
func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// kindOf classifies a specific by its text.
func kindOf(t string) SpecificKind {
	if t != "" && t[0] == '\\' { // the opening of a line
		t = t[1:]
	}
	kind := KindCode
	ScanSpecifics(t, func(from, to int, k SpecificKind) {
		if from == 0 && to == len(t) {
			kind = k
		}
	})
	return kind
}
