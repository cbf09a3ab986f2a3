package compaction

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"tidemark/internal/message"
)

// ExtractorVersion is the version of the fact extractor. It stands in stored digests and in the cache key of mode
// two_phase (spec 5.1, `+two.N`): raise it whenever the same rows would give other facts.
const ExtractorVersion = 1

// FactClass is the kind of a fact; the list is closed (spec 6.2).
type FactClass string

// The nine classes, in the order in which the gate checks them and the record lists them.
const (
	ClassActiveGoal         FactClass = "active_goal"
	ClassUserConstraint     FactClass = "user_constraint"
	ClassPermissionBoundary FactClass = "permission_boundary"
	ClassActivePath         FactClass = "active_path"
	ClassToolOutcome        FactClass = "tool_outcome"
	ClassProviderPressure   FactClass = "provider_pressure"
	ClassDecisionState      FactClass = "decision_state"
	ClassValidationResult   FactClass = "validation_result"
	ClassSummaryLink        FactClass = "summary_link"
)

// FactClasses lists every class in its fixed order.
var FactClasses = [...]FactClass{
	ClassActiveGoal, ClassUserConstraint, ClassPermissionBoundary, ClassActivePath, ClassToolOutcome,
	ClassProviderPressure, ClassDecisionState, ClassValidationResult, ClassSummaryLink,
}

// FailClosed reports whether each fact of the class must survive; the other two are majority classes (spec 6.2).
func (c FactClass) FailClosed() bool { return c != ClassActiveGoal && c != ClassActivePath }

// MaxFactsPerClass bounds the retention shadow (spec 6.2).
const MaxFactsPerClass = 12

// Fact is one thing that must not get lost. Text stands word for word in the mechanical summary it came from; Seq is
// the row it was last seen in.
type Fact struct {
	ID    string      `json:"id"`
	Class FactClass   `json:"class"`
	Text  string      `json:"text"`
	Seq   message.Seq `json:"seq"`
}

// newFact names the fact by its content, so that the same fact has the same id in every run and in every pass.
func newFact(c FactClass, text string, seq message.Seq) Fact {
	h := sha256.New()
	h.Write([]byte(c))
	h.Write([]byte{0})
	h.Write([]byte(text))
	h.Write([]byte{0})
	h.Write(strconv.AppendInt(nil, int64(seq), 10))
	return Fact{ID: "f_" + hex.EncodeToString(h.Sum(nil)[:6]), Class: c, Text: text, Seq: seq}
}

// ClassCount is an overflow count: N facts of the class were left out of the text.
type ClassCount struct {
	Class FactClass `json:"class"`
	N     int       `json:"n"`
}
