package compaction

import (
	"strings"

	"tidemark/internal/message"
)

// use takes the specifics of a call. What it did is known only with its result.
func (x *extractor) use(u message.ToolUse) {
	c := newToolCall(u)
	x.d.Masked += c.masked
	name := x.topic(Topic{TopicTool, c.tool + " arguments"})
	x.scan(c.tool, inCall, name, 0)
	own := x.topic(c.topic())
	for _, a := range c.args {
		x.scan(a.key, inCall, name, 0)
		x.scan(a.value, inCall, x.argTopic(a, &c, name, own), argMarks(a, &c))
		x.openings(a.value, own, argMarks(a, &c))
		if len(a.value) <= maxAsk {
			x.codes(a.value, inCall, own, argMarks(a, &c))
		}
	}
	if p := planOf(&c); p != nil {
		p.Seq = x.d.Last
		x.d.Plan = p
	}
}

// argTopic keeps a tool's options (limits, time-outs) with the tool and everything else with what the call is about.
func (x *extractor) argTopic(a arg, c *toolCall, name, own int) int {
	if !a.text || (c.kind == callShell && !strings.Contains(a.value, " ") && len(a.value) < 12) {
		return name
	}
	return own
}

func argMarks(a arg, c *toolCall) Marks {
	var m Marks
	if len(a.value) < 200 {
		m |= MarkArgument
	}
	if c.kind == callEdit || c.kind == callWrite {
		m |= MarkEdit
	}
	return m
}

// maxPlanItems and maxPlanText bound a plan.
const (
	maxPlanItems = 16
	maxPlanText  = 100
)

// planOf reads the call of a to-do tool: a list of objects with a text and a status.
func planOf(c *toolCall) *PlanFact {
	name := strings.ToLower(c.tool)
	if !strings.Contains(name, "todo") && !strings.Contains(name, "plan") {
		return nil
	}
	var p PlanFact
	var item PlanItem
	flush := func() {
		if item.Text != "" && item.State != "" && len(p.Items) < maxPlanItems {
			p.Items = append(p.Items, item)
			item = PlanItem{}
		}
	}
	for _, a := range c.args {
		switch {
		case a.depth < 3 || !a.text:
		case a.key == "content" || a.key == "step" || a.key == "title" || a.key == "text":
			item.Text = oneLine(a.value, maxPlanText)
		case a.key == "status" || a.key == "state":
			item.State = oneLine(strings.ReplaceAll(a.value, "_", " "), 20)
		}
		flush()
	}
	if len(p.Items) == 0 {
		return nil
	}
	return &p
}
