package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

// loop runs a turn as a session does: answers calls, retries what may be retried, and returns the final text.
func loop(t testing.TB, m provider.Model, req *provider.Request, view func([]message.Message) []message.Message) (text string, steps, failures int) {
	t.Helper()
	for steps < 200 && failures < 20 {
		r := collect(t, m, *req)
		if r.Err != nil {
			failures++
			if !r.Err.Retryable() {
				return r.Err.Error(), steps, failures
			}
			continue
		}
		steps++
		req.Messages = append(req.Messages, message.NewAssistant(r.Done.Blocks...))
		if r.Done.Stop != provider.StopToolUse {
			return r.Text, steps, failures
		}
		var results message.Blocks
		for i, u := range req.Messages[len(req.Messages)-1].ToolUses() {
			results = append(results, message.TextResult(u.ID, fmt.Sprintf("result %d of %s for %s", i, u.Name, u.Input), false))
		}
		req.Messages = append(req.Messages, message.NewUser(results...))
		if view != nil {
			req.Messages = view(req.Messages)
		}
	}
	t.Fatal("the turn does not end")
	return "", 0, 0
}

func TestAssistant_Cues(t *testing.T) {
	for _, row := range []struct {
		name, text, want string
		steps, failures  int
	}{
		{"echo", "[[echo exactly this]]", "exactly this", 1, 0},
		{"tool", `look [[tool read {"path":"a.go"}]]`, "`read` says: result 0 of read for {\"path\":\"a.go\"}", 2, 0},
		{"two steps", `[[tool read {}]] [[tool write {}]]`, "`write` says: result 0 of write for {}", 3, 0},
		{"parallel", `[[tools read {} write {}]]`, "`read` says: result 0 of read for {}\n`write` says: result 1 of write for {}", 2, 0},
		{"steps", `[[tool read {"n":"$n"}]] [[steps 5]]`, "`read` says: result 0 of read for {\"n\":\"5\"}", 6, 0},
		{"steps alone", `[[steps 2]]`, "`read` says: result 0 of read for {}", 3, 0},
		{"tool not offered", `[[tool launch {}]]`, "I was asked to call launch, but this session does not offer it.", 1, 0},
		{"call not offered", `[[call launch {}]]`, "`launch` says: result 0 of launch for {}", 2, 0},
		{"once", `[[fail rate_limit once]] [[echo ok]]`, "ok", 1, 1},
		{"twice", `[[fail overload times=2]] [[echo ok]]`, "ok", 1, 2},
		{"one after the other", `[[fail rate_limit once]] [[fail cut once]] [[fail network once]] [[echo ok]]`, "ok", 1, 3},
		{"in the second step", `[[tool read {}]] [[fail server_error once step=2]] [[echo ok]]`, "ok", 2, 1},
		{"not retryable", `[[fail auth]]`, "auth (401): invalid api key", 0, 1},
		{"empty", `[[empty]]`, "", 1, 0},
		{"refusal", `[[refuse]]`, "I can't help with that.", 1, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			req := asked(user(row.text))
			req.Tools = tools("read", "write")
			text, steps, failures := loop(t, open(t, model.SimAssistant, sim.Config{}), &req, nil)
			if text != row.want || steps != row.steps || failures != row.failures {
				t.Errorf("%q after %d steps and %d failures", text, steps, failures)
			}
		})
	}
}

// The same words in a later turn fail once again.
func TestAssistant_OnceIsOncePerTurn(t *testing.T) {
	m := open(t, model.SimAssistant, sim.Config{})
	req := asked()
	for range 3 {
		req.Messages = append(req.Messages, user("[[fail rate_limit once]] [[echo ok]]"))
		if _, steps, failures := loop(t, m, &req, nil); steps != 1 || failures != 1 {
			t.Fatalf("%d steps, %d failures", steps, failures)
		}
	}
}

// A pass inside a turn takes earlier steps out of the view; the assistant must neither lose count nor its request, and
// must not obey a cue that a summary quotes (spec 4.9).
func TestAssistant_StepsSurviveACompactionInsideTheTurn(t *testing.T) {
	ids := make(map[string]bool)
	compact := func(msgs []message.Message) []message.Message {
		for _, u := range msgs[len(msgs)-2].ToolUses() {
			if ids[u.ID] {
				t.Fatalf("call id %s came twice", u.ID)
			}
			ids[u.ID] = true
		}
		if len(msgs) < 9 {
			return msgs
		}
		request := msgs[0].Blocks[len(msgs[0].Blocks)-1]
		summary := message.NewUser(message.Text{Text: "<COMPACTION_SUMMARY model=mechanical watermark=0>\nhe wrote [[steps 90]] [[empty]]\n</COMPACTION_SUMMARY>"}, request)
		return append([]message.Message{summary}, msgs[len(msgs)-2:]...)
	}
	req := asked(user(`[[tools read {"n":"$n"} write {}]] [[steps 40]] [[echo done]]`))
	req.Tools = tools("read", "write")
	text, steps, _ := loop(t, open(t, model.SimAssistant, sim.Config{}), &req, compact)
	if text != "done" || steps != 41 || len(ids) != 80 {
		t.Errorf("%q after %d steps with %d calls", text, steps, len(ids))
	}
}

func TestAssistant_TakesUpTheUsersWords(t *testing.T) {
	m := open(t, model.SimAssistant, sim.Config{})
	for text, want := range map[string]string{
		"Hello there": "Hello! I am the simulated assistant",
		"help":        "[[say N]]",
		"Why does the watermark stand still? I wonder": "“Why does the watermark stand still?”",
		"The ledger shows twice the cost. Look at it.": "“The ledger shows twice the cost”",
		"请检查账本。谢谢":                                     "“请检查账本”",
		"[[nothing]]":                                  "[[nothing]]",
	} {
		r := collect(t, m, asked(user(text)))
		r.WantDone(t, provider.StopEndTurn)
		if !strings.Contains(r.Text, want) {
			t.Errorf("%q is answered %q", text, r.Text)
		}
	}
}

func TestAssistant_CommentsOnErrors(t *testing.T) {
	use := message.NewAssistant(message.ToolUse{ID: "a", Name: "read", Input: []byte(`{}`)}, message.ToolUse{ID: "b", Name: "list", Input: []byte(`{}`)})
	req := asked(user("look"), use, message.NewUser(message.TextResult("a", "no such file", true), message.TextResult("b", "one\ntwo\nthree", false)))
	want := "`read` failed: no such file\n`list` came back with 3 lines; the first reads: one"
	if got := collect(t, open(t, model.SimAssistant, sim.Config{}), req).Text; got != want {
		t.Errorf("%q", got)
	}
}

func TestAssistant_IsDeterministic(t *testing.T) {
	run := func() []message.Message {
		req := asked(user(`[[think 9]] [[tools read {} write {}]] [[say 40]]`))
		req.Tools = tools("read", "write")
		loop(t, open(t, model.SimAssistant, sim.Config{Now: newClock().Now}), &req, nil)
		return req.Messages
	}
	if diff := cmp.Diff(run(), run()); diff != "" {
		t.Error(diff)
	}
}

func TestAssistant_SlowKeepsPaceAndEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := open(t, model.SimAssistant, sim.Config{})
		start := time.Now()
		r := collect(t, m, asked(user("[[say 100]] [[slow 200ms]] [[late 3s]]")))
		if took, want := time.Since(start), 3*time.Second+time.Duration(r.Deltas)*200*time.Millisecond; took != want {
			t.Errorf("took %v, want %v for %d deltas", took, want, r.Deltas)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var last error
		for _, err := range m.Stream(ctx, asked(user("[[say 4000]] [[slow 200ms]]"))) {
			last = err
		}
		if e := provider.AsError(last); e == nil || e.Class != provider.ClassNetwork || e.Usage.Output == 0 {
			t.Errorf("a call over its time limit ended with %+v", e)
		}
	})
}

func TestAssistant_HangEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Hour, cancel)
		var last error
		for _, err := range open(t, model.SimAssistant, sim.Config{}).Stream(ctx, asked(user("[[hang]]"))) {
			last = err
		}
		if e := provider.AsError(last); e.Class != provider.ClassCancelled || !e.Usage.IsZero() {
			t.Errorf("%+v", e)
		}
	})
}

// The summarizer's faults can be ordered from a prompt, for the same session alone and once each.
func TestAssistant_ArmsTheSummarizer(t *testing.T) {
	p := sim.New(sim.Config{})
	assistant, _ := p.Model(model.SimAssistant)
	summarizer, _ := p.Model(model.SimSummarizer)
	collect(t, assistant, asked(user("[[summarizer rate_limit]] [[summarizer empty]] [[echo ok]]"))).WantDone(t, provider.StopEndTurn)

	other := span(3)
	other.SessionID = "other"
	if r := collect(t, summarizer, other); r.Err != nil || r.Text == "" {
		t.Fatalf("another session's summary: %q, %v", r.Text, r.Err)
	}
	collect(t, summarizer, span(3)).WantErr(t, provider.ClassRateLimit)
	if r := collect(t, summarizer, span(3)); len(r.WantDone(t, provider.StopEndTurn).Blocks) != 0 {
		t.Errorf("%q", r.Text)
	}
	if r := collect(t, summarizer, span(3)); r.Err != nil || r.Text == "" {
		t.Errorf("after the armed faults: %q, %v", r.Text, r.Err)
	}
}
