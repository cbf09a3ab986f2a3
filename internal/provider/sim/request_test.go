package sim_test

import (
	"strings"
	"testing"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

func tools(names ...string) []message.ToolSpec {
	out := make([]message.ToolSpec, len(names))
	for i, n := range names {
		out[i] = message.ToolSpec{Name: n, Description: "does " + n, InputSchema: provider.SchemaObject}
	}
	return out
}

// A strict service refuses these; so a bug of a caller shows offline (spec 7.6).
func TestRequest_Refused(t *testing.T) {
	for name, change := range map[string]func(*provider.Request){
		"no messages":          func(r *provider.Request) { r.Messages = nil },
		"blank text":           func(r *provider.Request) { r.Messages = []message.Message{user(" \n")} },
		"ends with assistant":  func(r *provider.Request) { r.Messages = append(r.Messages, message.Filler("x")) },
		"two users":            func(r *provider.Request) { r.Messages = append(r.Messages, user("again")) },
		"result without call":  func(r *provider.Request) { r.Messages[0] = message.NewUser(message.TextResult("a", "x", false)) },
		"no max_tokens":        func(r *provider.Request) { r.MaxTokens = 0 },
		"max_tokens too large": func(r *provider.Request) { r.MaxTokens = 64_001 },
		"tools not sorted":     func(r *provider.Request) { r.Tools = tools("b", "a") },
		"tool twice":           func(r *provider.Request) { r.Tools = tools("a", "a") },
		"tool without a name":  func(r *provider.Request) { r.Tools = tools("") },
		"tool name with space": func(r *provider.Request) { r.Tools = tools("a b") },
		"tool without schema":  func(r *provider.Request) { r.Tools = []message.ToolSpec{{Name: "a"}} },
	} {
		t.Run(name, func(t *testing.T) {
			req := asked(user("hello"))
			change(&req)
			p := sim.New(sim.Config{})
			m, _ := p.Model(model.SimAssistant)
			if err := collect(t, m, req).WantErr(t, provider.ClassInvalidRequest); err.Status != 400 || err.RequestID == "" {
				t.Errorf("%+v", err)
			}
			if got := p.Totals(model.SimAssistant); got.Calls != 1 || got.Failed != 1 || !got.Usage.IsZero() {
				t.Errorf("totals %+v", got)
			}
		})
	}
}

func TestRequest_WindowEdge(t *testing.T) {
	req := asked(user(strings.Repeat("word ", 3000)))
	size := sim.PromptTokens(req)
	card, _ := model.Default().Lookup(model.SimAssistant)
	for window, fits := range map[int]bool{size: true, size - 1: false} {
		m := open(t, model.SimAssistant, sim.Config{Table: model.Default().With(card.WithWindow(window))})
		r := collect(t, m, req)
		switch {
		case !fits:
			r.WantErr(t, provider.ClassContextOverflow)
		case r.Err != nil:
			t.Errorf("%d tokens into a window of %d: %v", size, window, r.Err)
		}
	}
}

func TestRequest_AnswerIsCutAtMaxTokens(t *testing.T) {
	req := asked(user("[[say 500]]"))
	req.MaxTokens = 100
	r := collect(t, open(t, model.SimAssistant, sim.Config{}), req)
	if done := r.WantDone(t, provider.StopMaxTokens); done.Usage.Output != 100 {
		t.Errorf("output %d", done.Usage.Output)
	}
}

// Blocks of another provider are left out of what is sent (spec 3.1), and so they cost nothing.
func TestRequest_ForeignOpaqueIsNotSent(t *testing.T) {
	plain := asked(user("a"), message.NewAssistant(message.Text{Text: "b"}), user("c"))
	with := asked(user("a"), message.NewAssistant(
		message.Text{Text: "b"}, message.Opaque{Provider: "anthropic", Kind: "redacted_thinking", Raw: []byte(`{"data":"xxxx"}`)},
	), user("c"))
	if sim.PromptTokens(plain) != sim.PromptTokens(with) {
		t.Error("a foreign block was counted")
	}
	with.Messages[1].Blocks[1] = message.Opaque{Provider: "sim", Raw: []byte(`{"data":"xxxx"}`)}
	if sim.PromptTokens(plain) == sim.PromptTokens(with) {
		t.Error("its own block was not counted")
	}
}

func TestPromptTokens_CountsAllThatIsSent(t *testing.T) {
	req := provider.Request{
		System: "sys", Volatile: "memo", Tools: []message.ToolSpec{{Name: "t", Description: "dd", InputSchema: []byte(`{}`)}},
		Messages: []message.Message{
			user("abc"),
			message.NewAssistant(message.Thinking{Thinking: "hmm", Signature: "long signature"}, message.ToolUse{ID: "i", Name: "t", Input: []byte(`{}`)}),
			message.NewUser(message.ToolResult{ToolUseID: "i", Content: message.Blocks{message.Text{Text: "ok"}, message.Image{Data: "…"}}}),
		},
	}
	units := 3 + 4 + (1 + 2 + 2) + 3 + 3 + (1 + 2) + (2 + message.ImageUnits)
	if got, want := sim.PromptTokens(req), message.FallbackTokens(units); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}
