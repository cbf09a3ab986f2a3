// Package sim is the simulated provider (spec 7.6): a real adapter without a service behind it. It is deterministic,
// streams, calls tools, reports usage through a model of Anthropic's prompt cache, refuses what a strict API refuses,
// and fails on cue. It neither sleeps nor starts goroutines of its own accord; a pause on cue ends with the context.
//
// # Models
//
//	sim:assistant   a demo assistant that follows the cues below and otherwise takes up the user's words
//	sim:free        the same at a price of zero
//	sim:unpriced    the same without a price
//	sim:replay      speaks Request.Script[Request.ScriptStep] to the letter (protocol section 2)
//	sim:summarizer  repeats the facts it was told to keep, then a digest (spec 4.6)
//
// # Usage
//
// A prompt counts bytes/3 of all that is sent, thinking and tools included ([PromptTokens]). The cache holds, per
// session and model, the prompt up to each cache mark (last tool, stable system, last block) for five minutes since its
// last use; a call reads the longest of them that its own prompt begins with and writes up to its last mark. Prefixes
// under the model's minimum are not cached. Request.NoCache sets no marks, and all is input.
//
// # Cues
//
// The assistant reads cues in the newest user message. Several may stand together.
//
//	[[tool NAME {json}]]          a step that calls one tool; "$n" in a string is the step's number
//	[[tools A {json} B {json}]]   a step that calls several at once
//	[[call NAME {json}]]          the same for a tool that the session does not offer
//	[[steps N]]                   go round the steps above until N were made; alone, call the first tool offered
//	[[say N]]                     answer with N tokens of readable text
//	[[echo TEXT]]                 answer with TEXT
//	[[think N]]                   N tokens of thinking before the turn's first answer
//	[[slow 200ms]]                a pause before each delta
//	[[late 2s]]                   a pause before the first byte
//	[[no_usage]]                  the service reports no usage; the adapter estimates it and says so
//	[[fail KIND]]                 rate_limit, overload, server_error, auth, network, cut, overflow, invalid, hang,
//	                              empty, blank, refuse, max_tokens, tool_call, too_long, wrong_language
//	[[hang]] [[empty]] [[blank]] [[refuse]] [[max_tokens]]   short for [[fail …]]
//	[[summarizer KIND]]           the session's next call of sim:summarizer fails so
//
// A fault takes options: `once` or `times=N` (further calls of the turn go well, so a retry succeeds), `step=N` (only at
// that model call of the turn, counted from 1), `retry=3s` (the service says when to come back), `late=2s`.
//
// The summarizer and the replay mind no cues, because what they are sent is data; [Config.Faults] reaches every model.
package sim
