package session_test

import (
	"context"
	"iter"

	"tidemark/internal/model"
	"tidemark/internal/provider"
)

// holdSummarizer makes every summarizer call wait until release closes.
func holdSummarizer(release <-chan struct{}) func(provider.Registry) provider.Registry {
	return func(r provider.Registry) provider.Registry { return held{r, release} }
}

type held struct {
	provider.Registry
	release <-chan struct{}
}

func (h held) Model(name string) (provider.Model, error) {
	m, err := h.Registry.Model(name)
	if err != nil || name != model.SimSummarizer {
		return m, err
	}
	return heldModel{m, h.release}, nil
}

type heldModel struct {
	provider.Model
	release <-chan struct{}
}

func (m heldModel) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		select {
		case <-m.release:
			m.Model.Stream(ctx, req)(yield)
		case <-ctx.Done():
			yield(nil, provider.AsError(ctx.Err()))
		}
	}
}
