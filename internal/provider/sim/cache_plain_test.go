package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

// The cache agrees with the plainest model of it: whole prompts kept as strings, compared byte by byte.
func TestCache_AgreesWithPlainModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		m, _ := sim.New(sim.Config{Now: c.Now}).Model(model.SimAssistant)
		plain := plainCache{used: make(map[string]time.Time)}
		req := asked()
		req.System, req.Tools = strings.Repeat("Rule. ", rapid.IntRange(1, 2500).Draw(t, "rules")), tools("alpha")
		for range rapid.IntRange(2, 12).Draw(t, "calls") {
			c.now = c.now.Add(time.Duration(rapid.IntRange(0, 400).Draw(t, "gap")) * time.Second)
			req.Volatile = rapid.SampledFrom([]string{"", "m1", "m2"}).Draw(t, "memory")
			if n := len(req.Messages); n > 3 && rapid.IntRange(0, 4).Draw(t, "compact") == 0 {
				req.Messages = append([]message.Message{user("summary"), message.Filler("ack")}, req.Messages[n-2:]...)
			}
			size := rapid.IntRange(1, 900).Draw(t, "say")
			req.Messages = append(req.Messages, user(fmt.Sprintf("[[say %d]]", size)))
			var done provider.Done
			for ch, err := range m.Stream(t.Context(), req) {
				if err != nil {
					t.Fatal(err)
				}
				done, _ = ch.(provider.Done)
			}
			read, write := plain.ask(&req, c.now)
			u := done.Usage
			if u.CacheRead != read || u.CacheWrite5m != write || u.Prompt() != sim.PromptTokens(req) || u.Output != size {
				t.Fatalf("usage %+v, want read %d, write %d, prompt %d, output %d", u, read, write, sim.PromptTokens(req), size)
			}
			req.Messages = append(req.Messages, message.NewAssistant(done.Blocks...))
		}
	})
}

type plainCache struct{ used map[string]time.Time }

func (p *plainCache) ask(req *provider.Request, now time.Time) (read, write int) {
	const least = 2048
	var ends, marks []string
	units := map[string]int{}
	text, n := "", 0
	add := func(s string, u int) {
		text, n = text+"|"+s, n+u
		ends, units[text] = append(ends, text), n
	}
	for _, tl := range req.Tools {
		add(fmt.Sprintf("tool %+v", tl), len(tl.Name)+len(tl.Description)+len(tl.InputSchema))
	}
	marks = append(marks, text)
	add("system "+req.System, len(req.System))
	marks = append(marks, text)
	if req.Volatile != "" {
		add("volatile "+req.Volatile, len(req.Volatile))
	}
	for _, msg := range req.Messages {
		for _, b := range msg.Blocks {
			add(fmt.Sprintf("%s %#v", msg.Role, b), b.Units())
		}
	}
	marks = append(marks, text)
	for _, end := range ends {
		if at, ok := p.used[end]; ok && now.Sub(at) < 5*time.Minute {
			read = message.FallbackTokens(units[end])
		}
	}
	for _, end := range ends { // the one that was read is used
		if message.FallbackTokens(units[end]) == read && read > 0 {
			p.used[end] = now
		}
	}
	for _, mark := range marks {
		if tokens := message.FallbackTokens(units[mark]); tokens >= least {
			p.used[mark] = now
			write = max(write, tokens-read)
		}
	}
	return read, write
}
