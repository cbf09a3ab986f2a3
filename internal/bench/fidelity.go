package bench

import (
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/transcript"
)

// MechanicalName is the method that is measured; the others are there to compare it with.
const MechanicalName = "mechanical summary"

// Report is the fidelity of summaries over a set of transcripts.
type Report struct {
	Files       int      `json:"files"`       // transcripts read
	Compactions int      `json:"compactions"` // of the schedule, over all files
	Scored      int      `json:"scored"`      // those after which something was still needed
	Methods     []Method `json:"methods"`     // the mechanical summary first
	PerFile     []File   `json:"per_file"`    // of the mechanical summary, files with compactions
}

// Method is how one way to summarize did.
type Method struct {
	Name string `json:"name"`
	// Recall is needed specifics that stand in the summary / needed specifics: the mean over compactions, and over all
	// specifics at once.
	MeanRecall   float64 `json:"mean_recall"`
	PooledRecall float64 `json:"pooled_recall"`
	Kept         int     `json:"kept"`
	Needed       int     `json:"needed"`
	// Instructions are the user's text blocks of at most 500 tokens; kept ones stand in the summary word for word.
	InstructionsKept int     `json:"instructions_kept"`
	Instructions     int     `json:"instructions"`
	InstructionShare float64 `json:"instruction_share"`
	MeanTokens       float64 `json:"mean_tokens"`
	MaxTokens        int     `json:"max_tokens"`
}

// File is how the mechanical summary did on one transcript.
type File struct {
	Name        string  `json:"name"`
	Compactions int     `json:"compactions"`
	Scored      int     `json:"scored"`
	MeanRecall  float64 `json:"mean_recall"`
}

// Fidelity reads transcripts and measures the mechanical summary beside baselines (spec 10, `bench fidelity`).
func Fidelity(files []string) (Report, error) {
	rep := Report{}
	scores := make([]score, 1+len(baselines))
	for _, f := range files {
		rec, err := transcript.ReadFile(f)
		if err != nil {
			return rep, err
		}
		r := newRecording(f, rec.Messages)
		rep.Files++
		rep.addFile(r, scores)
	}
	rep.Methods = append(rep.Methods, scores[0].method(MechanicalName))
	for i, b := range baselines {
		rep.Methods = append(rep.Methods, scores[i+1].method(b.name))
	}
	return rep, nil
}

func (rep *Report) addFile(r *recording, scores []score) {
	points := r.points()
	if len(points) == 0 {
		return
	}
	var own score
	ds := r.digests()
	for _, p := range points {
		need := r.needed(p)
		m := compaction.Mechanical(ds[p.from:p.to], compaction.MechanicalOptions{MaxTokens: r.limit(p)})
		own.add(r, p, need, m.Text)
		scores[0].add(r, p, need, m.Text)
		for i := range baselines {
			scores[i+1].add(r, p, need, baselines[i].make(r, p))
		}
	}
	rep.Compactions += len(points)
	rep.Scored += own.scored
	m := own.method("")
	rep.PerFile = append(rep.PerFile, File{Name: baseName(r.name), Compactions: len(points), Scored: own.scored, MeanRecall: m.MeanRecall})
}

func baseName(p string) string { return p[strings.LastIndexAny(p, `/\`)+1:] }

// limit is the bound of a summary at the default knobs.
func (r *recording) limit(p point) int {
	return compaction.DefaultConfig().SummaryLimit(r.sum[p.to] - r.sum[p.from])
}

// digests extracts each row once, as the store does.
func (r *recording) digests() []compaction.Digest {
	out := make([]compaction.Digest, len(r.rows))
	for i := range r.rows {
		out[i] = compaction.ExtractRow(r.rows[i].msg, r.rows[i].uses)
	}
	return out
}

// score sums up one method.
type score struct {
	points, scored     int
	kept, needed       int
	recall             float64
	instrKept, instr   int
	tokens, tokensMost int
}

func (s *score) add(r *recording, p point, need map[int32]bool, text string) {
	n := message.FallbackTokens(len(text))
	s.points++
	s.tokens += n
	s.tokensMost = max(s.tokensMost, n)
	s.instructions(r, p, text)
	if len(need) == 0 {
		return
	}
	hits := r.hits(need, text)
	s.scored++
	s.kept += hits
	s.needed += len(need)
	s.recall += float64(hits) / float64(len(need))
}

// instructionMax is the size up to which an instruction is to be kept word for word (spec 6.1), in tokens.
const instructionMax = 500

func (s *score) instructions(r *recording, p point, text string) {
	for i := p.from; i < p.to; i++ {
		for _, t := range r.rows[i].texts {
			if message.FallbackTokens(len(t)) > instructionMax {
				continue
			}
			s.instr++
			if masked, _ := compaction.Mask(t); strings.Contains(text, masked) {
				s.instrKept++
			}
		}
	}
}

func (s *score) method(name string) Method {
	return Method{
		Name: name, MeanRecall: ratio(s.recall, s.scored), PooledRecall: ratio(float64(s.kept), s.needed),
		Kept: s.kept, Needed: s.needed,
		InstructionsKept: s.instrKept, Instructions: s.instr, InstructionShare: ratio(float64(s.instrKept), s.instr),
		MeanTokens: ratio(float64(s.tokens), s.points), MaxTokens: s.tokensMost,
	}
}

func ratio(a float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return a / float64(n)
}
