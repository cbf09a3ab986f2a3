package session

import (
	"regexp"
	"strconv"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// namedMessage finds the message that an invalid request is blamed on, as the Anthropic wire names it: its messages are
// ours one by one.
var namedMessage = regexp.MustCompile(`\bmessages\.(\d{1,6})\.`)

// quarantine elides a tool result that the provider will not take, such as an image that is too large, and has the call
// made once more: without it every later call of the session would fail alike (case B64). It reports false when the error
// names no result, or when that was tried already.
func (a *actor) quarantine(r *asking, err *provider.Error) bool {
	s, run := a.state, a.state.turn
	if run.quarantined || run.cancelled || !s.rec.Compaction.Enabled {
		return false
	}
	e := s.blamed(r.req.Messages, err.Message)
	if len(e.Seqs) == 0 {
		return false
	}
	run.quarantined = true
	a.attemptFailed(r, err)
	a.elideNow(newCheck(compaction.AtStep), e, s.planState(compaction.AtStep))
	return true
}

// blamed is the elision of the row that an error names.
func (s *state) blamed(sent []message.Message, text string) (e compaction.Elision) {
	found := namedMessage.FindStringSubmatch(text)
	if found == nil {
		return e
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n >= len(sent) || sent[n].Seq < s.rec.Watermark {
		return e
	}
	i := int(sent[n].Seq - s.rec.Watermark)
	return compaction.Elide(s.rows[max(i-1, 0):i+1], s.elided, s.index.End(), 1)
}
