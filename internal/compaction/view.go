package compaction

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/message"
)

// Envelope of a summary in the view (spec 4.7).
const (
	summaryOpen  = "<COMPACTION_SUMMARY model=%s watermark=%d>\n"
	summaryClose = "</COMPACTION_SUMMARY>"
)

// BuildView is what the model is sent as messages: summaries in span order, then the rows from the watermark on, with
// the results of elided rows replaced by notes (spec 3.5). It is one pure function; live, restart, fork, undo and load
// all call it. The result shares no slice with its input.
func BuildView(summaries []Summary, rows []message.Message, elided map[message.Seq]bool) message.View {
	out := make([]message.Message, 0, 2*len(summaries)+len(rows))
	for _, s := range summaries {
		out = joinSeam(out, message.RoleUser)
		out = append(out, s.Message())
	}
	if len(rows) > 0 {
		out = joinSeam(out, rows[0].Role)
	}
	var before message.Message
	for _, m := range rows {
		if elided[m.Seq] {
			m = elide(m, before)
		}
		out = append(out, m.Clone())
		before = m
	}
	return message.View{Messages: out}
}

// joinSeam keeps alternation where a summary, which is a user message, meets another user message (spec 4.7, requirements
// A6.8).
func joinSeam(summaries []message.Message, next message.Role) []message.Message {
	if len(summaries) == 0 || next != message.RoleUser {
		return summaries
	}
	return append(summaries, Ack())
}

// Ack is the assistant filler between a summary and a user message.
func Ack() message.Message {
	m := message.Filler(message.AckText)
	m.Seq = -1
	return m
}

// Message is the summary as the model sees it: the envelope, then the blocks of the request it carries (spec 4.7, 4.9).
// A truncation note stands without an envelope: it summarizes nothing.
func (s Summary) Message() message.Message {
	blocks := message.Blocks{message.Text{Text: s.wrapped()}}
	m := message.NewUser(append(blocks, s.Request...)...)
	span := s.Span
	m.Seq, m.Synthetic, m.CompactionSpan, m.CompactionCacheKey = -1, true, &span, s.CacheKey
	return m
}

func (s Summary) wrapped() string {
	if s.Kind == KindTruncation {
		return s.Text
	}
	text := strings.ReplaceAll(s.Text, summaryClose, `<\/COMPACTION_SUMMARY>`)
	return fmt.Sprintf(summaryOpen, s.Model, s.Span.Start) + text + "\n" + summaryClose
}

// TextTokens is what the summary itself takes in the view.
func (s Summary) TextTokens() int { return message.FallbackTokens(len(s.wrapped())) }

// CarriedTokens is what the carried request takes in the view.
func (s Summary) CarriedTokens() int { return message.FallbackTokens(s.Request.Units()) }

// ackTokens is the cost of one seam.
var ackTokens = Ack().Tokens

// SummaryTokens sums the summary messages of a view with their seams.
func SummaryTokens(summaries []Summary) int {
	n := 0
	for _, s := range summaries {
		n += s.TextTokens() + ackTokens
	}
	return n
}

// CarriedTokens sums the requests that summaries carry.
func CarriedTokens(summaries []Summary) int {
	n := 0
	for _, s := range summaries {
		n += s.CarriedTokens()
	}
	return n
}

// CarryRequest are the blocks of the row that opened the running turn as a summary carries them (spec 4.9): unchanged,
// or, when they are larger than limit tokens (0 = no limit, see [Planner.CarryLimit]), the head and the tail of their
// text with size and seq between (case B70). They keep half the limit, so that the tail proper has the other half.
func CarryRequest(open message.Message, limit int) message.Blocks {
	if limit <= 0 || open.Tokens <= limit {
		return slices.Clone(open.Blocks)
	}
	text, keep := open.PlainText(), limit*3/2
	head, tail := text, ""
	if len(text) > keep {
		head, tail = cutBytes(text, keep/2), lastBytes(text, keep/2)
	}
	left := open.Units - len(head) - len(tail)
	note := fmt.Sprintf("\n[… %d of %d bytes of this request left out, message %d …]\n", left, open.Units, open.Seq)
	return message.Blocks{message.Text{Text: head + note + tail}}
}
