package sim_test

import (
	"testing"
	"time"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/providertest"
	"tidemark/internal/provider/sim"
)

// clock is an injected clock.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time { return c.now }

func open(t testing.TB, name string, cfg sim.Config) provider.Model {
	t.Helper()
	m, err := sim.New(cfg).Model(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func user(text string) message.Message { return message.NewUser(message.Text{Text: text}) }

func asked(msgs ...message.Message) provider.Request {
	return provider.Request{SessionID: "s", System: "You are helpful.", Messages: msgs, MaxTokens: 4096}
}

func collect(t testing.TB, m provider.Model, req provider.Request) providertest.Result {
	t.Helper()
	return providertest.Collect(t.Context(), t, m, req)
}

func TestContract(t *testing.T) {
	for _, name := range []string{model.SimAssistant, model.SimFree, model.SimUnpriced} {
		t.Run(name, func(t *testing.T) {
			providertest.Run(t, func(tb testing.TB, _ providertest.Scenario) provider.Model {
				return open(tb, name, sim.Config{Now: newClock().Now})
			})
		})
	}
}
