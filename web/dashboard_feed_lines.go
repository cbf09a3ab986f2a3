package web

import (
	"strings"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/pricing"
	"tidemark/views"
)

func compactionLine(word, text string) feedLine {
	return feedLine{group: groupCompaction, chip: views.Chip{Text: word, Tone: views.ToneViolet}, text: text}
}

func cacheWord(hit bool, key string) string {
	switch {
	case hit:
		return "summary cache hit"
	case key == "":
		return "no model"
	}
	return "summary cache miss"
}

// eventMoney shows the decimal string of an event.
func eventMoney(s *string) string {
	if s == nil || *s == "" {
		return "unpriced"
	}
	u, err := pricing.Parse(*s)
	if err != nil {
		return *s
	}
	return u.Format()
}

func failedCompaction(p *event.CompactionFailedPayload) feedLine {
	l := feedLine{group: groupCompaction, trouble: true, chip: views.Chip{Text: "refused", Tone: views.ToneCoral}}
	l.text = look(failureWords, compaction.FailureMode(p.FailureMode), p.FailureMode)
	if p.ErrorClass != "" {
		l.text += " (" + words(p.ErrorClass) + ")"
	}
	if p.TruncatedMessageCount != nil {
		l.text += " · " + plural(*p.TruncatedMessageCount, "message", "messages") + " left out"
	}
	return l
}

func postureLine(p *event.PostureChangedPayload) feedLine {
	posture := compaction.Posture{State: compaction.PostureState(p.State), Reason: compaction.Reason(p.Reason)}
	w := postureWords[posture.State]
	return feedLine{
		group: groupCompaction, trouble: w.tone == views.ToneCoral, chip: views.Chip{Text: "posture", Tone: w.tone},
		text: words(p.State) + ": " + strings.TrimSuffix(reasonText(posture.Reason), "."),
	}
}

func turnLine(kind event.Kind, p *event.TurnEndPayload) feedLine {
	l := feedLine{group: groupTurn, chip: views.Chip{Text: "turn", Tone: views.ToneSea}}
	if p.StopReason != "end_turn" { // the usual end says nothing more
		l.text = words(p.StopReason) + " · "
	}
	l.text += plural(p.Steps, "step", "steps") + " · " + eventMoney(p.CostUSD) + " · " + tookMS(p.DurationMS)
	switch kind {
	case event.TurnFailed:
		l.trouble, l.chip = true, views.Chip{Text: "turn failed", Tone: views.ToneCoral}
		l.text = strings.TrimPrefix(words(p.ErrorClass)+" · "+p.ErrorMessage, " · ")
	case event.TurnCancelled:
		l.chip = views.Chip{Text: "turn stopped", Tone: views.ToneSand}
	}
	return l
}

func callLine(kind event.Kind, p *event.CallPayload) feedLine {
	l := feedLine{group: groupCall, chip: views.Chip{Text: "call"}}
	what := modelName(p.Model)
	if p.Purpose == "compaction" {
		what += " for compaction"
	}
	prompt := p.Input + p.CacheRead + p.CacheWrite5m + p.CacheWrite1h
	switch kind {
	case event.CallStarted:
		l.text = what + " · asked"
	case event.CallFailed:
		l.trouble, l.chip = true, views.Chip{Text: "call failed", Tone: views.ToneCoral}
		l.text = what + " · " + words(p.ErrorClass) + " · attempt " + number(p.Attempt)
	default:
		l.text = what + " · " + kilo(prompt) + " in, " + percentOf(p.CacheRead, prompt) + " read · " + kilo(p.Output) +
			" out · " + eventMoney(p.CostUSD) + " · " + tookMS(p.LatencyMS)
	}
	return l
}

func toolLine(kind event.Kind, p *event.ToolPayload) feedLine {
	l := feedLine{group: groupTool, chip: views.Chip{Text: "tool"}, text: p.Name}
	switch kind {
	case event.ToolCompleted:
		l.text += " · " + kilo(p.Bytes) + " bytes · " + tookMS(p.DurationMS)
	case event.ToolFailed:
		l.trouble, l.chip = true, views.Chip{Text: "tool failed", Tone: views.ToneCoral}
		l.text += " · " + words(p.ErrorClass)
	default:
		l.text += " · called"
	}
	return l
}

func describeOther(kind event.Kind, payload any) feedLine {
	l := feedLine{group: groupOther, chip: views.Chip{Text: "session", Tone: views.ToneOutline}}
	switch p := payload.(type) {
	case *event.SessionCreatedPayload:
		l.text = "opened · " + modelName(p.Model)
	case *event.SessionForkedPayload:
		l.text = "forked from " + shortID(p.FromSessionID) + " at message " + number(p.Seq)
	case *event.SessionEndPayload:
		l.text = strings.TrimPrefix(string(kind), "session.")
	case *event.MemoryUpdatedPayload:
		l.chip.Text, l.text = "memory", p.File+" · "+words(p.Operation)+" · "+number(p.SizeAfter)+" bytes"
	case *event.BudgetReachedPayload:
		l.trouble, l.chip = true, views.Chip{Text: "budget", Tone: views.ToneSand}
		l.text = words(p.Budget) + " used up · " + eventMoney(&p.SpentUSD) + " of " + eventMoney(&p.LimitUSD)
	case *event.EvalPayload:
		l.chip.Text, l.text = "evaluation", strings.TrimSpace(p.Score+" "+p.Error)
	}
	return l
}
