package session_test

import (
	"context"
	"fmt"
	"iter"

	"tidemark/internal/message"
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

// noImages refuses requests that hold an image in a tool result, and blames the message as the Anthropic wire does.
type noImages struct{ provider.Registry }

func (n noImages) Model(name string) (provider.Model, error) {
	m, err := n.Registry.Model(name)
	return noImagesModel{m}, err
}

type noImagesModel struct{ provider.Model }

func (m noImagesModel) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	for i, msg := range req.Messages {
		for _, r := range msg.ToolResults() {
			for _, b := range r.Content {
				if b.Type() == message.TypeImage {
					return func(yield func(provider.Chunk, error) bool) {
						yield(nil, &provider.Error{
							Class: provider.ClassInvalidRequest, Status: 400,
							Message: fmt.Sprintf("messages.%d.content.0.tool_result.content.0.image.source: image exceeds the maximum", i),
						})
					}
				}
			}
		}
	}
	return m.Model.Stream(ctx, req)
}
