package sim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
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

// stream is all that came of one call.
type stream struct {
	text, thought string
	starts        []provider.ToolUseStart
	deltas        int
	done          *provider.Done
	err           *provider.Error
}

func collect(t testing.TB, m provider.Model, req provider.Request) stream {
	t.Helper()
	return collectCtx(t, t.Context(), m, req)
}

func collectCtx(t testing.TB, ctx context.Context, m provider.Model, req provider.Request) stream {
	t.Helper()
	var s stream
	for ch, err := range m.Stream(ctx, req) {
		if s.done != nil || s.err != nil {
			t.Fatal("something came after the end")
		}
		if err != nil {
			if !errors.As(err, &s.err) {
				t.Fatalf("error of type %T", err)
			}
			continue
		}
		s.take(ch)
	}
	if (s.done == nil) == (s.err == nil) {
		t.Fatal("a stream ends with one Done or one error")
	}
	return s
}

func (s *stream) take(ch provider.Chunk) {
	switch v := ch.(type) {
	case provider.TextDelta:
		s.text += v.Text
		s.deltas++
	case provider.ThinkingDelta:
		s.thought += v.Text
	case provider.ToolUseStart:
		s.starts = append(s.starts, v)
	case provider.Done:
		s.done = &v
	}
}

func (s stream) want(t testing.TB, class provider.ErrorClass) {
	t.Helper()
	if s.err == nil || s.err.Class != class {
		t.Fatalf("want class %s, got %+v, done %+v", class, s.err, s.done)
	}
	if s.err.RequestID == "" {
		t.Error("the error has no request id")
	}
}

func TestReplay_SpeaksTheRecordToTheLetter(t *testing.T) {
	m := open(t, model.SimReplay, sim.Config{})
	script := []message.Blocks{
		{message.Thinking{Thinking: "hm", Signature: "x"}, message.Text{Text: "Reading the file now, one moment please, it is a long one."}, message.ToolUse{ID: "a", Name: "read", Input: []byte(`{"p":1}`)}},
		{},
		{message.Thinking{Thinking: "only a thought"}},
		{message.Text{Text: "Готово, 完了 🎉."}},
	}
	stops := []provider.StopReason{provider.StopToolUse, provider.StopEndTurn, provider.StopEndTurn, provider.StopEndTurn}
	for i := range script {
		req := asked(user("go"))
		req.Script, req.ScriptStep = script, i
		s := collect(t, m, req)
		if s.err != nil || s.done.Stop != stops[i] || !cmp.Equal(s.done.Blocks, script[i]) {
			t.Fatalf("step %d: %+v, %v", i, s.done, s.err)
		}
		if s.text != script[i].PlainText() {
			t.Errorf("step %d: deltas say %q", i, s.text)
		}
	}
}

func TestReplay_WithoutScriptIsAnInvalidRequest(t *testing.T) {
	m := open(t, model.SimReplay, sim.Config{})
	collect(t, m, asked(user("go"))).want(t, provider.ClassInvalidRequest)
	req := asked(user("go"))
	req.Script, req.ScriptStep = []message.Blocks{{message.Text{Text: "a"}}}, 1
	collect(t, m, req).want(t, provider.ClassInvalidRequest)
	req.ScriptStep = -1
	collect(t, m, req).want(t, provider.ClassInvalidRequest)
}

func TestReplay_AnswerOverTheLimitIsNotCut(t *testing.T) {
	m := open(t, model.SimReplay, sim.Config{})
	req := asked(user("go"))
	req.MaxTokens, req.Script = 1, []message.Blocks{{message.Text{Text: "much longer than one token"}}}
	if s := collect(t, m, req); s.err != nil || s.done.Stop != provider.StopEndTurn {
		t.Fatalf("%+v %v", s.done, s.err)
	}
}
