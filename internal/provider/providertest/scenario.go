package providertest

import (
	"encoding/json"
	"strings"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// Scenario names what the service does in one part of the suite. An adapter's test sets up its recorded or fake service
// for it; the sim adapter reads the cue in the request's text.
type Scenario string

// The scenarios.
const (
	Text        Scenario = "text"         // a short answer, end_turn, with usage
	Tool        Scenario = "tool"         // call of get_weather; asked again with its result, an answer
	Parallel    Scenario = "parallel"     // calls of get_time and get_weather in one answer
	Thinking    Scenario = "thinking"     // thinking, then text
	Empty       Scenario = "empty"        // no content, end_turn
	Refusal     Scenario = "refusal"      // stop reason refusal
	MaxTokens   Scenario = "max_tokens"   // cut at the output limit
	NoUsage     Scenario = "no_usage"     // an answer without usage
	Cache       Scenario = "cache"        // two calls with one long prefix; the second reads it
	RateLimit   Scenario = "rate_limit"   // 429 with retry-after 3 s
	Overload    Scenario = "overload"     // overloaded
	ServerError Scenario = "server_error" // 500
	Auth        Scenario = "auth"         // 401
	Overflow    Scenario = "overflow"     // prompt longer than the window
	Invalid     Scenario = "invalid"      // 400
	Cut         Scenario = "cut"          // the connection goes away after some text
	Slow        Scenario = "slow"         // a long answer that comes slowly
	Hang        Scenario = "hang"         // nothing comes
)

// cues are what the sim adapter is told in each scenario.
var cues = map[Scenario]string{
	Text: "[[echo The contract holds.]]", Thinking: "[[think 40]] [[echo Thought about it.]]",
	Tool:     `[[tool get_weather {"city":"Oslo"}]]`,
	Parallel: `[[tools get_time {} get_weather {"city":"Oslo"}]]`,
	Empty:    "[[empty]]", Refusal: "[[refuse]]", MaxTokens: "[[max_tokens]]", NoUsage: "[[no_usage]]", Cache: "[[say 20]]",
	RateLimit: "[[fail rate_limit retry=3s]]", Overload: "[[fail overload]]", ServerError: "[[fail server_error]]",
	Auth: "[[fail auth]]", Overflow: "[[fail overflow]]", Invalid: "[[fail invalid]]", Cut: "[[say 200]] [[fail cut]]",
	Slow: "[[say 400]] [[slow 1ms]]", Hang: "[[hang]]",
}

// Request is what the suite asks in a scenario. The stable prefix is long enough for each model's prompt cache.
func Request(s Scenario) provider.Request {
	weather := message.ToolSpec{
		Name: "get_weather", Description: "Says how the weather is.",
		InputSchema: json.RawMessage(`{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}`),
	}
	clock := message.ToolSpec{Name: "get_time", Description: "Says what time it is.", InputSchema: provider.SchemaObject}
	return provider.Request{
		SessionID: "contract-" + string(s),
		System:    "You are tested. " + strings.Repeat("Answer briefly and keep to what you are asked. ", 400),
		Volatile:  "Memory: the user lives in Oslo.",
		Tools:     []message.ToolSpec{clock, weather},
		Messages:  []message.Message{message.NewUser(message.Text{Text: "This is the scenario " + string(s) + ". " + cues[s]})},
		MaxTokens: 1024,
	}
}

// answered is the request that follows: the answer and, where it called tools, their results.
func answered(req provider.Request, done *provider.Done, text string) provider.Request {
	answer := message.NewAssistant(done.Blocks...)
	var results message.Blocks
	for _, u := range answer.ToolUses() {
		results = append(results, message.TextResult(u.ID, "4 degrees, rain", false))
	}
	if len(results) == 0 {
		results = message.Blocks{message.Text{Text: text}}
	}
	req.Messages = append(append([]message.Message(nil), req.Messages...), answer, message.NewUser(results...))
	return req
}
