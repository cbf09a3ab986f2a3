package session

import (
	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// action is what should happen next in a session; next chooses it, the actor starts it.
type action int

const (
	actWait   action = iota // nothing to do until a command comes
	actCheck                // go on with the check before a step: link, pass, truncation, fold, elision
	actAsk                  // call the model
	actTools                // run the calls of the newest row
	actFinish               // close the turn
)

// next says what a session does now. It is a pure function of the state; each action ends in a commit that changes what
// it answers (ARCHITECTURE.md, the path of one turn).
func next(s *state) action {
	if s.turn == nil {
		if s.manual != nil {
			return actCheck
		}
		return actWait
	}
	t := s.turn
	if t.cancelled || t.failure != nil || t.stop != "" {
		return actFinish // nothing is started once a turn has an end (case B88)
	}
	if t.check != nil {
		return actCheck
	}
	m, ok := s.last()
	switch {
	case ok && m.Role == message.RoleAssistant && len(m.ToolUses()) > 0:
		return actTools
	case ok && m.Role == message.RoleAssistant:
		return actFinish
	}
	return actAsk
}

// stage is how far a check has come. A check runs each stage at most once (spec 4.1).
type stage int

const (
	stageLink stage = iota
	stageSwap
	stagePass
	stageTruncate
	stageFold
	stageElide
	stageDone
)

// check is the work before a step: at most one automatic pass, with the repair that may precede it and the fold and
// elision that may follow it (spec 4.1).
type check struct {
	place   compaction.Place
	stage   stage
	breaks  []compaction.Break // summaries to repair first
	forced  bool               // a provider's overflow
	elide   bool               // an overflow that a pass did not mend: elide whatever the estimate says
	partial bool               // a semantic pass covered only the part that fits: no truncation in this check (spec 4.6)
	covered bool               // a pass was applied in this check: summaries may have grown past the line of a fold
	from    int                // tokens of the request that overflowed
	linked  bool               // the summaries were held against the watermark
}

func newCheck(at compaction.Place) *check { return &check{place: at} }
