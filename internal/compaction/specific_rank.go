package compaction

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tidemark/internal/message"
)

// The rank of a specific is the chance that the session writes it again after it left the view, for each byte that it
// costs. The chance is a logistic sum over a few circumstances. Its weights were fitted on open transcripts, judged on
// those left out of the fit, and rounded; they are meant to be plausible on their own: what the session wrote itself
// counts more than what tools showed, short arguments more than file bodies, paths and names more than numbers, round
// numbers (limits, time-outs) more than line numbers, recent more than old.
const (
	weightBase     = -1.25
	weightCall     = 0.6 // it stood in a call at all
	weightCalls    = 0.25
	weightText     = 0.45
	weightTexts    = 0.45
	weightUser     = 0.2
	weightSeen     = -1.2 // a result showed it: the session can read it again
	weightHits     = 0.22
	weightNumHits  = -0.45 // numbers that results repeat are mostly line numbers and sizes
	weightArgument = 0.65
	weightEdit     = -0.4
	weightLine     = -0.5
	weightDefined  = 0.3
	weightCalled   = 0.5
	weightAbsolute = 0.6
	weightRelated  = 0.3 // a path only seen, whose folder or file name the session used
	weightFile     = 0.3
	weightCallPath = 0.3
	weightShortNum = -0.4
	weightRoundNum = 1.15
	weightAge      = -0.2 // by the logarithm of rows since
	weightLength   = -0.6 // by the logarithm of bytes
	weightLong     = 0.65
)

var weightKind = [...]float64{
	KindPath: -0.35, KindFile: 0, KindSnake: -0.3, KindCamel: -0.85, KindPascal: -0.65, KindConst: -0.5, KindNumber: -1.4, KindHash: -0.75,
}

// chance is the logistic of the sum of what is known about s.
func (s *Specific) chance(kind SpecificKind, end message.Seq, related bool) float64 {
	z := weightBase + weightKind[kind] + s.sourceWeight(kind) + s.markWeight(related) + shapeWeight(s.Text, kind, s.Calls > 0)
	z += weightAge * math.Log1p(float64(max(end-s.Last, 0)+1))
	return 1 / (1 + math.Exp(-z))
}

func (s *Specific) sourceWeight(kind SpecificKind) float64 {
	z := weightCalls*log1p(s.Calls) + weightTexts*log1p(s.Texts)
	if s.Calls > 0 {
		z += weightCall
	}
	if s.Texts > 0 {
		z += weightText
	}
	if s.Users > 0 {
		z += weightUser
	}
	if s.Seen > 0 {
		z += weightSeen
	}
	if kind == KindNumber {
		return z + weightNumHits*log1p(s.Hits)
	}
	return z + weightHits*log1p(s.Hits)
}

func (s *Specific) markWeight(related bool) float64 {
	z := 0.0
	for _, m := range [...]struct {
		mark   Marks
		weight float64
	}{
		{MarkArgument, weightArgument}, {MarkEdit, weightEdit}, {MarkLine, weightLine},
		{MarkDefined, weightDefined}, {MarkCalled, weightCalled}, {MarkAbsolute, weightAbsolute},
	} {
		if s.Marks&m.mark != 0 {
			z += m.weight
		}
	}
	if related && s.Calls+s.Texts+s.Users == 0 {
		z += weightRelated
	}
	return z
}

func shapeWeight(t string, kind SpecificKind, called bool) float64 {
	z := weightLength * math.Log(float64(len(t)))
	if len(t) > 40 {
		z += weightLong
	}
	switch kind {
	case KindPath:
		if strings.Contains(baseName(t), ".") {
			z += weightFile
		}
		if called {
			z += weightCallPath
		}
	case KindNumber:
		if len(t) == 3 {
			z += weightShortNum
		}
		if strings.HasSuffix(t, "0") {
			z += weightRoundNum
		}
	}
	return z
}

func log1p(n int) float64 { return math.Log1p(float64(n)) }

// baseName is what stands behind the last slash.
func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// kindOf classifies a specific by its text.
func kindOf(t string) SpecificKind {
	kind, found := KindPascal, false
	ScanSpecifics(t, func(from, to int, k SpecificKind) {
		if !found {
			kind, found = k, true
		}
	})
	return kind
}

// rankSpecifics orders the places of specifics by chance a byte, best first; ties keep their order of appearance. Focus
// words of a manual pass lift what they stand in.
func rankSpecifics(list Specifics, end message.Seq, focus string) []int {
	rel := newRelations(list)
	words := focusWords(focus)
	order := make([]int, len(list))
	score := make([]float64, len(list))
	for i := range list {
		order[i] = i
		kind := kindOf(list[i].Text)
		score[i] = list[i].chance(kind, end, rel.near(list[i].Text, kind)) / float64(len(list[i].Text)+2)
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

// relations are the folders and file names that the session itself used.
type relations struct{ bases, dirs map[string]bool }

func newRelations(list Specifics) relations {
	r := relations{map[string]bool{}, map[string]bool{}}
	for i := range list {
		s := &list[i]
		if s.Calls+s.Texts+s.Users == 0 || strings.IndexByte(s.Text, '/') < 0 && strings.IndexByte(s.Text, '.') < 0 {
			continue
		}
		r.bases[baseName(s.Text)] = true
		if k := strings.LastIndexByte(s.Text, '/'); k > 0 {
			r.dirs[s.Text[:k]] = true
		}
	}
	return r
}

func (r relations) near(t string, kind SpecificKind) bool {
	if kind != KindPath && kind != KindFile {
		return false
	}
	k := strings.LastIndexByte(t, '/')
	return r.bases[t[k+1:]] || k > 0 && r.dirs[t[:k]]
}
