package session_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
	"tidemark/internal/tool"
)

// counting is a store that counts how often sessions were loaded.
type counting struct {
	session.Store
	loads *atomic.Int64
}

func (c counting) Load(ctx context.Context, id session.ID) (session.Snapshot, error) {
	c.loads.Add(1)
	return c.Store.Load(ctx, id)
}

// An idle session leaves memory and comes back on demand, with everything it had; one with a client stays.
func TestIdleSessionLeavesMemoryAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var loads atomic.Int64
		w := sessiontest.Open(t, sessiontest.Options{
			Config: session.Config{IdleAfter: time.Minute},
			Store:  func(s session.Store) session.Store { return counting{s, &loads} },
		})
		id := w.NewSession(session.NewSession{})
		require.Nil(t, w.Say(id, "hello").Err)
		require.EqualValues(t, 1, loads.Load())
		before := status(t, w, id).Record
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Equal(t, before, status(t, w, id).Record)
		require.EqualValues(t, 2, loads.Load(), "it had left")

		detach, err := w.Attach(context.Background(), id, sessiontest.Client{})
		require.NoError(t, err)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		status(t, w, id)
		require.EqualValues(t, 2, loads.Load(), "a client keeps it")
		require.Equal(t, 1, w.Attached(id))
		detach()
		detach() // twice is once
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Nil(t, w.Say(id, "still there?").Err)
		require.EqualValues(t, 3, loads.Load())
		w.CheckBooks(id)
		w.End()
	})
}

// A turn that nobody is attached to goes on for the grace, then it is cancelled; with the policy "cancel" it ends at once.
func TestDisconnectPolicies(t *testing.T) {
	for _, tc := range []struct {
		policy session.Disconnect
		lasts  time.Duration
	}{{session.DisconnectContinue, 10 * time.Minute}, {session.DisconnectCancel, 0}} {
		t.Run(string(tc.policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := sessiontest.Open(t, sessiontest.Options{})
				id := w.NewSession(session.NewSession{Disconnect: tc.policy})
				detach, err := w.Attach(context.Background(), id, sessiontest.Client{})
				require.NoError(t, err)
				acc, err := w.Prompt(context.Background(), id, text("wait [[hang]]"))
				require.NoError(t, err)
				time.Sleep(time.Hour)
				synctest.Wait()
				require.NotNil(t, status(t, w, id).Turn, "attached: it goes on")
				began := time.Now()
				detach()
				<-acc.Done()
				require.Equal(t, "cancelled", acc.Result().StopReason)
				require.Equal(t, tc.lasts, time.Since(began))
				w.CheckBooks(id)
				w.End()
			})
		})
	}
}

// A client that comes back within the grace keeps the turn alive, and a grace that ran out for one turn does not touch the
// next.
func TestGraceEndsWithAClientAndWithItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := sessiontest.Open(t, sessiontest.Options{Config: session.Config{Grace: time.Minute}})
		id := w.NewSession(session.NewSession{})
		acc, err := w.Prompt(context.Background(), id, text("wait [[hang]]"))
		require.NoError(t, err)
		time.Sleep(59 * time.Second)
		detach, err := w.Attach(context.Background(), id, sessiontest.Client{})
		require.NoError(t, err)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.NotNil(t, status(t, w, id).Turn)
		require.NoError(t, w.Cancel(context.Background(), id))
		<-acc.Done()
		detach()

		acc, err = w.Prompt(context.Background(), id, text("short [[late 50s]]"))
		require.NoError(t, err)
		<-acc.Done()
		require.Equal(t, "end_turn", acc.Result().StopReason)
		acc, err = w.Prompt(context.Background(), id, text("next [[late 50s]]"))
		require.NoError(t, err)
		<-acc.Done()
		require.Equal(t, "end_turn", acc.Result().StopReason, "the first turn's minute is not the second's")
		w.End()
	})
}

// asked is a client that hands each question to the test.
type asked struct {
	name      string
	questions chan tool.Request
	answers   chan tool.Answer
	withdrawn chan string
}

func newAsked(name string) *asked {
	return &asked{name, make(chan tool.Request, 4), make(chan tool.Answer), make(chan string, 4)}
}

func (a *asked) Serves(r tool.Request) bool { return r.Kind == tool.RequestTool }

func (a *asked) Ask(ctx context.Context, r tool.Request) (tool.Answer, error) {
	a.questions <- r
	select {
	case ans := <-a.answers:
		return ans, nil
	case <-ctx.Done():
		a.withdrawn <- r.Call.CallID
		return tool.Answer{}, ctx.Err()
	}
}

// Two clients are asked the same question, one that attaches late is asked it again; the first answer counts and the
// others are withdrawn.
func TestQuestionsGoToAllClientsAndTheFirstAnswerCounts(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(session.NewSession{}))
	first, second, late := newAsked("first"), newAsked("second"), newAsked("late")
	for _, c := range []*asked{first, second} {
		detach, err := w.Attach(context.Background(), id, c)
		require.NoError(t, err)
		defer detach()
	}
	acc, err := w.Prompt(context.Background(), id, text(`[[tool look {"at":"the pier"}]]`))
	require.NoError(t, err)
	q := <-first.questions
	require.Equal(t, q, <-second.questions)
	require.JSONEq(t, `{"at":"the pier"}`, string(q.Call.Input))
	detach, err := w.Attach(context.Background(), id, late)
	require.NoError(t, err)
	defer detach()
	require.Equal(t, q, <-late.questions, "the open question is asked again")
	late.answers <- tool.Answer{Content: message.Blocks{message.Text{Text: "seen by the late one"}}}
	require.Nil(t, w.Wait(acc).Err)
	require.Equal(t, q.Call.CallID, <-first.withdrawn)
	require.Equal(t, q.Call.CallID, <-second.withdrawn)
	require.Equal(t, "seen by the late one", rowsOf(t, w, id)[2].ToolResults()[0].Content.PlainText())
	w.CheckBooks(id)
}

// Clients outlive the actor that a failing store ended: the next turn's questions reach them.
func TestClientsOutliveAnActorThatTheStoreEnded(t *testing.T) {
	var fail atomic.Bool
	w := sessiontest.Open(t, sessiontest.Options{Store: func(s session.Store) session.Store { return flaky{s, &fail} }})
	id := w.NewSession(withLook(session.NewSession{}))
	looker(t, w, id, "fine")
	fail.Store(true)
	acc, err := w.Prompt(context.Background(), id, text("hello"))
	require.NoError(t, err)
	require.Equal(t, session.CodeInternal, w.Wait(acc).Err.Code)
	fail.Store(false)
	require.Equal(t, 1, w.Attached(id))
	require.Nil(t, w.Say(id, "[[tool look {}]]").Err)
	rows := rowsOf(t, w, id)
	require.Equal(t, "fine", rows[len(rows)-2].ToolResults()[0].Content.PlainText())
	w.CheckBooks(id)
}

// flaky is a store that cannot write an answer while fail is set.
type flaky struct {
	session.Store
	fail *atomic.Bool
}

func (f flaky) FinishStep(ctx context.Context, s session.FinishStep) (session.Commit, error) {
	if f.fail.Load() {
		return session.Commit{}, session.ErrStorage
	}
	return f.Store.FinishStep(ctx, s)
}

func (f flaky) FinishTurn(ctx context.Context, s session.FinishTurn) (session.Commit, error) {
	if f.fail.Load() {
		return session.Commit{}, session.ErrStorage
	}
	return f.Store.FinishTurn(ctx, s)
}

// D5 40: a session that goes takes what runs for it along, and what that used stays in the books.
func TestCaseD5_40_DeletedWithACandidateRunning(t *testing.T) {
	started := make(chan struct{}, 1)
	w := sessiontest.Open(t, sessiontest.Options{Faults: func(c sim.Call) sim.Fault {
		if c.Model != model.SimSummarizer {
			return sim.Fault{}
		}
		select {
		case started <- struct{}{}:
		default:
		}
		return sim.Fault{Pace: time.Hour} // it has begun and would go on for ever
	}})
	id := w.NewSession(small("two_phase", lateKnobs+`"swap":"next_turn"}`))
	p := untilPass(t, w, id)
	require.Equal(t, compaction.CandidateRunning, p.Candidate.State)
	<-started
	calls := w.Sim.Totals(model.SimSummarizer).Calls
	require.NoError(t, w.Delete(context.Background(), id))
	require.Greater(t, w.Sim.Totals(model.SimSummarizer).Calls, calls, "the call has ended by the time the session is gone")
	_, err := w.Status(context.Background(), id)
	require.ErrorIs(t, err, session.ErrNotFound)
}

// A client that gives up closing a session leaves it usable.
func TestCloseGivenUp(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(session.NewSession{}))
	hold, called := make(chan struct{}), make(chan struct{})
	detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(context.Context, tool.Request) (tool.Answer, error) {
		close(called)
		<-hold // a client that does not hear of the end
		return tool.Answer{}, nil
	}})
	require.NoError(t, err)
	defer detach()
	acc, err := w.Prompt(context.Background(), id, text("[[tool look {}]]"))
	require.NoError(t, err)
	<-called
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Manager.Close(ctx, id) }()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	close(hold)
	w.Wait(acc)
	require.Nil(t, w.Say(id, "still here?").Err)
	require.NoError(t, w.Manager.Close(context.Background(), id))
	require.NoError(t, w.Manager.Close(context.Background(), id))
	require.Len(t, eventsOf(t, w, id, event.SessionClosed), 1, "closed once")
}

// A permission given, or refused, for good is not asked for again.
func TestPermissionForGood(t *testing.T) {
	for _, allowed := range []bool{true, false} {
		w := sessiontest.Open(t, sessiontest.Options{})
		id := w.NewSession(session.NewSession{FileTools: session.FileTools{Write: true}})
		var asked atomic.Int64
		detach, err := w.Attach(context.Background(), id, permitting{&asked, allowed})
		require.NoError(t, err)
		for range 3 {
			require.Nil(t, w.Say(id, `[[tool write_file {"path":"/a","content":"b"}]]`).Err)
		}
		require.EqualValues(t, 1, asked.Load())
		for _, m := range rowsOf(t, w, id) {
			for _, r := range m.ToolResults() {
				require.Equal(t, !allowed, r.IsError)
			}
		}
		detach()
	}
}

type permitting struct {
	asked   *atomic.Int64
	allowed bool
}

func (permitting) Serves(tool.Request) bool { return true }

func (p permitting) Ask(_ context.Context, r tool.Request) (tool.Answer, error) {
	if r.Kind == tool.RequestPermission {
		p.asked.Add(1)
		return tool.Answer{Allowed: p.allowed, Always: true}, nil
	}
	return tool.Answer{Content: message.Blocks{message.Text{Text: "written"}}}, nil
}

// A manual pass that runs is ended and told before the session goes.
func TestCloseEndsAManualPass(t *testing.T) {
	w := sessiontest.Open(t, sessiontest.Options{Faults: always(sim.Hang)})
	id := w.NewSession(small("semantic", `"threshold_tokens":50000`, `"hard_cap_tokens":90000`))
	talk(t, w, id, 8, 700)
	running := watch(w, id, kindIs(event.StreamCompaction))
	type end struct {
		p   compaction.Pass
		err error
	}
	ended := make(chan end, 1)
	go func() {
		p, err := w.Compact(context.Background(), id, "")
		ended <- end{p, err}
	}()
	await(t, running, "the pass")
	require.NoError(t, w.Manager.Close(context.Background(), id))
	got := <-ended
	if got.err == nil {
		require.Equal(t, compaction.OutcomeCancelled, got.p.Outcome)
	}
	rec, err := w.Store.Record(context.Background(), id)
	require.NoError(t, err)
	require.Equal(t, session.StateClosed, rec.State)
	require.NoError(t, w.Reopen(context.Background(), id))
	w.CheckBooks(id)
}

// A full disk: the prompt is refused or the turn fails with a clear error, nothing is half written, and the session goes on
// when there is room again.
func TestStoreThatCannotWrite(t *testing.T) {
	var fail atomic.Bool
	w := sessiontest.Open(t, sessiontest.Options{Store: func(s session.Store) session.Store { return refusing{s, &fail} }})
	id := w.NewSession(session.NewSession{})
	fail.Store(true)
	_, err := w.Prompt(context.Background(), id, text("hello"))
	require.True(t, errors.Is(err, session.ErrStorage), "%v", err)
	fail.Store(false)
	require.Empty(t, rowsOf(t, w, id))
	require.Nil(t, w.Say(id, "hello").Err)
	w.CheckBooks(id)
}

type refusing struct {
	session.Store
	fail *atomic.Bool
}

func (r refusing) BeginTurn(ctx context.Context, b session.BeginTurn) (session.Commit, error) {
	if r.fail.Load() {
		return session.Commit{}, session.ErrStorage
	}
	return r.Store.BeginTurn(ctx, b)
}
