package session

import (
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// postureOf is what an applied pass makes of the session's posture (spec 6.6).
func postureOf(p compaction.Pass, w *passWork) compaction.Posture {
	reason := reasonOf(p)
	switch {
	case p.Kind == compaction.KindSemantic:
		return compaction.Posture{State: compaction.StateSemanticCommitted, Reason: reason}
	case p.Candidate != nil && p.Candidate.State == compaction.CandidateRejected,
		p.Candidate != nil && p.Candidate.ErrorClass != "":
		return compaction.Posture{State: compaction.StateSemanticRejected, Reason: compaction.Reason(p.Candidate.Reason)}
	case p.Candidate != nil && p.Candidate.Reason != "":
		reason = compaction.Reason(p.Candidate.Reason)
	case w.cfg.Mode == compaction.ModeMechanical && reason == compaction.ReasonAutoTrigger:
		reason = compaction.ReasonMechanicalOnly
	}
	return compaction.Posture{State: compaction.StateMechanicalActive, Reason: reason}
}

func reasonOf(p compaction.Pass) compaction.Reason {
	switch p.Trigger {
	case compaction.TriggerManual:
		return compaction.ReasonManualRequest
	case compaction.TriggerOverflow:
		return compaction.ReasonOverflowRecovery
	case compaction.TriggerFold:
		return compaction.ReasonFolded
	case compaction.TriggerPrecompact:
		return compaction.ReasonPrepared
	}
	return compaction.ReasonAutoTrigger
}

// failedPosture is what a pass that did not take makes of it. A failure that says nothing about a semantic text leaves it
// as it was.
func (s *state) failedPosture(p compaction.Pass, f *passFailure, m compaction.Memory) compaction.Posture {
	rejected := func(r compaction.Reason) compaction.Posture {
		return compaction.Posture{State: compaction.StateSemanticRejected, Reason: r}
	}
	switch {
	case f.cancelled:
		return rejected(compaction.ReasonSemanticCancelled)
	case f.futile && m.FutileStreak >= compaction.FutileBeforePause:
		return compaction.Posture{State: compaction.StateUnavailable, Reason: compaction.ReasonThrashPaused}
	case m.FailStreak >= compaction.FailuresBeforeWait:
		return rejected(compaction.ReasonSemanticRetryWait)
	case f.reason == compaction.ReasonSemanticDisabled:
		return compaction.Posture{State: compaction.StateUnavailable, Reason: f.reason}
	case p.Candidate != nil && rejected(compaction.Reason(p.Candidate.Reason)).Legal():
		return rejected(compaction.Reason(p.Candidate.Reason))
	case p.Kind != compaction.KindSemantic && s.rec.Posture.State != compaction.StateSemanticRunning:
		return s.rec.Posture
	case f.reason == "":
		return rejected(compaction.ReasonSemanticUnclassifiable)
	}
	return rejected(f.reason)
}

// postureRecord is the one record of spec 6.6.
func (s *state) postureRecord(now time.Time) compaction.PostureRecord {
	ps := s.planState(compaction.AtIdle)
	w := s.planner().Watch(ps)
	r := compaction.PostureRecord{
		SessionID: s.rec.ID, State: s.rec.Posture.State, Reason: s.rec.Posture.Reason, Version: s.rec.Version,
		Watermark: s.rec.Watermark, Messages: s.rec.NextSeq, UsedTokens: s.used(), WindowTokens: s.card.Window,
		Estimated: s.estimated || s.rec.ContextTokens == 0, PrefixTokens: s.prefix,
		SummaryTokens: compaction.SummaryTokens(s.summaries), PendingTokens: w.Pending,
		TailTokens:      s.index.Tokens(message.Span{Start: w.TailStart, End: s.index.End()}),
		ThresholdTokens: w.Threshold, HardCapTokens: w.HardCap, ElidedResults: len(s.elided), SummaryLink: "ok",
		CompactionCostUSD: s.rec.CompactionCostUSD, CompactionBudget: s.rec.Compaction.MaxCostPerSessionUSD,
		Recent: append([]compaction.Pass{}, s.recent...),
	}
	if s.card.Window > 0 {
		ratio := float64(r.UsedTokens) / float64(s.card.Window)
		r.UsageRatio = &ratio
	}
	if q, open := s.index.OpenCall(); open {
		r.PinnedBy = &q
	}
	switch s.rec.Memory.Link {
	case "":
	case compaction.ReasonSummaryLinkMissing:
		r.SummaryLink = "missing"
	default:
		r.SummaryLink = "broken"
	}
	if left := s.stagedAt.Add(stageEvery).Sub(now); left > 0 {
		r.CooldownRemainingS = int(left.Round(time.Second) / time.Second)
	}
	if s.rec.UnpricedCalls == 0 {
		cost := s.rec.CostUSD
		r.SessionCostUSD = &cost
	}
	s.describeSummaries(&r)
	return r
}

func (s *state) describeSummaries(r *compaction.PostureRecord) {
	for _, x := range s.summaries {
		if x.Kind == compaction.KindSemantic {
			r.SemanticTokens += x.TextTokens()
		} else {
			r.MechanicalTokens += x.TextTokens()
		}
	}
	for _, p := range s.recent {
		if !p.Applied() {
			continue
		}
		span, at := p.Span(), p.CreatedAt
		r.TurnRange, r.LastCompactionAt = &span, &at
		if p.Gate != nil {
			r.Retention = p.Gate.Classes
		}
		break
	}
}

// breakEven projects after how many turns a pass has paid for itself: what it cost and what it made the provider write
// again, over what a turn saves by reading less (requirements A11.5). It is nil where a price is unknown.
func breakEven(p compaction.Pass, s *state) *float64 {
	rates := s.card.Rates
	if rates == nil || p.CostUSD == nil || rates.CacheRead.IsZero() || s.rec.Turns == 0 {
		return nil
	}
	calls := max(float64(s.rec.Calls)/float64(s.rec.Turns), 1)
	read, write := rates.CacheRead.InexactFloat64(), rates.CacheWrite5m.InexactFloat64()
	rewritten := float64(p.PrefixInvalidatedTokens - (p.TokensBefore - p.TokensAfterEstimate))
	extra := p.CostUSD.Decimal().InexactFloat64() + rewritten*(write-read)/1e6
	saving := float64(p.TokensBefore-p.TokensAfterEstimate) * read / 1e6 * calls
	if saving <= 0 {
		return nil
	}
	turns := float64(int(extra/saving*10+0.5)) / 10
	return &turns
}

// streamText shows a summary as it is written; only mode semantic does (protocol, "Turn", 2).
func (w *passWork) streamText() func(string) {
	return func(text string) {
		w.host.chunk(w.pass.ID, text)
	}
}
