package web

import (
	"tidemark/internal/compaction"
	"tidemark/views"
)

// postureWords says each state of spec 6.6 in a sentence, with the tone of its chip.
var postureWords = map[compaction.PostureState]struct{ tone, words string }{
	compaction.StateSummaryLinkBroken: {views.ToneCoral, "A summary in the model's view is missing or damaged; it is being made again from the transcript."},
	compaction.StateSwapDeferred:      {views.ToneSand, "A better summary is ready, but it could not be put in place yet."},
	compaction.StateSemanticRunning:   {views.ToneViolet, "The mechanical summary is in use while a model writes a better one."},
	compaction.StateSemanticReady:     {views.ToneViolet, "A model-written summary passed its checks and waits for a turn start at which the swap costs nothing."},
	compaction.StateSemanticCommitted: {views.ToneViolet, "A model-written summary stands for the earlier messages."},
	compaction.StateSemanticRejected:  {views.ToneCoral, "A model-written summary was turned down; nothing was lost by it."},
	compaction.StateMechanicalActive:  {views.ToneViolet, "A mechanical summary, made without a model, stands for the earlier messages."},
	compaction.StatePrecompactStaged:  {views.ToneViolet, "The next compaction is prepared in the background."},
	compaction.StateDisabled:          {views.ToneOutline, "Compaction is switched off for this session."},
	compaction.StateUnavailable:       {views.ToneSand, "Compaction cannot run as it is configured or at this moment."},
	compaction.StateIdle:              {views.TonePlain, "No compaction was needed so far."},
}

// reasonWords says each reason in a sentence. Reasons of the gate are put together in reasonText.
var reasonWords = map[compaction.Reason]string{
	compaction.ReasonNoActiveCompaction:     "The history is below the threshold.",
	compaction.ReasonAutoTrigger:            "The history passed its threshold.",
	compaction.ReasonManualRequest:          "Somebody asked for it.",
	compaction.ReasonBurnRate:               "At the present rate the threshold is near.",
	compaction.ReasonCooldownActive:         "It ran a moment ago and waits before it prepares again.",
	compaction.ReasonMechanicalOnly:         "The session is configured to use mechanical summaries only.",
	compaction.ReasonSemanticDisabled:       "Model-written summaries are switched off.",
	compaction.ReasonSemanticInFlight:       "The call to the summarizing model is running.",
	compaction.ReasonSemanticTimeout:        "The summarizing model took too long.",
	compaction.ReasonSemanticCancelled:      "The call to the summarizing model was cancelled.",
	compaction.ReasonSemanticProviderError:  "The summarizing model's provider failed.",
	compaction.ReasonSemanticEmpty:          "The summarizing model answered nothing.",
	compaction.ReasonSemanticTruncated:      "The model-written summary was cut off.",
	compaction.ReasonSemanticTurnRange:      "It was written for other messages than those it was to cover.",
	compaction.ReasonSemanticZeroTokens:     "The model-written summary had no tokens.",
	compaction.ReasonSemanticRatioExceeded:  "The model-written summary was not small enough.",
	compaction.ReasonSemanticWrongLanguage:  "It was not in the conversation's language.",
	compaction.ReasonSemanticUnclassifiable: "The answer could not be understood as a summary.",
	compaction.ReasonSemanticRetryWait:      "It failed several times in a row and waits some turns.",
	compaction.ReasonStaleVersion:           "The history changed meanwhile.",
	compaction.ReasonPersistFailed:          "It could not be stored; what stood before still stands.",
	compaction.ReasonSummaryLinkMissing:     "A summary row is gone.",
	compaction.ReasonSummaryLinkCorrupt:     "A summary's text is not what was stored.",
	compaction.ReasonSwapCommitted:          "It took the place of the mechanical one.",
	compaction.ReasonSwapNotFree:            "The provider's cache of the present prompt is still warm.",
	compaction.ReasonConfigDisabled:         "The configuration says so.",
	compaction.ReasonWindowUnknown:          "The model's window is not known.",
	compaction.ReasonBudgetExhausted:        "The compaction budget of the session is used up.",
	compaction.ReasonThrashPaused:           "Two passes in a row freed too little; it waits until the history has grown.",
	compaction.ReasonNoValidBoundary:        "There is no place where the history may be cut.",
	compaction.ReasonOverflowRecovery:       "The provider refused a request as too long.",
	compaction.ReasonTruncated:              "Old messages were left out without a summary.",
	compaction.ReasonElided:                 "Old tool results were replaced by notes.",
	compaction.ReasonFolded:                 "Older summaries were folded into one.",
	compaction.ReasonUndone:                 "The last compaction was taken back.",
	compaction.ReasonPrepared:               "It was prepared in the background before it was needed.",
	compaction.ReasonTriggerUnreachable:     "Prefix, tail and reserve alone fill the model's window.",
	compaction.ReasonSpanTooLarge:           "The messages do not fit the summarizing model.",
}

func reasonText(r compaction.Reason) string {
	if s, ok := reasonWords[r]; ok {
		return s
	}
	for _, c := range compaction.FactClasses {
		if r == compaction.RetentionDrop(c) {
			return "It lost facts that must be kept: " + words(string(c)) + "."
		}
	}
	if r == "" {
		return ""
	}
	return words(string(r)) + "."
}

func postureChip(p compaction.Posture) views.Chip {
	w := postureWords[p.State]
	return views.Chip{Text: words(string(p.State)), Tone: w.tone, About: w.words + " " + reasonText(p.Reason)}
}

// triggerWords says why a pass ran.
var triggerWords = map[compaction.Trigger]string{
	compaction.TriggerThreshold: "threshold passed", compaction.TriggerHardCap: "hard cap reached",
	compaction.TriggerWindow: "window nearly full", compaction.TriggerOverflow: "refused as too long",
	compaction.TriggerManual: "asked for", compaction.TriggerPrecompact: "prepared ahead",
	compaction.TriggerFold: "summaries folded", compaction.TriggerRepair: "summary repaired",
}

// placeWords says where it ran.
var placeWords = map[compaction.Place]string{
	compaction.AtTurnStart: "at turn start", compaction.AtStep: "inside a turn", compaction.AtIdle: "between turns",
}

// failureWords says how it failed.
var failureWords = map[compaction.FailureMode]string{
	compaction.FailAdapterError: "the summarizing call failed", compaction.FailNoValidBoundary: "no place to cut",
	compaction.FailBudgetForced:     "budget used up, forced by the hard cap",
	compaction.FailValidationFailed: "the summary did not pass its checks",
}

func look[K comparable](m map[K]string, k K, code string) string {
	if s, ok := m[k]; ok {
		return s
	}
	return words(code)
}
