package sim

import (
	"strings"
	"unicode/utf8"

	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// reply is a whole answer before it is streamed.
type reply struct {
	blocks message.Blocks
	stop   provider.StopReason
}

// speaker makes an answer. All it knows is the request, so equal requests get equal answers.
type speaker func(c *call) (reply, *provider.Error)

func textReply(s string) reply {
	return reply{message.Blocks{message.Text{Text: s}}, provider.StopEndTurn}
}

// outputUnits counts a part of an answer.
func outputUnits(blocks message.Blocks) (units, thinking int) {
	for _, b := range blocks {
		n := blockUnits(b)
		units += n
		if _, ok := b.(message.Thinking); ok {
			thinking += n
		}
	}
	return units, thinking
}

// limit cuts the text of an answer that is longer than it may be, as a service does: in the middle of a word and with
// stop reason max_tokens. Calls are not cut.
func (r reply) limit(tokens int) reply {
	units, _ := outputUnits(r.blocks)
	if message.FallbackTokens(units) <= tokens {
		return r
	}
	left := 3 * tokens
	var kept message.Blocks
	for _, b := range r.blocks {
		if t, ok := b.(message.Text); ok {
			b = message.Text{Text: cutBytes(t.Text, left)}
		}
		if left -= blockUnits(b); left < 0 || blockUnits(b) == 0 {
			break
		}
		kept = append(kept, b)
	}
	return reply{kept, provider.StopMaxTokens}
}

// cutBytes keeps at most n bytes, never half a rune.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// piece cuts the next delta off a text: up to n bytes, after a space where there is one.
func piece(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head := cutBytes(s, n)
	if i := strings.LastIndexAny(head, " \n"); i > 0 {
		return head[:i+1]
	}
	if head == "" { // one rune is larger than a delta
		_, size := utf8.DecodeRuneInString(s)
		return s[:size]
	}
	return head
}
