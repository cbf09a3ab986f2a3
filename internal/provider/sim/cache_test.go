package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

// talk drives one session and returns the usage of each call.
type talk struct {
	t     testing.TB
	m     provider.Model
	clock *clock
	req   provider.Request
}

func newTalk(t testing.TB, name string) *talk {
	c := newClock()
	req := asked()
	req.System = strings.Repeat("A rule that stays. ", 500) // 3167 tokens: over the minimum of 2048
	return &talk{t, open(t, name, sim.Config{Now: c.Now}), c, req}
}

func (k *talk) say(text string) message.Usage {
	k.t.Helper()
	k.req.Messages = append(k.req.Messages, user(text))
	done := collect(k.t, k.m, k.req).WantDone(k.t, provider.StopEndTurn)
	k.req.Messages = append(k.req.Messages, message.NewAssistant(done.Blocks...))
	return done.Usage
}

func (k *talk) size() int {
	req := k.req
	req.Messages = req.Messages[:len(req.Messages)-1]
	return sim.PromptTokens(req)
}

func wantPrompt(t testing.TB, u message.Usage, input, read, write int) {
	t.Helper()
	if u.Input != input || u.CacheRead != read || u.CacheWrite5m != write || u.CacheWrite1h != 0 {
		t.Errorf("input %d, read %d, write %d, 1h %d; want %d, %d, %d, 0", u.Input, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, input, read, write)
	}
}

func TestCache_RollsForward(t *testing.T) {
	k := newTalk(t, model.SimAssistant)
	before := 0
	for i := range 5 {
		u := k.say(fmt.Sprintf("question %d [[say 50]]", i))
		wantPrompt(t, u, 0, before, k.size()-before)
		before = k.size()
	}
}

func TestCache_ExpiresFiveMinutesAfterItsLastUse(t *testing.T) {
	k := newTalk(t, model.SimAssistant)
	k.say("one")
	k.clock.now = k.clock.now.Add(4 * time.Minute)
	k.say("two")
	before := k.size()
	k.clock.now = k.clock.now.Add(5*time.Minute - time.Nanosecond)
	wantPrompt(t, k.say("three"), 0, before, k.size()-before)
	k.clock.now = k.clock.now.Add(5 * time.Minute)
	wantPrompt(t, k.say("four"), 0, 0, k.size())
}

func TestCache_UnderTheMinimumNothingIsCached(t *testing.T) {
	k := newTalk(t, model.SimAssistant)
	k.req.System = "short"
	for range 3 {
		wantPrompt(t, k.say("hello"), k.size(), 0, 0)
	}
}

// A memory edit loses the messages' mark and keeps the stable prefix (requirements C4.3).
func TestCache_VolatileTextKeepsTheStablePrefix(t *testing.T) {
	k := newTalk(t, model.SimAssistant)
	stable := message.FallbackTokens(len(k.req.System))
	k.req.Volatile = "memory"
	k.say("one")
	k.req.Volatile = "memory, edited"
	wantPrompt(t, k.say("two"), 0, stable, k.size()-stable)
	before := k.size()
	wantPrompt(t, k.say("three"), 0, before, k.size()-before)
}

// After a compaction the stable prefix is read and the rest is written once (requirements A11.1).
func TestCache_RewrittenHistory(t *testing.T) {
	k := newTalk(t, model.SimAssistant)
	k.req.Tools = tools("alpha", "beta")
	stable := message.FallbackTokens(len(k.req.System) + 2*len(`{"type":"object"}`) + len("alphadoes alphabetadoes beta"))
	for i := range 6 {
		k.say(fmt.Sprintf("question %d [[say 300]]", i))
	}
	summary := user("<COMPACTION_SUMMARY model=mechanical watermark=0>\nshort\n</COMPACTION_SUMMARY>")
	k.req.Messages = append([]message.Message{summary, message.Filler(message.AckText)}, k.req.Messages[8:]...)
	wantPrompt(t, k.say("next"), 0, stable, k.size()-stable)
	before := k.size()
	wantPrompt(t, k.say("and next"), 0, before, k.size()-before)
}

func TestCache_OneEditedBlockReadsUpToTheMarkBeforeIt(t *testing.T) {
	k := newTalk(t, model.SimAssistant)
	k.say("one [[say 200]]")
	first := k.size()
	k.say("two [[say 200]]")
	k.req.Messages[2] = user("two, edited")
	wantPrompt(t, k.say("three"), 0, first, k.size()-first)
}

func TestCache_NoCacheAsksForNoMarks(t *testing.T) {
	k := newTalk(t, model.SimAssistant)
	k.say("one")
	k.req.NoCache = true
	wantPrompt(t, k.say("two"), k.size(), 0, 0)
}

func TestCache_SessionsAndModelsAreApart(t *testing.T) {
	p := sim.New(sim.Config{Now: newClock().Now})
	req := asked(user("hello"))
	req.System = strings.Repeat("A rule that stays. ", 500)
	for _, name := range []string{model.SimAssistant, model.SimFree} {
		m, _ := p.Model(name)
		for _, id := range []string{"a", "b"} {
			req.SessionID = id
			if u := collect(t, m, req).Done.Usage; u.CacheRead != 0 {
				t.Errorf("%s, session %s read %d tokens of another", name, id, u.CacheRead)
			}
		}
	}
}

func TestCache_FailedCallsDoNotWarmIt(t *testing.T) {
	c := newClock()
	m := open(t, model.SimAssistant, sim.Config{Now: c.Now, Faults: sim.InTurn(model.SimAssistant, sim.Fault{Kind: sim.RateLimit}, sim.Fault{Kind: sim.Cut})})
	req := asked(user("[[say 100]]"))
	req.System = strings.Repeat("A rule that stays. ", 500)
	if err := collect(t, m, req).WantErr(t, provider.ClassRateLimit); !err.Usage.IsZero() {
		t.Errorf("a refused call was billed: %+v", err.Usage)
	}
	cut := collect(t, m, req).WantErr(t, provider.ClassNetwork).Usage
	wantPrompt(t, cut, 0, 0, sim.PromptTokens(req))
	if cut.Output < 40 || cut.Output > 70 {
		t.Errorf("cut half way through 100 tokens, billed %d", cut.Output)
	}
	wantPrompt(t, collect(t, m, req).Done.Usage, 0, sim.PromptTokens(req), 0)
}
