package compaction

import (
	"context"
	"fmt"
	"time"

	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/provider"
)

// SummarizerConfig tunes a [Summarizer]; the zero value is usable.
type SummarizerConfig struct {
	Now         func() time.Time      // nil = time.Now; ages of remembered refusals, start times and latencies
	Retry       *provider.RetryPolicy // nil = provider.DefaultRetryPolicy
	NegativeFor time.Duration         // how long a refused span is remembered; 0 = DefaultNegativeFor
}

// DefaultNegativeFor is how long a refused, truncated, empty or rejected result is remembered (spec 5.3).
const DefaultNegativeFor = 10 * time.Minute

// Summarizer gets semantic summaries: from the cache, or by one call that all who ask for the same key share. It is safe
// for concurrent use and starts no goroutine that outlives the callers of [Summarizer.Summarize].
type Summarizer struct {
	reg       provider.Registry
	cache     Cache
	now       func() time.Time
	retry     provider.RetryPolicy
	negatives *negatives
	cooldowns *cooldowns
	flights   flights
}

// NewSummarizer builds one for all sessions of a server; single flight and the memory of refusals are shared by what
// shares it. A nil cache is a cache that always misses.
func NewSummarizer(reg provider.Registry, cache Cache, cfg SummarizerConfig) *Summarizer {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NegativeFor <= 0 {
		cfg.NegativeFor = DefaultNegativeFor
	}
	if cfg.Retry == nil {
		p := provider.DefaultRetryPolicy()
		cfg.Retry = &p
	}
	if cache == nil {
		cache = noCache{}
	}
	return &Summarizer{
		reg: reg, cache: cache, now: cfg.Now, retry: *cfg.Retry,
		negatives: newNegatives(cfg.Now, cfg.NegativeFor), cooldowns: newCooldowns(),
	}
}

type noCache struct{}

func (noCache) Read(context.Context, string) (CacheRow, bool) { return CacheRow{}, false }
func (noCache) Write(context.Context, CacheRow)               {}

// UnavailableError says that the summarization model cannot be had (unknown, or without a key); the caller reports
// `semantic_disabled`.
type UnavailableError struct {
	Model string
	Err   error
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("no summarization model %q: %v", e.Model, e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// Prepared is a job ready to be looked up, quoted and carried out. Making one costs no money and no I/O.
type Prepared struct {
	Job     Job
	Key     string           // "" = neither reads nor writes the cache: a focus text, or NoCache
	Request provider.Request // what the model is sent
	Limit   int              // of the text in fallback tokens: max_tokens, and a third of the span (spec 2.3)
	Tokens  int              // fallback estimate of the request
	Room    int              // what the window leaves for the span after prompt, output and reserve; see FitPrefix
	Fits    bool             // the request fits the summarization model's window minus its reserve (spec 4.6)
	Price   pricing.Price    // projected: span tokens at the input rate, max_tokens at the output rate (spec 4.1)

	model  provider.Model
	prompt prompt
	source int // fallback tokens of what the text replaces
}

// Prepare renders the request, names its key, quotes it and measures it against the window. It returns an
// *[UnavailableError] when there is no such model.
func (s *Summarizer) Prepare(job Job) (Prepared, error) {
	m, err := s.reg.Model(job.Model)
	if err != nil {
		return Prepared{}, &UnavailableError{Model: job.Model, Err: err}
	}
	texts, err := promptFor(job.PromptVersion)
	if err != nil {
		return Prepared{}, err
	}
	p := Prepared{Job: job, model: m, prompt: texts, source: job.sourceTokens()}
	p.Limit = job.limit(p.source)
	if job.Focus == "" && !job.NoCache {
		if p.Key, err = Key(job.keyInput()); err != nil {
			return Prepared{}, err
		}
	}
	p.ask(job.render(texts.closing(job, p.Limit)))
	p.Price = pricing.Quote(m.Card(), max(job.SpanTokens, p.source), job.MaxTokens)
	return p, nil
}

// ask sets the request and all that is counted from it.
func (p *Prepared) ask(msgs []message.Message) {
	card := p.model.Card()
	p.Request = provider.Request{
		SessionID: p.Job.SessionID, System: p.prompt.system, Messages: msgs, MaxTokens: p.Limit, NoCache: true,
	}
	if card.MaxOutput > 0 {
		p.Request.MaxTokens = min(p.Limit, card.MaxOutput)
	}
	p.measure(card)
}

// PrepareRepair asks once more after the gate turned a draft down, naming what it left out (spec 6.3). A repair neither
// reads nor writes the cache.
func (s *Summarizer) PrepareRepair(p Prepared, draft string, missing []string) Prepared {
	p.Key, p.Job.NoCache = "", true
	p.ask(p.prompt.repairMessages(p.Request.Messages, masked(draft), p.Job.Facts, missing))
	p.Price = pricing.Quote(p.model.Card(), p.Tokens, p.Request.MaxTokens)
	return p
}

// Lookup asks the cache alone; a hit costs nothing (spec 5.3). The caller still judges the text.
func (s *Summarizer) Lookup(ctx context.Context, p Prepared) (Text, bool) {
	if p.Key == "" {
		return Text{}, false
	}
	began := s.now()
	row, ok := s.cache.Read(ctx, p.Key)
	if !ok || row.Text == "" {
		return Text{}, false
	}
	return hit(row.Text, p.Key, s.now().Sub(began)), true
}

func hit(text, key string, took time.Duration) Text {
	return Text{
		Text: text, TokensOut: textTokens(text), Stop: provider.StopEndTurn, CacheKey: key, CacheHit: true, Latency: took,
	}
}

func textTokens(s string) int { return message.FallbackTokens(len(s)) }
