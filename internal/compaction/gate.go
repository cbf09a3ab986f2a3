package compaction

import (
	"strings"
	"unicode/utf8"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// GateInput is all that the gate looks at; it is pure (spec 6.3).
type GateInput struct {
	Text         string
	Stop         provider.StopReason
	SpanTokens   int // tokens of the span the text would replace
	TokensOut    int // of the text, by the same estimator
	Span, Expect message.Span
	Facts        []Fact // the retention shadow of the mechanical summary
	UserText     string // what the user wrote in the span, for the language

	VersionStale bool
	Cancelled    bool
	TimedOut     bool
}

// Gate decides whether a semantic text may take the place of a mechanical one (spec 6.3). It fails closed: the first
// check in the spec's order that is not passed names the reason, and what cannot be decided is turned down. The counts
// are filled in whatever the reason is, so that the verdict shows what the text kept.
func Gate(in GateInput) GateVerdict {
	v := GateVerdict{Missing: []string{}}
	m := newMatcher(in.Text)
	undecided := v.count(m, in.Facts)
	reason := in.before()
	if reason == "" {
		reason = v.dropped()
	}
	if reason == "" && undecided {
		reason = ReasonSemanticUnclassifiable
	}
	if reason == "" && wrongLanguage(in.UserText, in.Text, in.Facts) {
		reason = ReasonSemanticWrongLanguage
	}
	v.Accepted, v.Reason = reason == "", string(reason)
	return v
}

// before are the checks that come before the facts.
func (in *GateInput) before() Reason {
	switch {
	case in.VersionStale:
		return ReasonStaleVersion
	case in.Cancelled:
		return ReasonSemanticCancelled
	case in.TimedOut:
		return ReasonSemanticTimeout
	case strings.TrimSpace(in.Text) == "":
		return ReasonSemanticEmpty
	case in.Stop == "" || in.Stop == provider.StopMaxTokens:
		return ReasonSemanticTruncated
	case in.Stop != provider.StopEndTurn || !utf8.ValidString(in.Text):
		return ReasonSemanticUnclassifiable
	case in.Span != in.Expect:
		return ReasonSemanticTurnRange
	case in.TokensOut <= 0:
		return ReasonSemanticZeroTokens
	case in.TokensOut > in.SpanTokens: // the ratio; exactly 1.0 passes
		return ReasonSemanticRatioExceeded
	}
	return ""
}

// count fills in what was kept and what is missing. undecided says that a fact was of a kind that cannot be judged.
func (v *GateVerdict) count(m *matcher, facts []Fact) (undecided bool) {
	v.Classes = make(map[FactClass]GateCounts)
	for _, f := range facts {
		c := v.Classes[f.Class]
		c.Total++
		kept, ok := m.kept(f)
		undecided = undecided || !ok
		if kept {
			c.Kept++
		} else {
			v.Missing = append(v.Missing, f.ID)
		}
		v.Classes[f.Class] = c
	}
	return undecided
}

// dropped names the first class that did not keep enough: the fail-closed ones first, then those where half is enough. A
// class without facts keeps all of them.
func (v *GateVerdict) dropped() Reason {
	for _, failClosed := range [...]bool{true, false} {
		for _, class := range FactClasses {
			c := v.Classes[class]
			if class.FailClosed() != failClosed || c.enough(class) {
				continue
			}
			return RetentionDrop(class)
		}
	}
	return ""
}

func (c GateCounts) enough(class FactClass) bool {
	if class.FailClosed() {
		return c.Kept == c.Total
	}
	return 2*c.Kept >= c.Total
}
