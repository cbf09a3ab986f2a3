package replay

import "tidemark/internal/pricing"

// Report is what a run came to.
type Report struct {
	Server string `json:"server"`
	Model  string `json:"model"`
	Files  []File `json:"files"`
	Total  Totals `json:"total"`
}

// File is one recording and the session it became.
type File struct {
	File      string  `json:"file"`
	SessionID string  `json:"session_id"`
	Turns     int     `json:"turns"`
	Steps     int     `json:"steps"`
	Repairs   int     `json:"repairs"`
	Passes    Passes  `json:"passes"`
	CacheHits int     `json:"summary_cache_hits"`
	Seconds   float64 `json:"seconds"`
	// LargestRequest and MeanRequest are prompt tokens of the turns' model calls.
	LargestRequest    int          `json:"largest_request"`
	MeanRequest       int          `json:"mean_request"`
	PrefixTokens      int          `json:"prefix_tokens"`       // tools and system
	MeanSummaryTokens int          `json:"mean_summary_tokens"` // of the applied passes
	CacheReadShare    *float64     `json:"cache_read_share"`    // of all input; null before the first call
	CostUSD           *pricing.USD `json:"cost_usd"`            // null when nothing could be priced
	CompactionCostUSD pricing.USD  `json:"compaction_cost_usd"`
	Violations        []string     `json:"violations"`
	Error             string       `json:"error,omitempty"` // why the file could not be played to its end
}

// Passes counts applied passes by kind, and attempts that changed nothing.
type Passes struct {
	Semantic   int `json:"semantic"`
	Mechanical int `json:"mechanical"`
	Truncation int `json:"truncation"`
	Elision    int `json:"elision"`
	Folds      int `json:"folds"` // counted under their kind too
	Failed     int `json:"failed"`
}

// Totals sums a run.
type Totals struct {
	Turns             int         `json:"turns"`
	Steps             int         `json:"steps"`
	Passes            int         `json:"passes"`
	LargestRequest    int         `json:"largest_request"`
	CostUSD           pricing.USD `json:"cost_usd"` // of what could be priced
	CompactionCostUSD pricing.USD `json:"compaction_cost_usd"`
	Violations        int         `json:"violations"`
	Errors            int         `json:"errors"`
}

// OK reports whether every file was played and every check held.
func (r Report) OK() bool { return r.Total.Violations == 0 && r.Total.Errors == 0 }

// fill takes the figures of a session's books.
func (f *File) fill(b books) {
	f.Turns, f.PrefixTokens, f.CacheReadShare = len(b.turns), b.posture.PrefixTokens, b.session.CacheHitRate
	f.CostUSD, f.CompactionCostUSD = b.session.CostUSD, b.session.CompactionCostUSD
	for _, t := range b.turns {
		f.Steps += t.Steps
	}
	calls, sum := 0, 0
	for _, row := range b.ledger {
		if n := row.Usage.Prompt(); row.Purpose == "turn" && n > 0 {
			calls, sum = calls+1, sum+n
			f.LargestRequest = max(f.LargestRequest, n)
		}
	}
	f.MeanRequest = sum / max(calls, 1)
	f.countPasses(b.passes)
}

func (f *File) countPasses(passes []passRow) {
	applied, tokens := 0, 0
	for _, p := range passes {
		if !p.applied() {
			f.Passes.Failed++
			continue
		}
		switch p.Kind {
		case "semantic":
			f.Passes.Semantic++
		case "mechanical":
			f.Passes.Mechanical++
		case "truncation":
			f.Passes.Truncation++
		case "elision":
			f.Passes.Elision++
			continue // it has no summary
		}
		if p.Trigger == "fold" {
			f.Passes.Folds++
		}
		if p.CacheHit {
			f.CacheHits++
		}
		applied, tokens = applied+1, tokens+p.SpanTokenCountOut
	}
	f.MeanSummaryTokens = tokens / max(applied, 1)
}

func (p Passes) applied() int { return p.Semantic + p.Mechanical + p.Truncation + p.Elision }

func (r *Report) sum() {
	for _, f := range r.Files {
		r.Total.Turns += f.Turns
		r.Total.Steps += f.Steps
		r.Total.Passes += f.Passes.applied()
		r.Total.LargestRequest = max(r.Total.LargestRequest, f.LargestRequest)
		r.Total.CompactionCostUSD = r.Total.CompactionCostUSD.Add(f.CompactionCostUSD)
		r.Total.Violations += len(f.Violations)
		if f.CostUSD != nil {
			r.Total.CostUSD = r.Total.CostUSD.Add(*f.CostUSD)
		}
		if f.Error != "" {
			r.Total.Errors++
		}
	}
}
