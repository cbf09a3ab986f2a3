package sim

import (
	"regexp"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
)

// check refuses what a strict API refuses (spec 7.6), before anything is counted or cached.
func check(card *model.Card, req *provider.Request, p *prompt) *provider.Error {
	if req.MaxTokens < 1 || req.MaxTokens > card.MaxOutput {
		return invalid("max_tokens: %d is not within 1 and %d", req.MaxTokens, card.MaxOutput)
	}
	if err := checkTools(req.Tools); err != nil {
		return err
	}
	if err := message.ValidateHistory(req.Messages); err != nil {
		return invalid("messages: %v", err)
	}
	if tokens, limit := p.tokens(), window(card, req); tokens > limit {
		return overflow(tokens, limit)
	}
	return nil
}

// window is the card's, or the smaller one that a session of sim:replay was given.
func window(card *model.Card, req *provider.Request) int {
	if req.Window > 0 {
		return min(req.Window, card.Window)
	}
	return card.Window
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

// checkTools holds the list to spec 7.5: sorted by name, no name twice.
func checkTools(tools []message.ToolSpec) *provider.Error {
	for i, t := range tools {
		switch {
		case !toolName.MatchString(t.Name):
			return invalid("tools.%d.name: %.140q is not a tool name", i, t.Name)
		case len(t.InputSchema) == 0 || t.InputSchema[0] != '{':
			return invalid("tools.%d.input_schema: %s has no JSON Schema object", i, t.Name)
		case i > 0 && tools[i-1].Name == t.Name:
			return invalid("tools: %s stands twice", t.Name)
		case i > 0 && tools[i-1].Name > t.Name:
			return invalid("tools: %s stands after %s; the list must be sorted by name", t.Name, tools[i-1].Name)
		}
	}
	return nil
}

// outputLimit is how much may be said: max_tokens, and what the window leaves.
func outputLimit(card *model.Card, req *provider.Request, p *prompt) int {
	return min(req.MaxTokens, window(card, req)-p.tokens())
}
