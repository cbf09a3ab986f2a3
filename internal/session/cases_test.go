package session_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
	"tidemark/internal/tool"
)

// B24: usage of the call before a pass does not fire the next one: what counts is what pends, and the gauge is an estimate
// until a call has measured the new view.
func TestCaseB24_StaleUsageDoesNotFireAgain(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("mechanical"))
	untilPass(t, w, id)
	require.Nil(t, w.Say(id, "ok").Err)
	require.Len(t, passesOf(t, w, id), 1, "the next turn starts no second pass")
	_, err := w.Undo(context.Background(), id)
	require.NoError(t, err)
	_, err = w.Compact(context.Background(), id, "")
	require.NoError(t, err)
	st := status(t, w, id)
	require.True(t, st.Posture.Estimated)
	require.Less(t, st.Posture.UsedTokens, st.Record.ContextTokens, "the figure of the old view is not shown as the new one's")
	w.CheckBooks(id)
}

// B25, B73: a service that reports no usage measures nothing: the trigger still fires on our own counts, and the record
// waits for the first call that was measured.
func TestCaseB25_B73_UsageAbsent(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("mechanical"))
	for range 40 {
		if len(passesOf(t, w, id)) > 0 {
			break
		}
		require.Nil(t, w.Say(id, "more [[say 900]] [[no_usage]]").Err)
	}
	p := passesOf(t, w, id)[0]
	require.Nil(t, p.TokensAfterMeasured, "an estimate is no measurement")
	st := status(t, w, id)
	require.True(t, st.Posture.Estimated)
	require.Positive(t, st.Posture.UsedTokens)
	for _, r := range ledgerOf(t, w, id) {
		require.True(t, r.Estimated)
		require.Positive(t, r.CostUSD.Sign(), "unknown is not nothing")
	}
	require.Nil(t, w.Say(id, "and now with figures").Err)
	p = passesOf(t, w, id)[0]
	require.NotNil(t, p.TokensAfterMeasured)
	require.False(t, status(t, w, id).Posture.Estimated)
	w.CheckBooks(id)
}

// B30: a summarizer that always fails is asked a bounded number of times: three attempts a pass, and after three passes it
// waits. Nothing is shrunk to try again.
func TestCaseB30_AttemptsAreBounded(t *testing.T) {
	asked := summarizerCalls()
	w := sessiontest.Open(t, sessiontest.Options{Faults: asked.hook(always(sim.Overload))})
	id := w.NewSession(small("semantic", `"hard_cap_tokens":90000`))
	untilPass(t, w, id)
	require.Len(t, asked.all(), 3)
	for _, r := range asked.all()[1:] {
		require.Equal(t, mustMarshal(t, asked.all()[0].Messages), mustMarshal(t, r.Messages), "the same bytes each time")
	}
	talk(t, w, id, 7, 100)
	require.Len(t, passesOf(t, w, id), 3, "then five turns of peace")
	require.Len(t, asked.all(), 9)
	w.CheckBooks(id)
}

// B63: a request that is too large is an overflow whatever its images weigh: the pass frees room, and the span that the
// summarizer is sent names the images instead of holding them.
func TestCaseB63_OverflowWithImages(t *testing.T) {
	asked, seen := assistantCalls(), summarizerCalls()
	w := sessiontest.Open(t, sessiontest.Options{Faults: seen.hook(asked.hook(overflowOnce("now overflow")))})
	id := w.NewSession(small("semantic", `"threshold_tokens":50000`, `"hard_cap_tokens":90000`))
	pixels := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("pixel"), 900))
	res := w.Do(id, session.Prompt{Blocks: message.Blocks{
		message.Text{Text: "see the pier"}, message.Image{MediaType: "image/png", Data: pixels},
	}})
	require.Nil(t, res.Err)
	talk(t, w, id, 7, 900)
	require.Nil(t, w.Say(id, "now overflow").Err)
	require.Equal(t, compaction.TriggerOverflow, oldest(passesOf(t, w, id)).Trigger)
	require.NotContains(t, string(mustMarshal(t, asked.last().Messages)), pixels[:40], "the call that went well has no image left")
	body := string(mustMarshal(t, seen.last().Messages))
	require.NotContains(t, body, pixels[:40])
	require.Contains(t, body, "image/png", "a placeholder names it")
	w.CheckBooks(id)
}

// B64: a tool result that the provider will not take is left out once, and the call goes through; without that every later
// call of the session would fail alike.
func TestCaseB64_BlamedResultIsLeftOut(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{Registry: func(r provider.Registry) provider.Registry { return noImages{r} }})
	id := w.NewSession(withLook(session.NewSession{}))
	detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(context.Context, tool.Request) (tool.Answer, error) {
		return tool.Answer{Content: message.Blocks{message.Image{MediaType: "image/png", Data: "aGFyYm9y"}}}, nil
	}})
	require.NoError(t, err)
	defer detach()
	require.Nil(t, w.Say(id, "[[tool look {}]]").Err)
	require.Nil(t, w.Say(id, "go on").Err)
	ps := passesOf(t, w, id)
	require.Len(t, ps, 1)
	require.Equal(t, compaction.KindElision, ps[0].Kind)
	require.Equal(t, []message.Seq{2}, ps[0].ElidedSeqs)
	w.CheckBooks(id)
}

// B72: what a request may say is held to what the model can, whatever the knobs ask for.
func TestCaseB72_OutputIsClamped(t *testing.T) {
	asked, seen := assistantCalls(), summarizerCalls()
	w := sessiontest.Open(t, sessiontest.Options{
		Faults: seen.hook(asked.hook(nil)), Config: session.Config{MaxOutputTokens: 10_000_000},
	})
	id := w.NewSession(small("semantic"))
	untilPass(t, w, id)
	cards := model.Default()
	for _, c := range []*calls{asked, seen} {
		card, ok := cards.Lookup(c.model)
		require.True(t, ok)
		for _, r := range c.all() {
			require.LessOrEqual(t, r.MaxTokens, card.MaxOutput)
			require.Positive(t, r.MaxTokens)
		}
	}
}

// B75: a failed attempt leaves the gauge as it was, and the trigger armed.
func TestCaseB75_FailureLeavesTheGauge(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{Faults: always(sim.Refusal)})
	id := w.NewSession(small("semantic", `"hard_cap_tokens":90000`))
	untilPass(t, w, id)
	first := status(t, w, id).Posture
	require.Positive(t, first.PendingTokens)
	require.Greater(t, first.UsedTokens, 3000)
	talk(t, w, id, 1, 100)
	next := status(t, w, id).Posture
	require.Greater(t, next.UsedTokens, first.UsedTokens)
	require.Len(t, passesOf(t, w, id), 2, "it is tried again")
}

// B82: two compactions never run at once: whoever comes second is told so, and nothing is bought twice.
func TestCaseB82_SingleFlight(t *testing.T) {
	release := make(chan struct{})
	w := sessiontest.Open(t, sessiontest.Options{Registry: holdSummarizer(release)})
	id := w.NewSession(small("semantic", `"threshold_tokens":50000`, `"hard_cap_tokens":90000`))
	talk(t, w, id, 8, 700)
	running := watch(w, id, kindIs(event.StreamCompaction))
	errs := make(chan error, 4)
	for range 4 {
		go func() {
			_, err := w.Compact(context.Background(), id, "")
			errs <- err
		}()
	}
	await(t, running, "a compaction")
	_, err := w.Prompt(context.Background(), id, text("hello"))
	require.ErrorIs(t, err, session.ErrBusy)
	busy := 0
	for range 3 {
		require.ErrorIs(t, <-errs, session.ErrBusy)
		busy++
	}
	close(release)
	require.NoError(t, <-errs)
	require.Len(t, passesOf(t, w, id), 1)
	require.Len(t, compactionCalls(t, w, id), 1)
	require.Equal(t, 3, busy)

	acc, err := w.Prompt(context.Background(), id, text("wait [[hang]]"))
	require.NoError(t, err)
	_, err = w.Compact(context.Background(), id, "")
	require.ErrorIs(t, err, session.ErrBusy, "nor while a turn runs")
	_, err = w.Undo(context.Background(), id)
	require.ErrorIs(t, err, session.ErrBusy)
	require.NoError(t, w.Cancel(context.Background(), id))
	w.Wait(acc)
	w.CheckBooks(id)
}

// B85: a prompt is accepted durably or refused; what was accepted stands in the transcript once, whatever is compacted.
func TestCaseB85_AcceptedOrRefused(t *testing.T) {
	release := make(chan struct{})
	w := sessiontest.Open(t, sessiontest.Options{Registry: holdSummarizer(release)})
	id := w.NewSession(small("semantic"))
	accepted := 0
	for i := range 30 {
		p := text(fmt.Sprintf("accepted-%03d [[say 900]]", i))
		p.Key = fmt.Sprintf("key-%d", i)
		running := watch(w, id, kindIs(event.StreamCompaction))
		acc, err := w.Prompt(context.Background(), id, p)
		require.NoError(t, err)
		accepted++
		select {
		case <-acc.Done():
			continue
		case <-running: // the pass of this turn waits for its model
		}
		_, err = w.Prompt(context.Background(), id, text("refused"))
		require.ErrorIs(t, err, session.ErrBusy)
		again, err := w.Prompt(context.Background(), id, p)
		require.NoError(t, err)
		require.True(t, again.Attached)
		close(release)
		w.Wait(acc)
		break
	}
	require.NotEmpty(t, passesOf(t, w, id))
	body := string(mustMarshal(t, rowsOf(t, w, id)))
	for i := range accepted {
		require.Equal(t, 1, strings.Count(body, fmt.Sprintf("accepted-%03d ", i)))
	}
	require.NotContains(t, body, "refused")
	w.CheckBooks(id)
}

// B88: after a stop nothing new begins: no text is bought for a pass inside the turn, nothing is prepared ahead.
func TestCaseB88_StopStartsNothing(t *testing.T) {
	asked := summarizerCalls()
	w := sessiontest.Open(t, sessiontest.Options{Faults: asked.hook(nil)})
	id := w.NewSession(withLook(small("two_phase")))
	looker(t, w, id, longText)
	acc, err := w.Prompt(context.Background(), id, text(`read on [[tools look {} look {}]] [[steps 3]] [[fail hang step=4]]`))
	require.NoError(t, err)
	eventually(t, w, id, "a pass inside the turn", func() bool { return status(t, w, id).Record.Passes > 0 })
	before := len(passesOf(t, w, id))
	require.NoError(t, w.Cancel(context.Background(), id))
	require.Equal(t, "cancelled", w.Wait(acc).StopReason)
	settled(t, w, id)
	require.Empty(t, asked.all())
	require.GreaterOrEqual(t, len(passesOf(t, w, id)), before, "an applied pass stays applied")
	require.NotZero(t, status(t, w, id).Record.Passes)
	w.CheckBooks(id)
}

// B90: a pass and then a broken stream leave every row where it was: there is no way to write a list over a transcript.
func TestCaseB90_NothingIsReplaced(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("mechanical"))
	untilPass(t, w, id)
	before := rowsOf(t, w, id)
	require.NotNil(t, w.Say(id, "tell me more [[say 400]] [[fail cut]]").Err)
	after := rowsOf(t, w, id)
	require.Greater(t, len(after), len(before))
	require.Equal(t, mustMarshal(t, before), mustMarshal(t, after[:len(before)]))
	_, err := w.Undo(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, mustMarshal(t, after), mustMarshal(t, rowsOf(t, w, id)))
	w.CheckBooks(id)
}

// B108: after a restart and a change to a model with a small window the session is what its boundary says, and can send.
func TestCaseB108_ResumeOnASmallerModel(t *testing.T) {
	dir := t.TempDir()
	w := sessiontest.Open(t, sessiontest.Options{Dir: dir})
	id := w.NewSession(small("mechanical", `"threshold_tokens":20000`, `"hard_cap_tokens":40000`, `"reserve_tokens":500`))
	talk(t, w, id, 20, 900)
	require.NotZero(t, len(rowsOf(t, w, id)))
	w.End()
	asked := &calls{model: "sim:free"}
	w = sessiontest.Open(t, sessiontest.Options{Dir: dir, Registry: windows("sim:free", 9000), Faults: asked.hook(nil)})
	_, err := w.SetOptions(context.Background(), id, session.Options{Model: "sim:free"})
	require.NoError(t, err)
	require.Nil(t, w.Say(id, "and here?").Err)
	require.NotZero(t, status(t, w, id).Record.Passes, "the window made the cap")
	tokens := 0
	for _, m := range asked.last().Messages {
		tokens += message.FallbackTokens(m.Units)
	}
	require.Less(t, tokens, 9000)
	w.CheckBooks(id)
}

// B114: a pass inside a turn, and a text that is bought for it, end nobody else's work: tools and turn have contexts of
// their own.
func TestCaseB114_APassEndsNobody(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(small("two_phase")))
	var mu sync.Mutex
	var ended []error
	detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(ctx context.Context, _ tool.Request) (tool.Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		ended = append(ended, ctx.Err())
		return tool.Answer{Content: message.Blocks{message.Text{Text: longText}}}, nil
	}})
	require.NoError(t, err)
	defer detach()
	work(t, w, id, 5)
	work(t, w, id, 5)
	require.Greater(t, status(t, w, id).Record.Passes, 2)
	require.Greater(t, len(ended), 8)
	for _, e := range ended {
		require.NoError(t, e)
	}
	settled(t, w, id)
	w.CheckBooks(id)
}

// B126: what a provider returned for itself alone does not bind the session to it: the summary is text, and another model
// takes over.
func TestCaseB126_OpaqueBlocksAndAnotherProvider(t *testing.T) {
	asked := &calls{model: "sim:free"}
	w := sessiontest.Open(t, sessiontest.Options{Faults: asked.hook(nil)})
	n := small("mechanical")
	n.Model = "sim:replay"
	id := w.NewSession(n)
	opaque := message.Opaque{Provider: "anthropic", Kind: "compaction", Raw: []byte(`{"type":"compaction","content":"secret form"}`)}
	for i := range 9 {
		res := w.Do(id, session.Prompt{
			Blocks: message.Blocks{message.Text{Text: fmt.Sprintf("part %d", i)}},
			Script: []message.Blocks{{opaque, message.Text{Text: strings.Repeat("The pier was measured again. ", 90)}}},
		})
		require.Nil(t, res.Err)
	}
	require.NotZero(t, status(t, w, id).Record.Passes)
	require.Contains(t, string(mustMarshal(t, rowsOf(t, w, id))), "secret form", "the transcript keeps it")
	_, err := w.SetOptions(context.Background(), id, session.Options{Model: "sim:free"})
	require.NoError(t, err)
	require.Nil(t, w.Say(id, "and here?").Err)
	require.True(t, strings.HasPrefix(asked.last().Messages[0].PlainText(), "<COMPACTION_SUMMARY model=mechanical"))
	w.CheckBooks(id)
}

// B141, D5 50: whatever a call ends in, what it used is in the ledger, in the record, and told by an event.
func TestCaseB141_D5_50_EveryCallIsCounted(t *testing.T) {
	for _, kind := range []sim.Kind{sim.Refusal, sim.MaxTokens, sim.Cut, sim.TooLong, sim.MissingFacts, ""} {
		t.Run("summarizer "+string(kind), func(t *testing.T) {
			t.Parallel()
			w := sessiontest.Open(t, sessiontest.Options{Faults: always(kind)})
			id := w.NewSession(small("two_phase"))
			untilPass(t, w, id)
			talk(t, w, id, 2, 100)
			settled(t, w, id)
			rows := compactionCalls(t, w, id)
			require.NotEmpty(t, rows)
			var used message.Usage
			told := make(map[string]string)
			for _, e := range eventsOf(t, w, id, event.CallCompleted, event.CallFailed) {
				p := decode[event.CallPayload](t, e)
				require.NotContains(t, told, p.CallID)
				told[p.CallID] = string(e.Type)
			}
			for _, r := range rows {
				used = used.Add(r.Usage)
				want := "llm.call_completed"
				if r.Outcome != "ok" {
					want = "llm.call_failed"
				}
				require.Equal(t, want, told[r.ID])
			}
			require.Equal(t, w.Sim.Totals(model.SimSummarizer).Usage, used, "token by token what the service counted")
			for _, p := range passesOf(t, w, id) {
				billed(t, w, id, p)
			}
			w.CheckBooks(id)
		})
	}
}

// B142: a summary that was stopped in the middle used tokens: its line says how many, and flags what it had to estimate.
func TestCaseB142_CancelledSummaryIsBilled(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{Faults: sim.Always(model.SimSummarizer, sim.Fault{Pace: 20 * time.Millisecond})})
	id := w.NewSession(small("semantic"))
	written := watch(w, id, kindIs(event.StreamSummaryChunk))
	for {
		acc, err := w.Prompt(context.Background(), id, text("more [[say 900]]"))
		require.NoError(t, err)
		select {
		case <-acc.Done():
			continue
		case <-written:
		}
		require.NoError(t, w.Cancel(context.Background(), id))
		require.Equal(t, "cancelled", w.Wait(acc).StopReason)
		break
	}
	rows := compactionCalls(t, w, id)
	require.Len(t, rows, 1)
	require.Equal(t, "cancelled", rows[0].Outcome)
	require.Positive(t, rows[0].Usage.Input)
	require.Positive(t, rows[0].Usage.Output)
	require.Equal(t, model.SimSummarizer, rows[0].Model)
	p := passesOf(t, w, id)[0]
	require.Equal(t, compaction.OutcomeCancelled, p.Outcome)
	require.Equal(t, rows[0].CostUSD.String(), p.CostUSD.String())
	w.CheckBooks(id)
}

// B145: the session's cost grows by its calls alone; a boundary, an undo or a restart neither recounts nor repeats any.
func TestCaseB145_CostMovesByCallsAlone(t *testing.T) {
	dir := t.TempDir()
	w := sessiontest.Open(t, sessiontest.Options{Dir: dir})
	id := w.NewSession(small("two_phase"))
	total := func() string {
		sum := status(t, w, id).Record.CostUSD
		own := ledgerOf(t, w, id)
		seen := make(map[string]bool)
		for _, r := range own {
			require.False(t, seen[r.RequestID], "request %s is billed twice", r.RequestID)
			require.NotEmpty(t, r.RequestID)
			seen[r.RequestID] = true
			sum = sum.Sub(*r.CostUSD)
		}
		require.True(t, sum.IsZero(), "the session's cost is the sum of its calls")
		return status(t, w, id).Record.CostUSD.String()
	}
	for status(t, w, id).Record.Passes < 2 {
		talk(t, w, id, 1, 700)
		settled(t, w, id)
		total()
	}
	before := total()
	_, err := w.Undo(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, before, total())
	w.End()
	w = sessiontest.Open(t, sessiontest.Options{Dir: dir})
	require.Equal(t, before, total())
	w.CheckBooks(id)
}

// B147: a summarization never pays for a cache write that nobody can read, and leaves the session's own cache alone.
func TestCaseB147_NoCacheWriteForASummary(t *testing.T) {
	asked := summarizerCalls()
	w := sessiontest.Open(t, sessiontest.Options{Faults: asked.hook(nil)})
	id := w.NewSession(small("semantic", `"hard_cap_tokens":90000`))
	untilPass(t, w, id)
	for _, r := range asked.all() {
		require.True(t, r.NoCache)
	}
	for _, r := range compactionCalls(t, w, id) {
		require.Zero(t, r.Usage.CacheWrite5m+r.Usage.CacheWrite1h+r.Usage.CacheRead)
	}
	require.Nil(t, w.Say(id, "one").Err)
	require.Nil(t, w.Say(id, "two").Err)
	rows := ledgerOf(t, w, id)
	require.Positive(t, rows[len(rows)-1].Usage.CacheRead, "the turn's own prefix is read")
}

// B148: what happens between two turns has its numbers in the session's one sequence: whoever comes late reads it behind
// the place he knows.
func TestCaseB148_RowsBetweenTurns(t *testing.T) {
	w, id := readyText(t, `"swap":"next_turn"`, sessiontest.Options{})
	st, err := w.Store.StreamState(context.Background(), id)
	require.NoError(t, err)
	rows, err := w.Store.Stream(context.Background(), id, 0, 5000)
	require.NoError(t, err)
	var ended, after event.StreamSeq
	for i, r := range rows {
		require.Equal(t, rows[0].Seq+event.StreamSeq(i), r.Seq, "no hole")
		switch {
		case r.Kind == event.StreamTurn:
			ended, after = r.Seq, 0
		case r.Kind == event.StreamCompaction && r.Seq > ended:
			after = r.Seq
		}
	}
	require.Positive(t, after, "the text that came between two turns has a row behind the turn's end")
	require.Equal(t, st.Head, rows[len(rows)-1].Seq)
	missed, err := w.Store.Stream(context.Background(), id, ended, 5000)
	require.NoError(t, err)
	require.Equal(t, rows[len(rows)-len(missed):], missed)
}

// B150: ids come from the server and never again, restart or not: a new compaction does not take an older one's place.
func TestCaseB150_IdsAreNotUsedAgain(t *testing.T) {
	dir := t.TempDir()
	seen := make(map[string]bool)
	var id session.ID
	last := ""
	for round := range 3 {
		w := sessiontest.Open(t, sessiontest.Options{Dir: dir})
		if round == 0 {
			id = w.NewSession(small("mechanical"))
		}
		for have := len(passesOf(t, w, id)); len(passesOf(t, w, id)) == have; {
			talk(t, w, id, 1, 900)
		}
		for _, p := range passesOf(t, w, id) {
			if !seen[p.ID] {
				require.Greater(t, p.ID, last, "ids only grow")
				seen[p.ID], last = true, p.ID
			}
		}
		require.Len(t, seen, len(passesOf(t, w, id)))
		w.End()
	}
}

// D2 20: a call whose answer has begun is never made again: what was shown cannot be taken back, and would be paid twice.
func TestCaseD2_20_NoSecondCallAfterTheFirstBytes(t *testing.T) {
	for cue, want := range map[string]int{
		"[[say 400]] [[fail cut]]": 1, // the connection went away in the middle of the text
		"[[fail network once]]":    2, // nothing had come
	} {
		t.Run(cue, func(t *testing.T) {
			w := sessiontest.Open(t, sessiontest.Options{})
			id := w.NewSession(session.NewSession{})
			res := w.Say(id, "tell me "+cue)
			require.Equal(t, want == 1, res.Err != nil)
			require.Equal(t, want, w.Sim.Totals("sim:assistant").Calls)
			require.Len(t, ledgerOf(t, w, id), 1, "one line for what used tokens")
			w.CheckBooks(id)
		})
	}
}

// D5 41: a step's line is in the ledger when the step is over, not when the session is.
func TestCaseD5_41_ALineForEachStep(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(session.NewSession{}))
	hold := make(chan struct{})
	asked := make(chan struct{}, 1)
	detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(context.Context, tool.Request) (tool.Answer, error) {
		asked <- struct{}{}
		<-hold
		return tool.Answer{Content: message.Blocks{message.Text{Text: "seen"}}}, nil
	}})
	require.NoError(t, err)
	defer detach()
	acc, err := w.Prompt(context.Background(), id, text("[[tool look {}]]"))
	require.NoError(t, err)
	<-asked
	rows := ledgerOf(t, w, id)
	require.Len(t, rows, 1)
	require.Equal(t, acc.TurnID, rows[0].TurnID)
	rec, err := w.Store.Record(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, rows[0].CostUSD.String(), rec.CostUSD.String())
	close(hold)
	require.Nil(t, w.Wait(acc).Err)
}

// D5 44: a stop reaches whatever runs: before the first token, in the middle of the text, in a tool, in a compaction.
func TestCaseD5_44_StopAtAnyPhase(t *testing.T) {
	for name, ask := range map[string]string{
		"before the first token": "wait [[hang]]",
		"in the text":            "tell [[say 4000]] [[slow 20ms]]",
		"in a tool":              "[[tool look {}]]",
		"while it retries":       "[[fail rate_limit]] [[late 1h]]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := sessiontest.Open(t, sessiontest.Options{})
			id := w.NewSession(withLook(session.NewSession{}))
			gone, called := make(chan error, 1), make(chan struct{})
			detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(ctx context.Context, _ tool.Request) (tool.Answer, error) {
				close(called)
				<-ctx.Done()
				gone <- ctx.Err()
				return tool.Answer{}, ctx.Err()
			}})
			require.NoError(t, err)
			defer detach()
			var began <-chan struct{}
			switch name {
			case "in the text":
				began = watch(w, id, kindIs(event.StreamText))
			case "in a tool":
				began = called
			}
			acc, err := w.Prompt(context.Background(), id, text(ask))
			require.NoError(t, err)
			if began != nil {
				await(t, began, name)
			}
			require.NoError(t, w.Cancel(context.Background(), id))
			require.Equal(t, "cancelled", w.Wait(acc).StopReason)
			if name == "in a tool" {
				require.ErrorIs(t, <-gone, context.Canceled)
			}
			calls := w.Sim.Totals("sim:assistant").Calls
			require.Nil(t, w.Say(id, "again").Err)
			require.Equal(t, calls+1, w.Sim.Totals("sim:assistant").Calls, "nothing went on behind the stop")
			w.CheckBooks(id)
		})
	}
}

// D5 45: a compaction never runs without a prompt, once at most a check, and frees its share or is not applied.
func TestCaseD5_45_NoLoop(t *testing.T) {
	c := newClock()
	w := sessiontest.Open(t, sessiontest.Options{Now: c.Now})
	id := w.NewSession(withLook(small("mechanical")))
	looker(t, w, id, longText)
	for range 6 {
		work(t, w, id, 3)
		have := len(passesOf(t, w, id))
		c.advance(24 * time.Hour)
		status(t, w, id)
		require.Len(t, passesOf(t, w, id), have, "an idle session compacts nothing")
	}
	byTurn := make(map[string]int)
	for _, p := range passesOf(t, w, id) {
		if p.Outcome == compaction.OutcomeCompleted && p.Kind == compaction.KindMechanical {
			require.GreaterOrEqual(t, 5*(p.SpanTokenCountIn-p.SpanTokenCountOut), p.SpanTokenCountIn)
		}
		if p.Trigger != compaction.TriggerFold {
			byTurn[p.TurnID]++
		}
	}
	for turn, n := range byTurn {
		require.LessOrEqual(t, n, 4, "turn %s has four checks", turn) // one at its start, one before each further step
	}
	w.CheckBooks(id)
}

// D5 46, 48: the gauge is the last single request of the session's own model, never a sum of calls and never the
// summarizer's.
func TestCaseD5_46_D5_48_GaugeIsTheLastRequest(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(small("semantic", `"hard_cap_tokens":90000`)))
	looker(t, w, id, longText[:2000])
	for len(compactionCalls(t, w, id)) == 0 {
		talk(t, w, id, 1, 900)
		gaugeIsLast(t, w, id)
	}
	require.Nil(t, w.Say(id, `[[tool look {}]] [[steps 4]]`).Err)
	gaugeIsLast(t, w, id)
	require.Less(t, status(t, w, id).Posture.UsedTokens, 12_000)
}

func gaugeIsLast(t *testing.T, w *sessiontest.World, id session.ID) {
	t.Helper()
	rows := ledgerOf(t, w, id)
	for i := len(rows) - 1; ; i-- {
		if rows[i].Purpose == session.PurposeTurn {
			require.Equal(t, rows[i].Usage.Prompt(), status(t, w, id).Posture.UsedTokens)
			return
		}
	}
}

// D6 60: a text that is being bought counts as spent until its line is there: two purchases never share one remainder.
func TestCaseD6_60_TheRemainderIsReserved(t *testing.T) {
	release := make(chan struct{})
	asked := summarizerCalls()
	w := sessiontest.Open(t, sessiontest.Options{Registry: holdSummarizer(release), Faults: asked.hook(nil)})
	// a call is quoted at about a cent: the cap pays for one of them and not for two
	id := w.NewSession(small("two_phase", lateKnobs+`"swap":"free"}`, `"max_cost_per_session_usd":"0.015"`))
	p := untilPass(t, w, id) // the text for it is being prepared when the check comes
	require.Equal(t, string(compaction.ReasonBudgetExhausted), p.Candidate.Reason)
	require.True(t, status(t, w, id).Record.CompactionCostUSD.IsZero(), "nothing is spent yet, all of it is promised")
	close(release)
	eventually(t, w, id, "the end of what was prepared", func() bool { return len(compactionCalls(t, w, id)) == 1 })
	require.LessOrEqual(t, status(t, w, id).Record.CompactionCostUSD.Cmp(status(t, w, id).Record.Compaction.MaxCostPerSessionUSD), 0)
	w.CheckBooks(id)
}

// An overflow is recovered in each step anew, and a request that shrank enough is not cut further.
func TestOverflowIsRecoveredInEachStep(t *testing.T) {
	var mu sync.Mutex
	refused := make(map[int]bool)
	w := sessiontest.Open(t, sessiontest.Options{Faults: func(c sim.Call) sim.Fault {
		mu.Lock()
		defer mu.Unlock()
		results := len(c.Request.Messages[len(c.Request.Messages)-1].ToolResults())
		if c.Model != model.SimSummarizer && results > 0 && len(refused) < 2 && !refused[len(refused)] {
			if len(refused) == 0 || c.Number > 4 {
				refused[len(refused)] = true
				return sim.Fault{Kind: sim.Overflow}
			}
		}
		return sim.Fault{}
	}})
	id := w.NewSession(withLook(session.NewSession{Overrides: []byte(`{"mode":"mechanical"}`)}))
	looker(t, w, id, longText)
	require.Nil(t, w.Say(id, "begin [[say 900]]").Err)
	require.Nil(t, w.Say(id, `[[tool look {"n":"$n"}]] [[steps 8]]`).Err)
	require.Len(t, refused, 2)
	overflows := 0
	for _, p := range passesOf(t, w, id) {
		if p.Trigger == compaction.TriggerOverflow {
			overflows++
		}
	}
	require.GreaterOrEqual(t, overflows, 2)
	w.CheckBooks(id)
}
