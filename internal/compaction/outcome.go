package compaction

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// SummaryError says why a job brought no summary. Text.Calls are the calls made for it all the same, to be written to
// the ledger; Text.Text is the draft when one came and was turned down, for a repair.
type SummaryError struct {
	Mode       FailureMode         // adapter_error or validation_failed (spec 4.5)
	Reason     Reason              // the same in the words of the posture
	Class      provider.ErrorClass // of an adapter error
	Message    string              // redacted, for records and events
	Verdict    *GateVerdict        // when the gate turned it down
	Text       Text
	Remembered bool // known from before, or from another session's call: no call was made for this one
	Err        error
}

func (e *SummaryError) Error() string { return fmt.Sprintf("%s: %s", e.Mode, e.Message) }

func (e *SummaryError) Unwrap() error { return e.Err }

// shared is the error as a session sees it that did not pay for the call.
func (e *SummaryError) shared() *SummaryError {
	out := *e
	out.Text, out.Remembered = Text{}, true
	return &out
}

// VerdictError carries a verdict of the gate out of the accept function of [Summarizer.Summarize].
type VerdictError struct{ Verdict GateVerdict }

func (e *VerdictError) Error() string { return "the gate turned the summary down: " + e.Verdict.Reason }

// Is makes a verdict that says nothing about the text an [ErrNotJudged].
func (e *VerdictError) Is(target error) bool {
	switch Reason(e.Verdict.Reason) {
	case ReasonStaleVersion, ReasonSemanticCancelled, ReasonSemanticTimeout:
		return target == ErrNotJudged
	}
	return false
}

// ErrNotJudged is what accept wraps when the asker lost interest and the text itself is not at fault: such a text is not
// cached for it, and not remembered as bad either.
var ErrNotJudged = errors.New("the text was not judged")

// adapterFailure is the error of a call that brought no answer. A call that the end of its last asker's time cancelled
// reads as a timeout, whatever the adapter made of it.
func adapterFailure(ctx context.Context, pe *provider.Error) *SummaryError {
	e := &SummaryError{Mode: FailAdapterError, Reason: ReasonSemanticProviderError, Err: pe}
	if ended := provider.ContextError(ctx); ended != nil && pe.Class != provider.ClassRateLimit {
		e.Err, pe = ended, ended
	}
	if errors.Is(pe, context.DeadlineExceeded) {
		e.Reason = ReasonSemanticTimeout
	} else if pe.Class == provider.ClassCancelled {
		e.Reason = ReasonSemanticCancelled
	}
	e.Class, e.Message = pe.Class, MaskError(pe.Message)
	return e
}

// turnedDown is the error of an answer that is no summary.
func turnedDown(reason Reason, format string, args ...any) *SummaryError {
	return &SummaryError{Mode: FailValidationFailed, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// notAccepted is the error of a text that its asker turned down.
func notAccepted(err error) *SummaryError {
	e := turnedDown(ReasonSemanticUnclassifiable, "%s", MaskError(err.Error()))
	var v *VerdictError
	if errors.As(err, &v) {
		e.Reason, e.Verdict = Reason(v.Verdict.Reason), &v.Verdict
	}
	e.Err = err
	return e
}

// reply is what one call brought.
type reply struct {
	text  string // of the answer alone, never of the request (case B31); masked
	stop  provider.StopReason
	tools bool
	usage message.Usage
}

// check holds a reply to spec 4.6: only a normal end with text and without calls is a summary, and only one that is
// smaller than what it replaces (case B40).
func (r *reply) check(p *Prepared) *SummaryError {
	switch {
	case r.tools || r.stop == provider.StopToolUse:
		return turnedDown(ReasonSemanticUnclassifiable, "the model called a tool")
	case r.stop == provider.StopRefusal:
		return turnedDown(ReasonSemanticUnclassifiable, "the model refused")
	case r.stop == provider.StopMaxTokens || r.stop == "":
		return turnedDown(ReasonSemanticTruncated, "the summary was cut off")
	case r.stop != provider.StopEndTurn:
		return turnedDown(ReasonSemanticUnclassifiable, "the model stopped with %s", r.stop)
	case strings.TrimSpace(r.text) == "":
		return turnedDown(ReasonSemanticEmpty, "the answer was empty")
	}
	return r.checkSize(p)
}

func (r *reply) checkSize(p *Prepared) *SummaryError {
	n := textTokens(r.text)
	switch {
	case n >= p.source:
		return turnedDown(ReasonSemanticRatioExceeded, "the summary has %d tokens, what it replaces has %d", n, p.source)
	case n > p.Limit && !r.withinMaxTokens(p, n):
		return turnedDown(ReasonSemanticRatioExceeded, "the summary has %d tokens of at most %d", n, p.Limit)
	}
	return nil
}

// withinMaxTokens lets pass what only our estimate finds too long: where max_tokens is the bound, the provider's own
// count decides, since bytes/3 gives plain English a third too many. The third of the span stays strict.
func (r *reply) withinMaxTokens(p *Prepared, n int) bool {
	counted := r.usage.Output - r.usage.Reasoning
	return p.Limit == p.Job.MaxTokens && !r.usage.Estimated && counted > 0 && counted <= p.Limit && 3*n <= p.source
}
