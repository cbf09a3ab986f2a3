package sim

import (
	"context"
	"fmt"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// invalid is how a strict API refuses a request it cannot read.
func invalid(format string, args ...any) *provider.Error {
	return &provider.Error{Class: provider.ClassInvalidRequest, Status: 400, Message: fmt.Sprintf(format, args...)}
}

// overflow is Anthropic's wording for a prompt over the window.
func overflow(tokens, window int) *provider.Error {
	return &provider.Error{
		Class: provider.ClassContextOverflow, Status: 400,
		Message: fmt.Sprintf("prompt is too long: %d tokens > %d maximum", tokens, window),
	}
}

// cutOff is a connection that went away in the middle of an answer: what was sent until then is billed.
func cutOff(used message.Usage) *provider.Error {
	return &provider.Error{Class: provider.ClassNetwork, Message: "connection reset by peer", Usage: used}
}

// stopped turns the end of the caller's context into an error that says what was billed until then.
func stopped(ctx context.Context, used message.Usage) *provider.Error {
	e := *provider.AsError(ctx.Err())
	e.Usage = used
	return &e
}

// failure is the error of a fault that strikes before any output (requirements C8.3), nil for the other kinds.
func (f Fault) failure() *provider.Error {
	switch f.Kind {
	case RateLimit:
		return &provider.Error{Class: provider.ClassRateLimit, Status: 429, Message: "rate limit reached", RetryAfter: f.RetryAfter}
	case Overload:
		return &provider.Error{Class: provider.ClassRateLimit, Status: 529, Message: "overloaded", RetryAfter: f.RetryAfter}
	case ServerError:
		return &provider.Error{Class: provider.ClassServerError, Status: 500, Message: "internal server error"}
	case Auth:
		return &provider.Error{Class: provider.ClassAuth, Status: 401, Message: "invalid api key"}
	case Network:
		return &provider.Error{Class: provider.ClassNetwork, Message: "connection refused"}
	case Overflow:
		return &provider.Error{Class: provider.ClassContextOverflow, Status: 400, Message: "prompt is too long"}
	case Invalid:
		return invalid("the request was refused on cue")
	}
	return nil
}
