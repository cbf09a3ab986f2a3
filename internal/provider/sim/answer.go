package sim

import (
	"strings"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
)

// answer asks the speaker, bends the answer as the fault wants, and cuts what passes the output limit. Only a recorded
// answer and a summary that is too long on cue are let through whole.
func (c *call) answer() (reply, *provider.Error) {
	r, err := c.m.speak(c)
	if err != nil {
		return r, err
	}
	r = c.bend(r)
	if c.m.card.Name == model.SimReplay || c.fault.Kind == TooLong {
		return r, nil
	}
	return r.limit(outputLimit(&c.m.card, c.req, &c.prompt)), nil
}

func (c *call) bend(r reply) reply {
	switch c.fault.Kind {
	case Empty:
		return reply{stop: provider.StopEndTurn}
	case Blank:
		return textReply(" \n\t ")
	case Refusal:
		return reply{textReply("I can't help with that.").blocks, provider.StopRefusal}
	case MaxTokens:
		return reply{textReply(halfOf(r)).blocks, provider.StopMaxTokens}
	case ToolCall:
		return reply{message.Blocks{c.strayCall()}, provider.StopToolUse}
	case TooLong:
		return textReply(repeat(r, c.prompt.last().units))
	case WrongLanguage:
		return textReply(otherScript(r.blocks.PlainText()))
	case Say:
		return textReply(c.fault.Text)
	}
	return r
}

// halfOf ends in the middle of a word.
func halfOf(r reply) string {
	text := r.blocks.PlainText()
	if len(text) < 8 {
		text = prose(16)
	}
	half := cutBytes(text, len(text)/2)
	return strings.TrimRight(half, " \n.")
}

// strayCall is a call where none is wanted: of the first tool offered, or of one that nobody offered.
func (c *call) strayCall() message.ToolUse {
	name := "lookup"
	if len(c.req.Tools) > 0 {
		name = c.req.Tools[0].Name
	}
	return message.ToolUse{ID: callID(c.prompt.last().hash, c.turn.step, 0), Name: name, Input: []byte("{}")}
}

// repeat says the answer again and again until it is longer than the whole prompt.
func repeat(r reply, units int) string {
	text := r.blocks.PlainText()
	if strings.TrimSpace(text) == "" {
		text = prose(64)
	}
	return strings.Repeat(text+"\n", units/(len(text)+1)+2)
}

// otherScript answers in a script the conversation does not use.
func otherScript(text string) string {
	for _, r := range text {
		if r >= 0x0400 && r < 0x0530 {
			return "The conversation was summarized in a language that nobody in it speaks."
		}
	}
	return "Разговор изложен на языке, на котором в нём никто не говорил. Сохранены цели, файлы и решения."
}
