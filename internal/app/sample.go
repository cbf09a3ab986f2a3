package app

import "tidemark/internal/provider/sim"

// samplePrompts are the prompts of the sample session that /ops offers to play: the pages may not know a provider.
func samplePrompts() []string {
	turns := sim.SampleSession(0)
	out := make([]string, len(turns))
	for i, t := range turns {
		out[i] = t.Prompt
	}
	return out
}
