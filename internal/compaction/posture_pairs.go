package compaction

import "slices"

// posturePairs are the reasons each state may have, states in precedence order (spec 6.6, requirements D7.3, D7.4). It is
// the one table of legal pairs; what is not in it is a fault of whoever reports it.
var posturePairs = []struct {
	state   PostureState
	reasons []Reason
}{
	{StateSummaryLinkBroken, []Reason{ReasonSummaryLinkMissing, ReasonSummaryLinkCorrupt}},
	{StateSwapDeferred, []Reason{ReasonSummaryLinkMissing, ReasonSummaryLinkCorrupt}},
	{StateSemanticRunning, []Reason{ReasonSemanticInFlight}},
	// ready: by what asked for the pass, until a turn start at which the swap was not free; folds buy no text of their own
	{StateSemanticReady, []Reason{ReasonSwapNotFree, ReasonAutoTrigger, ReasonManualRequest, ReasonOverflowRecovery}},
	{StateSemanticCommitted, append([]Reason{ReasonSwapCommitted}, passReasons...)},
	{StateSemanticRejected, append(retentionReasons(), rejections...)},
	{StateMechanicalActive, append([]Reason{
		ReasonMechanicalOnly, ReasonSemanticDisabled, ReasonBudgetExhausted, ReasonSpanTooLarge, ReasonPersistFailed,
		ReasonTruncated, ReasonElided,
	}, passReasons[:4]...)}, // a pass that was prepared ahead is used with its accepted text or not at all
	{StatePrecompactStaged, []Reason{ReasonBurnRate, ReasonPrepared}},
	{StateDisabled, []Reason{ReasonConfigDisabled}},
	{StateUnavailable, []Reason{
		ReasonNoValidBoundary, ReasonTriggerUnreachable, ReasonThrashPaused, ReasonSemanticDisabled,
	}},
	{StateIdle, []Reason{ReasonNoActiveCompaction, ReasonUndone, ReasonCooldownActive, ReasonWindowUnknown}},
}

// passReasons say what asked for the pass whose summary stands.
var passReasons = []Reason{
	ReasonAutoTrigger, ReasonManualRequest, ReasonOverflowRecovery, ReasonFolded, ReasonPrepared,
}

// rejections say why a semantic text was turned down or never came; retention reasons come on top.
var rejections = []Reason{
	ReasonSemanticTimeout, ReasonSemanticCancelled, ReasonSemanticProviderError, ReasonSemanticEmpty,
	ReasonSemanticTruncated, ReasonSemanticTurnRange, ReasonSemanticZeroTokens, ReasonSemanticRatioExceeded,
	ReasonSemanticWrongLanguage, ReasonSemanticUnclassifiable, ReasonSemanticRetryWait, ReasonStaleVersion,
	ReasonSpanTooLarge,
}

// retentionReasons are the nine reasons of the gate's classes (spec 6.2).
func retentionReasons() []Reason {
	out := make([]Reason, 0, len(FactClasses))
	for _, c := range FactClasses {
		out = append(out, RetentionDrop(c))
	}
	return out
}

// Legal reports whether the state may have the reason (spec 6.6).
func (p Posture) Legal() bool {
	for _, row := range posturePairs {
		if row.state == p.State {
			return slices.Contains(row.reasons, p.Reason)
		}
	}
	return false
}

// LegalPostures lists every legal pair, states in precedence order, so that a test can walk the closed set.
func LegalPostures() []Posture {
	var out []Posture
	for _, row := range posturePairs {
		for _, r := range row.reasons {
			out = append(out, Posture{row.state, r})
		}
	}
	return out
}
