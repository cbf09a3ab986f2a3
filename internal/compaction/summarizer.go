package compaction

import (
	"context"
	"errors"
	"time"

	"tidemark/internal/provider"
)

// Summarize gets the text of a prepared job: from the cache, or by one call shared with all who ask for the key now. On
// failure the error is a *[SummaryError]; the calls made are in its Text, or in the Text returned.
//
// accept is the caller's own check (a valid view; in two_phase the gate). It runs before anything is cached, for fresh
// and cached texts alike; its error makes the result a validation failure, and is remembered unless it is an
// [ErrNotJudged]. onText hears the text of the caller's own call as it comes; it must return, and is never called again
// once Summarize has returned. Both may be nil and may run on another goroutine while the caller waits here.
//
// A caller whose context ends leaves the call to the next one in line; the last to leave cancels it and pays for what it
// used.
func (s *Summarizer) Summarize(
	ctx context.Context, p Prepared, accept func(text string) error, onText func(string),
) (Text, error) {
	began := s.now()
	if p.Job.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Job.Timeout)
		defer cancel()
	}
	if accept == nil {
		accept = func(string) error { return nil }
	}
	if ended := provider.ContextError(ctx); ended != nil {
		return Text{}, adapterFailure(ctx, ended)
	}
	a := &asker{accept: accept, onText: onText}
	a.deadline, _ = ctx.Deadline()
	return s.take(ctx, &p, a, began)
}

// take flies along and brings home the result.
func (s *Summarizer) take(ctx context.Context, p *Prepared, a *asker, began time.Time) (Text, error) {
	air, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f, first := s.flights.join(p.Key, a, cancel)
	if first {
		go s.fly(air, f, p) // ends with its last asker, who waits for it below
	} else {
		cancel(nil)
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		if !s.flights.leave(f, a, ctx.Err()) {
			return Text{}, adapterFailure(ctx, provider.ContextError(ctx))
		}
		<-f.done
	}
	if f.payer == a {
		return f.bill(s.now().Sub(began))
	}
	return s.ride(ctx, f, p, a, began)
}

// bill is the result for the asker that pays.
func (f *flight) bill(took time.Duration) (Text, error) {
	if f.err == nil {
		t := f.text
		t.Latency = took
		return t, nil
	}
	e := *f.err
	e.Text = f.text
	e.Text.Latency = took
	return Text{Calls: f.text.Calls, Latency: took}, &e
}

// ride is the result for the others: a hit, judged by themselves, or the payer's error without its calls.
func (s *Summarizer) ride(ctx context.Context, f *flight, p *Prepared, a *asker, began time.Time) (Text, error) {
	if f.err != nil && !f.loose {
		return Text{}, f.err.shared()
	}
	t := hit(f.text.Text, f.key, 0)
	if row, ok := s.cache.Read(ctx, f.key); ok && row.Text != "" { // counts the use
		t = hit(row.Text, f.key, 0)
	}
	t.Latency = s.now().Sub(began)
	if err := a.accept(t.Text); err != nil {
		e := notAccepted(err)
		e.Text = t
		return t, e
	}
	if f.loose {
		s.store(ctx, p, t)
	}
	return t, nil
}

// fly makes the call, has its text judged by whoever pays by then, and only then writes the cache.
func (s *Summarizer) fly(ctx context.Context, f *flight, p *Prepared) {
	defer s.flights.finish(f)
	if s.known(ctx, f, p) { // from before, or by a flight that has just ended
		s.flights.settle(f)
		return
	}
	c := caller{
		s: s, p: p,
		deadline: func() (time.Time, bool) { return s.flights.deadline(f) },
		onText:   func(t string) { s.flights.say(f, t) },
	}
	pe := c.run(ctx)
	f.text = Text{
		Text: c.reply.text, TokensOut: textTokens(c.reply.text), Stop: c.reply.stop, CacheKey: f.key, Calls: c.calls,
	}
	payer, alone := s.flights.settle(f)
	switch {
	case pe != nil:
		f.err = adapterFailure(ctx, pe)
	case alone: // it answered, but nobody is left to judge the answer
		f.err = adapterFailure(ctx, provider.ContextError(ctx))
	default:
		s.judge(ctx, f, p, &c.reply, payer)
	}
}

// judge runs the checks of spec 4.6, then the payer's, and writes the text or remembers why there is none.
func (s *Summarizer) judge(ctx context.Context, f *flight, p *Prepared, r *reply, payer *asker) {
	if f.err = r.check(p); f.err == nil {
		err := payer.accept(r.text)
		if err == nil {
			s.store(ctx, p, f.text)
			return
		}
		f.err, f.loose = notAccepted(err), errors.Is(err, ErrNotJudged)
	}
	if !f.loose {
		s.negatives.remember(f.key, f.err)
	}
}

// known answers from what is already there: a remembered refusal, or a cached text. A cached text that its asker turns
// down is a miss, so that a better one can take its place.
func (s *Summarizer) known(ctx context.Context, f *flight, p *Prepared) bool {
	if f.err = s.negatives.recall(f.key); f.err != nil {
		return true
	}
	t, ok := s.Lookup(ctx, *p)
	if !ok {
		return false
	}
	err := s.flights.offer(f, t.Text)
	if f.loose = errors.Is(err, ErrNotJudged); f.loose {
		f.err = notAccepted(err)
	}
	f.text = t
	return err == nil || f.loose
}

func (s *Summarizer) store(ctx context.Context, p *Prepared, t Text) {
	if p.Key == "" {
		return
	}
	s.cache.Write(ctx, CacheRow{
		Key: p.Key, Text: t.Text, Model: p.Job.Model, PromptVersion: p.Job.PromptVersion,
		SpanMessageCount: len(p.Job.Rows) + len(p.Job.Parents), SpanTokenCountIn: p.source, SpanTokenCountOut: t.TokensOut,
	})
}
