package sim_test

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

// Whatever goes wrong, what the caller was told adds up to what the service counted, and ids are unique.
func TestServed_AgreesWithWhatTheCallerWasTold(t *testing.T) {
	kinds := []sim.Kind{"", "", sim.RateLimit, sim.Cut, sim.Empty, sim.Refusal, sim.MaxTokens, sim.Auth, sim.Overflow, sim.ToolCall}
	rapid.Check(t, func(t *rapid.T) {
		var told message.Usage
		ids := make(map[string]bool)
		p := sim.New(sim.Config{
			Now:    newClock().Now,
			Faults: func(sim.Call) sim.Fault { return sim.Fault{Kind: rapid.SampledFrom(kinds).Draw(t, "fault")} },
			OnServed: func(s sim.Served) {
				if ids[s.RequestID] {
					t.Fatalf("request id %s came twice", s.RequestID)
				}
				ids[s.RequestID] = true
			},
		})
		m, _ := p.Model(model.SimAssistant)
		calls, broken := rapid.IntRange(1, 20).Draw(t, "calls"), 0
		for range calls {
			leave := rapid.IntRange(0, 5).Draw(t, "leave") == 0
			for ch, err := range m.Stream(t.Context(), asked(user("[[say 30]] the same words each time"))) {
				if err != nil {
					told = told.Add(provider.AsError(err).Usage)
				} else if d, ok := ch.(provider.Done); ok {
					told = told.Add(d.Usage)
				} else if leave {
					broken++
					break
				}
			}
		}
		got := p.Totals(model.SimAssistant)
		if got.Usage != told || got.Calls != calls || len(ids) != calls || got.Broken != broken || (broken > 0) == got.Left.IsZero() {
			t.Fatalf("the caller was told %+v in %d calls, %d left; the service counted %+v", told, calls, broken, got)
		}
	})
}

func TestFaults_AlwaysAndConcurrently(t *testing.T) {
	p := sim.New(sim.Config{Faults: sim.Always(model.SimSummarizer, sim.Fault{Kind: sim.Overload})})
	summarizer, _ := p.Model(model.SimSummarizer)
	assistant, _ := p.Model(model.SimAssistant)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, err := range summarizer.Stream(t.Context(), span(2)) {
				if e := provider.AsError(err); e == nil || e.Status != 529 || e.Class != provider.ClassRateLimit {
					t.Errorf("%v", err)
				}
			}
		})
	}
	wg.Wait()
	collect(t, assistant, asked(user("hi"))).WantDone(t, provider.StopEndTurn)
	if got := p.Totals(model.SimSummarizer); got.Calls != 8 || got.Failed != 8 {
		t.Errorf("%+v", got)
	}
}

func TestModel_UnknownNamesTheModels(t *testing.T) {
	_, err := sim.New(sim.Config{}).Model("anthropic:claude-haiku-4-5")
	want := `model "anthropic:claude-haiku-4-5": sim has sim:assistant, sim:replay, sim:summarizer, sim:free, sim:unpriced`
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
