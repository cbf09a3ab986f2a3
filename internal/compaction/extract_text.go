package compaction

import (
	"slices"
	"strings"

	"tidemark/internal/message"
)

// Bounds of what is kept of prose.
const (
	maxAsk        = 1500 // bytes; 500 tokens: asks up to it are kept word for word
	askHead       = 1000 // of a longer one
	askTail       = 450
	minSay        = 30
	maxSay        = 240
	maxAnswer     = 400
	maxSentence   = 400
	maxRowLimits  = 24
	maxRowChoices = 3
)

// text takes a text block: what the user asked for, or what the model said.
func (x *extractor) text(m message.Message, s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	s = x.mask(s)
	if m.Role == message.RoleUser {
		x.scan(s, inUser, x.topic(Topic{Kind: TopicUser}), 0)
		x.codes(s, inUser, x.topic(Topic{Kind: TopicUser}), 0)
		x.ask(m, s)
		return
	}
	x.scan(s, inText, x.topic(Topic{Kind: TopicModel}), 0)
	x.codes(s, inText, x.topic(Topic{Kind: TopicModel}), 0)
	if len(m.ToolUses()) > 0 {
		x.d.Says = append(x.d.Says, Note{Text: oneLine(lastParagraph(s), maxSay), Seq: m.Seq})
	} else {
		x.d.Answers = append(x.d.Answers, Note{Text: oneLine(s, maxAnswer), Seq: m.Seq})
	}
	x.decisions(s)
}

// ask keeps the user's words. Text beside results that only an agent's harness can have put there is no ask.
func (x *extractor) ask(m message.Message, s string) {
	if len(m.ToolResults()) > 0 && strings.HasPrefix(strings.TrimSpace(s), "<") {
		return
	}
	a := Ask{Text: s, Seq: m.Seq}
	if len(s) > maxAsk {
		a.Text, a.Size = headTail(s, askHead, askTail), message.FallbackTokens(len(s))
	}
	x.d.Asks = append(x.d.Asks, a)
	x.limits(s)
	if p := pressureIn(s); p != "" && len(s) < maxAsk {
		x.d.Pressure = append(x.d.Pressure, Note{Text: p, Seq: m.Seq, User: true})
	}
}

// headTail keeps both ends of a text and says how much it left out.
func headTail(s string, head, tail int) string {
	if len(s) <= head+tail {
		return s
	}
	h, t := cutBytes(s, head), lastBytes(s, tail)
	return h + gapOpen + itoa(message.FallbackTokens(len(s)-len(h)-len(t))) + " tokens left out" + gapClose + t
}

// What stands around the size of a gap.
const (
	gapOpen  = "\n[… "
	gapClose = " …]\n"
)

// lastBytes keeps at most n bytes from the end, not from inside a character.
func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for s != "" && s[0]&0xC0 == 0x80 {
		s = s[1:]
	}
	return s
}

func lastParagraph(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndex(s, "\n\n"); i >= 0 && len(s)-i > 20 {
		return s[i+2:]
	}
	return s
}

// limits keeps the sentences of the user that set a rule or a permission, word for word (case B45).
func (x *extractor) limits(s string) {
	document := len(s) > maxAsk
	sentences(s, func(t string) {
		switch {
		case isPermission(t):
			x.d.Permits = append(x.d.Permits, Note{Text: t, Seq: x.d.Last, User: true})
		case isConstraint(t, document):
			if len(x.d.Limits) >= maxRowLimits {
				x.d.Left.Limits++
				return
			}
			x.d.Limits = append(x.d.Limits, Note{Text: t, Seq: x.d.Last, User: true})
		}
	})
}

// decisions keeps the sentences by which the model chose.
func (x *extractor) decisions(s string) {
	n := 0
	sentences(s, func(t string) {
		if n < maxRowChoices && isDecision(t) {
			x.d.Decisions = append(x.d.Decisions, Note{Text: t, Seq: x.d.Last})
			n++
		}
	})
}

// hasWord reports whether a lower-case text holds one of the phrases at word borders.
func hasWord(low string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		for from := 0; ; {
			i := strings.Index(low[from:], p)
			if i < 0 {
				return false
			}
			i += from
			e := i + len(p)
			if (i == 0 || !isWord(low[i-1]) || p[0] >= 0x80) && (e == len(low) || !isWord(low[e]) || p[len(p)-1] >= 0x80 || p[len(p)-1] == ' ') {
				return true
			}
			from = i + 1
		}
	})
}
