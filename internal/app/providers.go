package app

import (
	"fmt"
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/config"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

// keyVariables name what a provider needs, in the order in which the default model is looked for (spec 7.1).
var keyVariables = []struct{ provider, variable string }{
	{"anthropic", "ANTHROPIC_API_KEY"}, {"openai", "OPENAI_API_KEY"}, {"openrouter", "OPENROUTER_API_KEY"},
}

// registry resolves "provider:model" among the providers that are there.
type registry struct {
	table     *model.Table
	providers map[string]provider.Registry
}

// newRegistry gathers the providers: sim always, the others when they have a key.
func newRegistry(cfg config.Config, o overrides, table *model.Table) *registry {
	r := &registry{table: table, providers: map[string]provider.Registry{sim.Name: newSim(o, table)}}
	for name, p := range o.providers {
		r.providers[name] = p
	}
	return r
}

func newSim(o overrides, table *model.Table) *sim.Provider {
	c := o.sim
	if c.Now == nil {
		c.Now = o.now
	}
	if c.Table == nil {
		c.Table = table
	}
	return sim.New(c)
}

// Model implements provider.Registry.
func (r *registry) Model(name string) (provider.Model, error) {
	prefix, _, ok := strings.Cut(name, ":")
	if !ok {
		return nil, fmt.Errorf("model %q: write it as provider:model", name)
	}
	if p, ok := r.providers[prefix]; ok {
		return p.Model(name)
	}
	for _, k := range keyVariables {
		if k.provider == prefix {
			return nil, fmt.Errorf("model %q: it needs %s to be set", name, k.variable)
		}
	}
	return nil, fmt.Errorf("model %q: there is no provider %q here", name, prefix)
}

// names lists the models that can be used, in table order.
func (r *registry) names() []string {
	var out []string
	for _, name := range r.table.Names() {
		if _, err := r.Model(name); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// defaultModel is the configured session model, or by the rule of spec 7.1 the first provider with a key.
func (r *registry) defaultModel(cfg config.Config) (string, error) {
	if cfg.Model != "" {
		if _, err := r.Model(cfg.Model); err != nil {
			why := strings.TrimPrefix(err.Error(), fmt.Sprintf("model %q: ", cfg.Model))
			ke := compaction.KnobError{Key: "model", Value: cfg.Model, Allowed: why}
			return "", &config.Error{KnobError: ke, Origin: cfg.Origin("model")}
		}
		return cfg.Model, nil
	}
	for _, k := range keyVariables {
		if _, ok := r.providers[k.provider]; ok {
			if name := r.main(k.provider); name != "" {
				return name, nil
			}
		}
	}
	return model.SimAssistant, nil
}

// main is a provider's model for sessions: its first that is not the small one.
func (r *registry) main(name string) string {
	for _, c := range r.table.Of(name) {
		if c.Name != c.Summarizer() {
			return c.Name
		}
	}
	return ""
}

// checkSummarizer warns once when the summarization model cannot be used: summaries are then mechanical (spec 2.3).
func (r *registry) checkSummarizer(cfg config.Config, session string) (warning string) {
	name := cfg.Compaction.Model
	if name == "" {
		card, _ := r.table.Lookup(session)
		if name = card.Summarizer(); name == "" {
			return ""
		}
	}
	if _, err := r.Model(name); err != nil {
		return "summaries will be mechanical: compaction.model: " + err.Error()
	}
	return ""
}
