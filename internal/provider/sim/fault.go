package sim

import (
	"sync"
	"time"

	"tidemark/internal/provider"
)

// Kind is one way of failing (spec 7.6); the empty kind is none.
type Kind string

// Faults before any output.
const (
	RateLimit   Kind = "rate_limit" // 429, with RetryAfter when set
	Overload    Kind = "overload"   // 529, class rate_limit
	ServerError Kind = "server_error"
	Auth        Kind = "auth"
	Network     Kind = "network" // no connection
	Overflow    Kind = "overflow"
	Invalid     Kind = "invalid"
	Hang        Kind = "hang" // nothing comes until the context ends
)

// Faults of the answer.
const (
	Cut           Kind = "cut"        // the connection goes away half way through
	Empty         Kind = "empty"      // no block at all, normal end
	Blank         Kind = "blank"      // white space only
	Refusal       Kind = "refuse"     // stop reason refusal
	MaxTokens     Kind = "max_tokens" // the answer ends in the middle of a word
	ToolCall      Kind = "tool_call"  // a tool call where text is due
	TooLong       Kind = "too_long"   // longer than what it was given to summarize
	WrongLanguage Kind = "wrong_language"
	MissingFacts  Kind = "missing_facts" // a summary without the facts to keep
	Say           Kind = "text"          // exactly Fault.Text
)

// kinds is the closed set, for cues.
var kinds = map[Kind]bool{
	RateLimit: true, Overload: true, ServerError: true, Auth: true, Network: true, Overflow: true, Invalid: true,
	Hang: true, Cut: true, Empty: true, Blank: true, Refusal: true, MaxTokens: true, ToolCall: true, TooLong: true,
	WrongLanguage: true, MissingFacts: true,
}

// Fault is what goes wrong in one call. Delay, Pace and NoUsage go with any kind, and with none.
type Fault struct {
	Kind       Kind
	RetryAfter time.Duration // RateLimit, Overload
	Delay      time.Duration // before the first byte: a late answer
	Pace       time.Duration // before each delta, instead of Config.Pace
	NoUsage    bool          // the service reports no usage; the adapter estimates and flags it
	Text       string        // Say
}

// Call is what a fault may depend on.
type Call struct {
	Model   string
	Number  int // of this model's calls of this provider, from 1
	Request provider.Request
}

// InTurn gives the calls of one model the faults of a list, in order, and none after the last: a rate limit followed by
// a zero Fault is an error that a retry heals. Other models are left alone. Safe for concurrent use.
func InTurn(model string, faults ...Fault) func(Call) Fault {
	var mu sync.Mutex
	next := 0
	return func(c Call) Fault {
		mu.Lock()
		defer mu.Unlock()
		if c.Model != model || next >= len(faults) {
			return Fault{}
		}
		next++
		return faults[next-1]
	}
}

// Always gives each call of one model the same fault.
func Always(model string, f Fault) func(Call) Fault {
	return func(c Call) Fault {
		if c.Model != model {
			return Fault{}
		}
		return f
	}
}
