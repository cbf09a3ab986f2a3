package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

// longRequest is about 100k tokens in a thousand blocks: a long agent session with tool cycles.
func longRequest() provider.Request {
	req := asked()
	req.System, req.Tools = strings.Repeat("A rule that stays. ", 500), tools("alpha", "beta", "gamma")
	req.Messages = append(req.Messages, user("Go through all files."))
	line := strings.Repeat("a line of a file that was read, ", 18)
	for i := range 480 {
		id := fmt.Sprintf("call_%d", i)
		req.Messages = append(req.Messages,
			message.NewAssistant(message.Text{Text: "Next file."}, message.ToolUse{ID: id, Name: "alpha", Input: []byte(`{"path":"internal/some/file.go"}`)}),
			message.NewUser(message.TextResult(id, line, false)))
	}
	req.Script = []message.Blocks{{message.Text{Text: "Done."}}}
	return req
}

func benchmark(b *testing.B, req provider.Request) {
	m := open(b, model.SimReplay, sim.Config{Now: newClock().Now})
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range m.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(sim.PromptTokens(req)), "prompt-tokens")
}

func BenchmarkStream_100kTokens(b *testing.B) { benchmark(b, longRequest()) }

func BenchmarkStream_Short(b *testing.B) {
	req := asked(user("hello"))
	req.Script = longRequest().Script
	benchmark(b, req)
}

func BenchmarkPromptTokens_100kTokens(b *testing.B) {
	req := longRequest()
	for b.Loop() {
		sim.PromptTokens(req)
	}
}
