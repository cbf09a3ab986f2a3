package web_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/web"
)

func load(id string) acp.LoadSessionRequest {
	return acp.LoadSessionRequest{SessionID: id, CWD: "/", MCPServers: []json.RawMessage{}}
}

func resume(id string, after any) acp.ResumeSessionRequest {
	r := acp.ResumeSessionRequest{SessionID: id, CWD: "/"}
	if after != nil {
		r.Meta = acp.Meta{}.With(acp.MetaAfter, after).With(acp.MetaEpoch, string(epoch))
	}
	return r
}

func resumed(t *testing.T, meta acp.Meta) acp.Resume {
	t.Helper()
	var r acp.Resume
	require.Nil(t, meta.Read(acp.MetaResume, &r))
	return r
}

// TestCaseD1_1 and #12: a socket that was dropped in the middle of an answer gets only what it has not seen, with the bytes it
// would have seen live.
func TestCaseD1_1_12_ResumeSendsOnlyNewerAndTheTurn(t *testing.T) {
	h := newHarness(t, web.Config{})
	whole := h.dial("alice")
	id := whole.NewSession(nil)
	turn, _ := h.fake.begin(id, session.Prompt{Blocks: message.Blocks{message.Text{Text: "hi"}}})
	for i := range 40 {
		turn.text(fmt.Sprintf("word%d ", i))
	}
	whole.AwaitUpdate(acp.UpdateAgentMessage, func(u acptest.Update) bool { return u.Text() == "word39 " })

	part := h.dial("alice")
	var out acp.ResumeSessionResponse
	part.Must(acp.MethodSessionResume, resume(id, 17), &out)
	r := resumed(t, out.Meta)
	require.Equal(t, acp.Resume{ResumedFrom: 17, Head: 42, Epoch: "e1", Recovered: true, Turn: &acp.ResumeTurn{ID: turn.turn, State: "running"}}, r)
	turn.text("last")
	turn.end(session.TurnResult{StopReason: "end_turn"})
	for _, c := range []*acptest.Client{whole, part} {
		c.Await("the end", func(e acp.Envelope) bool { return e.Method == acp.MethodExtTurn && acptest.Seq(e) == 44 })
	}
	all, clash := acptest.Rows(whole.Raw())
	require.Empty(t, clash)
	require.Len(t, all, 44)
	rest, clash := acptest.Rows(part.Raw())
	require.Empty(t, clash)
	require.Len(t, rest, 44-17)
	for seq, frame := range rest {
		require.Greater(t, seq, int64(17))
		require.Equal(t, string(all[seq]), string(frame), "equal bytes, live and replayed")
	}
}

func TestResume_NotRecovered(t *testing.T) {
	h := newHarness(t, web.Config{})
	c := h.dial("alice")
	s := h.fake.add("old", "alice")
	for range 10 {
		h.fake.row("old", "T1", event.StreamText, event.Text{MessageID: "m", Text: "x"})
	}
	h.fake.mu.Lock()
	s.oldest = 6
	h.fake.mu.Unlock()
	for name, tc := range map[string]struct {
		after     int
		epoch     string
		recovered bool
	}{
		"oldest kept":      {5, "e1", true},
		"too old":          {4, "e1", false},
		"other epoch":      {8, "e0", false},
		"beyond the head":  {11, "e1", false},
		"at the head":      {10, "e1", true},
		"no epoch is fine": {10, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(c.Frames())
			meta := acp.Meta{}.With(acp.MetaAfter, tc.after)
			if tc.epoch != "" {
				meta = meta.With(acp.MetaEpoch, tc.epoch)
			}
			var out acp.ResumeSessionResponse
			c.Must(acp.MethodSessionResume, acp.ResumeSessionRequest{SessionID: "old", CWD: "/", Meta: meta}, &out)
			r := resumed(t, out.Meta)
			require.Equal(t, tc.recovered, r.Recovered)
			require.Equal(t, int64(10), r.Head)
			if !tc.recovered {
				require.Len(t, c.Frames(), before+1, "no partial replay")
			}
		})
	}
	require.Equal(t, acp.CodeInvalidParams, c.Refused(acp.MethodSessionResume, resume("old", "x")).Code)
	require.Equal(t, acp.CodeInvalidParams, c.Refused(acp.MethodSessionResume, resume("old", -1)).Code)
}

func TestResume_WithoutAfterIsLive(t *testing.T) {
	h := newHarness(t, web.Config{})
	h.fake.add("s", "alice")
	h.fake.row("s", "", event.StreamText, event.Text{MessageID: "m", Text: "before"})
	c := h.dial("alice")
	c.Must(acp.MethodSessionResume, resume("s", nil), nil)
	h.fake.row("s", "", event.StreamText, event.Text{MessageID: "m", Text: "after"})
	u := c.AwaitUpdate(acp.UpdateAgentMessage, nil)
	require.Equal(t, "after", u.Text())
}

// TestCaseD1_8 and #17: rows that land while the log is read are neither lost nor doubled.
func TestCaseD1_8_17_RowsDuringResume(t *testing.T) {
	h := newHarness(t, web.Config{})
	h.fake.add("s", "alice")
	writer := make(chan struct{})
	go func() {
		defer close(writer)
		for i := range 400 { // fewer than a queue holds: a slow machine must not look like a slow client
			h.fake.row("s", "T", event.StreamText, event.Text{MessageID: "m", Text: fmt.Sprint(i)})
		}
	}()
	c := h.dial("alice")
	var out acp.ResumeSessionResponse
	c.Must(acp.MethodSessionResume, resume("s", 0), &out)
	<-writer
	last := h.fake.row("s", "T", event.StreamText, event.Text{MessageID: "m", Text: "end"})
	c.AwaitUpdate(acp.UpdateAgentMessage, func(u acptest.Update) bool { return u.Text() == "end" })
	next := int64(1)
	for _, e := range c.Frames() {
		if n := acptest.Seq(e); n > 0 {
			require.Equal(t, next, n, "in order, each once")
			next++
		}
	}
	require.Equal(t, int64(last)+1, next)
}

// TestCaseD1_10: two viewers of one session each see everything.
func TestCaseD1_10_TwoViewers(t *testing.T) {
	h := newHarness(t, web.Config{})
	a, b := h.dial("alice"), h.dial("alice")
	id := a.NewSession(nil)
	b.Must(acp.MethodSessionResume, resume(id, 0), nil)
	_, rpc := a.Prompt(id, "hello", nil)
	require.Nil(t, rpc)
	b.Await("the end", func(e acp.Envelope) bool { return e.Method == acp.MethodExtTurn && acptest.Seq(e) == 5 })
	ra, _ := acptest.Rows(a.Raw())
	rb, _ := acptest.Rows(b.Raw())
	require.Equal(t, ra, rb)
}

func TestLoad_HistoryInPlace(t *testing.T) {
	h := newHarness(t, web.Config{})
	s := h.fake.add("s", "alice")
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	step := func() time.Time { at = at.Add(time.Second); return at }
	h.fake.say("s", message.NewUser(message.Text{Text: "look it up"}, message.Image{MediaType: "image/png", Data: "aGk="}), step())
	passAt := step()
	h.fake.say("s", message.NewAssistant(
		message.Thinking{Thinking: "hm"}, message.Text{Text: "I will."},
		message.ToolUse{ID: "c1", Name: "lookup", Input: json.RawMessage(`{"w":1}`)},
		message.ToolUse{ID: "c2", Name: "lookup", Input: json.RawMessage(`{}`)}), step())
	h.fake.say("s", message.NewUser(message.TextResult("c1", "found", false), message.TextResult("c2", "gone", true)), step())
	h.fake.say("s", message.Filler(message.FillerInterrupted), step())
	s.passes = []compaction.Pass{
		{ID: "P1", SessionID: "s", Outcome: compaction.OutcomeCompleted, Version: 1, CreatedAt: passAt},
		{ID: "P2", SessionID: "s", Outcome: compaction.OutcomeFailed, FailureMode: compaction.FailAdapterError, CreatedAt: step()},
	}
	s.sums["P1"] = compaction.Summary{ID: "P1", Text: "what was said"}
	s.rec.Title, s.rec.ContextTokens = "Look up", 500
	h.fake.row("s", "T1", event.StreamText, event.Text{MessageID: "m", Text: "a row that history does not repeat"})

	c := h.dial("alice")
	var out acp.LoadSessionResponse
	c.Must(acp.MethodSessionLoad, load("s"), &out)
	require.Equal(t, int64(1), resumed(t, out.Meta).Head)
	require.Equal(t, []string{
		"result", "_tidemark/history", "session_info_update",
		"user_message_chunk", "user_message_chunk", "compaction_update",
		"agent_thought_chunk", "agent_message_chunk", "tool_call", "tool_call", "compaction_update",
		"available_commands_update", "usage_update", "_tidemark/history", "result",
	}, kinds(c.Frames()))
	for _, e := range c.Frames() {
		if u, ok := acptest.UpdateOf(e); ok {
			require.True(t, u.Meta.Has(acp.MetaReplayed))
			require.NotContains(t, u.Meta, acp.MetaSeq)
		}
	}
	first := c.AwaitUpdate(acp.UpdateCompaction, nil)
	require.Contains(t, string(first.Body), "what was said")
	failed := c.AwaitUpdate(acp.UpdateCompaction, func(u acptest.Update) bool { return contains(string(u.Body), "P2") })
	require.Contains(t, string(failed.Body), `"summary":[]`)
	require.Contains(t, string(failed.Body), `"error":"adapter_error"`)
	call := c.AwaitUpdate(acp.UpdateToolCall, nil)
	require.Contains(t, string(call.Body), `"status":"completed"`)
	require.Contains(t, string(call.Body), "found")
	c.AwaitUpdate(acp.UpdateToolCall, func(u acptest.Update) bool { return contains(string(u.Body), `"status":"failed"`) })
}

// TestCaseD1_2: one id names a message in every chunk of it.
func TestCaseD1_2_MessageIDs(t *testing.T) {
	h := newHarness(t, web.Config{})
	h.fake.add("s", "alice")
	h.fake.say("s", message.NewUser(message.Text{Text: "a"}, message.Text{Text: "b"}), time.Now())
	c := h.dial("alice")
	for range 2 {
		c.Must(acp.MethodSessionLoad, load("s"), nil)
	}
	var ids []string
	for _, e := range c.Frames() {
		if u, ok := acptest.UpdateOf(e); ok && u.Kind == acp.UpdateUserMessage {
			var body acp.ContentChunk
			require.NoError(t, json.Unmarshal(u.Body, &body))
			ids = append(ids, body.MessageID)
		}
	}
	want := session.MessageID("s", 0)
	require.Equal(t, []string{want, want, want, want}, ids)
}

// TestCaseD1_16: a client that loads in the middle of an answer is shown it so far, then the rest, and may cancel.
func TestCaseD1_16_LoadDuringATurn(t *testing.T) {
	h := newHarness(t, web.Config{})
	s := h.fake.add("s", "alice")
	turn, _ := h.fake.begin("s", session.Prompt{Blocks: message.Blocks{message.Text{Text: "go"}}})
	turn.text("so ")
	turn.text("far ")
	h.fake.mu.Lock()
	s.partial = [3]string{turn.turn + "a", "so far ", "a thought"}
	h.fake.mu.Unlock()
	c := h.dial("alice")
	var out acp.LoadSessionResponse
	c.Must(acp.MethodSessionLoad, load("s"), &out)
	r := resumed(t, out.Meta)
	require.Equal(t, &acp.ResumeTurn{ID: turn.turn, State: "running"}, r.Turn)
	turn.text("and on")
	c.AwaitUpdate(acp.UpdateAgentMessage, func(u acptest.Update) bool { return u.Text() == "and on" })
	var text string
	for _, e := range c.Frames() {
		if u, ok := acptest.UpdateOf(e); ok && u.Kind == acp.UpdateAgentMessage {
			text += u.Text()
		}
	}
	require.Equal(t, "so far and on", text, "neither lost nor doubled")
	turn.end(session.TurnResult{StopReason: "end_turn"})
}

// A long history waits for the client instead of making it a slow one.
func TestLoad_LongHistory(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{QueueMessages: 16}})
	h.fake.add("s", "alice")
	for i := range 1000 {
		h.fake.say("s", message.NewUser(message.Text{Text: fmt.Sprint(i)}), time.Now())
	}
	c := h.dial("alice")
	c.Must(acp.MethodSessionLoad, load("s"), nil)
	n := 0
	for _, e := range c.Frames() {
		if u, ok := acptest.UpdateOf(e); ok && u.Kind == acp.UpdateUserMessage {
			require.Equal(t, fmt.Sprint(n), u.Text())
			n++
		}
	}
	require.Equal(t, 1000, n)
}

func TestHiddenRows_AreKeepalives(t *testing.T) {
	h := newHarness(t, web.Config{})
	caps := acp.ClientCapabilities{Meta: acp.Meta{}.With(acp.MetaExt, acp.Flag{})} // no session.compaction
	c := h.dialWith("alice", caps, nil)
	id := c.NewSession(nil)
	h.fake.row(id, "T1", event.StreamCompaction, event.Compaction{CompactionID: "P", Status: "in_progress", Record: json.RawMessage(`{}`)})
	h.fake.row(id, "T1", event.StreamUsage, event.Gauge{Used: 0, Window: 0})
	h.fake.row(id, "T1", event.StreamText, event.Text{MessageID: "m", Text: "x"})
	c.AwaitUpdate(acp.UpdateAgentMessage, nil)
	require.Equal(t, []string{"result", "result", "available_commands_update", "_tidemark/keepalive", "_tidemark/keepalive", "agent_message_chunk"}, kinds(c.Frames()))
	rows, _ := acptest.Rows(c.Raw())
	require.Len(t, rows, 3, "no hole")
}

func TestSockets_HoldAtMostSoManySessions(t *testing.T) {
	h := newHarness(t, web.Config{Limits: web.Limits{SessionsPerSocket: 2}})
	c := h.dial("alice")
	a := c.NewSession(nil)
	c.NewSession(nil)
	h.fake.add("third", "alice")
	require.Equal(t, acp.CodeTooManySessions, c.Refused(acp.MethodSessionLoad, load("third")).Code)
	c.Must(acp.MethodSessionLoad, load(a), nil) // one it holds already
	c.Must(acp.MethodSessionClose, acp.SessionRequest{SessionID: a}, nil)
	c.Must(acp.MethodSessionLoad, load("third"), nil)
}

// Right after a pass the gauge of a history is the estimate that live clients have, not what was measured before it.
func TestLoad_GaugeAfterAPass(t *testing.T) {
	h := newHarness(t, web.Config{})
	s := h.fake.add("s", "alice")
	s.rec.WindowTokens, s.rec.UnpricedCalls, s.guess = 1000, 1, 70
	c := h.dial("alice")
	c.Must(acp.MethodSessionLoad, load("s"), nil)
	u := c.AwaitUpdate(acp.UpdateUsage, func(acptest.Update) bool { return true })
	require.JSONEq(t, `{"sessionUpdate":"usage_update","used":70,"size":1000,"_meta":{"tidemark/estimated":true,
		"tidemark/posture":{"state":"idle","reason":"no_active_compaction"}}}`, string(u.Body))
}

// A broken summary link is told before the history is shown (spec 6.8).
func TestLoad_BrokenLinkComesFirst(t *testing.T) {
	h := newHarness(t, web.Config{})
	s := h.fake.add("s", "alice")
	s.rec.Posture = compaction.Posture{State: compaction.StateSummaryLinkBroken, Reason: compaction.ReasonSummaryLinkMissing}
	h.fake.say("s", message.NewUser(message.Text{Text: "hi"}), time.Time{})
	c := h.dial("alice")
	c.Must(acp.MethodSessionLoad, load("s"), nil)
	var first acptest.Update
	c.Await("the first update", func(e acp.Envelope) (ok bool) { first, ok = acptest.UpdateOf(e); return ok })
	require.Equal(t, acp.UpdateUsage, first.Kind)
	require.Contains(t, string(first.Body), "summary_link_missing")
}
