package app

import "tidemark/internal/provider/sim"

// SamplePrompts are what the user says in the built-in sample session that `make demo` plays and /ops offers: long
// enough to be compacted at default settings when sim:assistant answers. Pages and commands may not know a provider.
func SamplePrompts() []string {
	turns := sim.SampleSession(0)
	out := make([]string, len(turns))
	for i, t := range turns {
		out[i] = t.Prompt
	}
	return out
}
