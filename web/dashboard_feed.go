package web

import (
	"encoding/json"
	"strconv"
	"time"

	"tidemark/internal/event"
	"tidemark/views"
)

// Groups of the feed's filter.
const (
	groupCompaction = "compaction"
	groupTurn       = "turn"
	groupCall       = "call"
	groupTool       = "tool"
	groupOther      = "other"
)

// feedLine is an event in words.
type feedLine struct {
	group   string
	trouble bool
	chip    views.Chip
	text    string
}

// newFeedItem draws one event. The name of its session is the title for who may read it.
func newFeedItem(e event.Event, name string, now time.Time) views.FeedItem {
	l := describeEvent(e)
	item := views.FeedItem{
		ID: strconv.FormatInt(int64(e.ID), 10), Group: l.group, Trouble: l.trouble, Minor: minor(e.Type, l), At: shownAt(e.TS, formClock, now), Chip: l.chip,
		Text: l.text, Session: name,
	}
	if e.SessionID != "" {
		item.Href = "/ops/s/" + e.SessionID
	}
	return item
}

// minor reports whether an event is one of the many between the boundaries that an operator watches for.
func minor(kind event.Kind, l feedLine) bool {
	return !l.trouble && (l.group == groupCall || l.group == groupTool || kind == event.TurnStarted || kind == event.CompactionStarted)
}

// describeEvent says a catalog event in one line. An event of a type it does not know keeps its name.
func describeEvent(e event.Event) feedLine {
	spec, ok := event.Lookup(e.Type)
	if !ok {
		return feedLine{group: groupOther, chip: views.Chip{Text: string(e.Type)}}
	}
	payload := spec.New()
	if json.Unmarshal(e.Payload, payload) != nil {
		return feedLine{group: groupOther, chip: views.Chip{Text: string(e.Type)}, text: "unreadable payload"}
	}
	l := describePayload(e.Type, payload)
	l.chip.About = string(e.Type)
	return l
}

func describePayload(kind event.Kind, payload any) feedLine {
	switch p := payload.(type) {
	case *event.CompactionStartedPayload:
		return compactionLine("compacting", words(p.ThresholdOrHardCap)+" · "+plural(p.SpanMessageCount, "message", "messages")+", "+number(p.SpanTokenCountIn)+" tokens")
	case *event.CompactionCompletedPayload:
		return compactionLine("compacted", number(p.SpanTokenCountIn)+" → "+number(p.SpanTokenCountOut)+" tokens · "+cacheWord(p.CacheHit, p.CacheKey)+" · "+eventMoney(&p.CostUSD)+" · "+tookMS(p.LatencyMS))
	case *event.CompactionFailedPayload:
		return failedCompaction(p)
	case *event.SummarySwappedPayload:
		return compactionLine("swapped", "better summary in place, "+number(p.SpanTokenCountOut)+" tokens · "+cacheWord(p.CacheHit, p.CacheKey)+" · "+eventMoney(&p.CostUSD))
	case *event.CompactionUndonePayload:
		return compactionLine("undone", "watermark "+number(p.WatermarkBefore)+" → "+number(p.WatermarkAfter))
	case *event.PostureChangedPayload:
		return postureLine(p)
	case *event.TurnStartedPayload:
		return feedLine{group: groupTurn, chip: views.Chip{Text: "turn", Tone: views.ToneSea}, text: "started"}
	case *event.TurnEndPayload:
		return turnLine(kind, p)
	case *event.CallPayload:
		return callLine(kind, p)
	case *event.ToolPayload:
		return toolLine(kind, p)
	}
	return describeOther(kind, payload)
}
