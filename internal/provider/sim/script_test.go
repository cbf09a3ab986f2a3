package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

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
		if s.Err != nil || s.Done.Stop != stops[i] || !cmp.Equal(s.Done.Blocks, script[i]) {
			t.Fatalf("step %d: %+v, %v", i, s.Done, s.Err)
		}
		if s.Text != script[i].PlainText() {
			t.Errorf("step %d: deltas say %q", i, s.Text)
		}
	}
}

func TestReplay_WithoutScriptIsAnInvalidRequest(t *testing.T) {
	m := open(t, model.SimReplay, sim.Config{})
	collect(t, m, asked(user("go"))).WantErr(t, provider.ClassInvalidRequest)
	req := asked(user("go"))
	req.Script, req.ScriptStep = []message.Blocks{{message.Text{Text: "a"}}}, 1
	collect(t, m, req).WantErr(t, provider.ClassInvalidRequest)
	req.ScriptStep = -1
	collect(t, m, req).WantErr(t, provider.ClassInvalidRequest)
}

func TestReplay_AnswerOverTheLimitIsNotCut(t *testing.T) {
	m := open(t, model.SimReplay, sim.Config{})
	req := asked(user("go"))
	req.MaxTokens, req.Script = 1, []message.Blocks{{message.Text{Text: "much longer than one token"}}}
	if s := collect(t, m, req); s.Err != nil || s.Done.Stop != provider.StopEndTurn {
		t.Fatalf("%+v %v", s.Done, s.Err)
	}
}
