package compaction

import (
	"tidemark/internal/message"
	"tidemark/internal/model"
)

// sourceTokens is the fallback estimate of what the text replaces, counted from the blocks so that it is a function of
// the messages alone, as the key needs (spec 5.1).
func (j Job) sourceTokens() int {
	n := 0
	for i := range j.Rows {
		n += message.FallbackTokens(j.Rows[i].Blocks.Units())
	}
	for _, p := range j.Parents {
		n += textTokens(p)
	}
	return n
}

// limit bounds the text: a span's by [Config.SummaryLimit], a fold's by max_tokens and two thirds of its parents.
func (j Job) limit(source int) int {
	if len(j.Parents) == 0 {
		return Config{MaxTokens: j.MaxTokens}.SummaryLimit(source)
	}
	return max(min(j.MaxTokens, source*2/3), 1)
}

func (j Job) keyInput() KeyInput {
	return KeyInput{
		Rows: j.Rows, Parents: j.Parents, Model: j.Model, PromptVersion: j.PromptVersion, MaxTokens: j.MaxTokens,
	}
}

func (j Job) render(closing string) []message.Message {
	if len(j.Parents) > 0 {
		return RenderFold(j.Parents, closing)
	}
	return RenderSpan(j.Rows, closing)
}

// measure counts the bytes really sent (case B42) and holds them against the window minus the reserve of spec 2.3: the
// request's output and 2 % of the window. An unknown window fits everything.
func (p *Prepared) measure(card model.Card) {
	body := 0
	for i := range p.Request.Messages {
		body += p.Request.Messages[i].Units
	}
	p.Tokens = message.FallbackTokens(len(p.Request.System) + body)
	p.Fits, p.Room = true, 0
	if card.Window <= 0 {
		return
	}
	free := card.Window - p.Request.MaxTokens - card.Window/50
	p.Fits = p.Tokens <= free
	p.Room = max(free-textTokens(p.Request.System)-textTokens(p.prompt.closing(p.Job, p.Limit)), 0)
}

// FitPrefix is how many leading rows fit into room tokens once they are rendered; the caller moves the cut to a boundary
// (spec 4.6, case B96). [Prepared.Room] is the room of a job's model.
func FitPrefix(rows []message.Message, room int) int {
	r := renderer{ids: make(toolNames)}
	units := len(spanStub)
	for i := range rows {
		if units += len(r.row(&rows[i])); message.FallbackTokens(units) > room {
			return i
		}
	}
	return len(rows)
}
