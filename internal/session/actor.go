package session

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/tool"
)

// DefaultMailbox is how many commands may wait for an actor.
const DefaultMailbox = 64

// closingLimit bounds the writes that close a turn whose own context has ended.
const closingLimit = 10 * time.Second

// turnContext is the lifetime of a turn or of a pass outside one: a child of the actor's, ended by a cancel.
type turnContext struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// actor owns one session. Only run and what it calls touch state; actions in flight reach it through do.
type actor struct {
	id      ID
	deps    Deps
	log     *slog.Logger
	clients *tool.Clients

	ctx     context.Context // the actor's life
	cancel  context.CancelFunc
	mailbox chan func()   // commands
	work    chan func()   // what an action in flight wants done here, and its end
	done    chan struct{} // closed when run has returned
	wg      sync.WaitGroup

	state    *state
	specs    []message.ToolSpec // of the session; never changes
	permits  map[string]bool    // tools that the user allowed or denied for good, while the session is in memory
	busy     bool               // an action is in flight
	ending   bool               // the session is being closed: no new turn
	lastWork time.Time          // last command or end of work
	broken   error              // the store failed where nothing sensible can follow; the actor stops
	grace    *time.Timer
}

func newActor(parent context.Context, id ID, st *state, clients *tool.Clients, d Deps) *actor {
	ctx, cancel := context.WithCancel(parent)
	a := &actor{
		id: id, deps: d, log: d.Log.With("session_id", id), clients: clients, ctx: ctx, cancel: cancel,
		mailbox: make(chan func(), DefaultMailbox), work: make(chan func()), done: make(chan struct{}), state: st,
		lastWork: d.Now(), specs: st.rec.Tools, permits: make(map[string]bool),
	}
	return a
}

// run is the actor's goroutine.
func (a *actor) run() {
	defer close(a.done)
	defer a.stopWork()
	for a.broken == nil {
		a.start()
		if a.broken != nil || a.ctx.Err() != nil {
			return // before another command is taken: a prompt accepted now would only be interrupted
		}
		select {
		case f := <-a.work:
			f()
			a.lastWork = a.deps.Now()
		case f := <-a.mailbox:
			f()
		case <-a.ctx.Done():
			return
		}
	}
}

// start begins what comes next, when nothing is in flight.
func (a *actor) start() {
	for !a.busy && a.broken == nil {
		switch next(a.state) {
		case actWait:
			return
		case actCheck:
			a.advanceCheck()
		case actAsk:
			a.startAsk()
		case actTools:
			a.startTools()
		case actFinish:
			a.finishTurn()
		}
	}
}

// launch runs an action in a goroutine the actor waits for. Its end comes back as a function to run here.
func (a *actor) launch(action func() (end func())) {
	a.busy = true
	a.wg.Add(1)
	go func() {
		defer a.wg.Done()
		end := action()
		a.do(func() {
			a.busy = false
			end()
		})
	}()
}

// do runs f on the actor's goroutine and returns when it has; it gives up when the actor has ended. Actions in flight
// call it; the actor itself never does.
func (a *actor) do(f func()) bool {
	ran := make(chan struct{})
	select {
	case a.work <- func() { defer close(ran); f() }:
		<-ran
		return true
	case <-a.done:
		return false
	}
}

// send puts a command into the mailbox and waits for it to run. A full mailbox is ErrTooMany's cousin: the caller waits
// until its context ends.
func (a *actor) send(ctx context.Context, f func()) error {
	ran := make(chan struct{})
	select {
	case a.mailbox <- func() { defer close(ran); f() }:
	case <-a.done:
		return errActorGone
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-ran:
		return nil
	case <-a.done:
		return errActorGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errActorGone means that the actor left memory between lookup and use; the manager loads it again.
var errActorGone = errors.New("the session left memory")

// stopWork ends what is in flight when the actor leaves. While the action winds down its requests are refused.
func (a *actor) stopWork() {
	a.cancel()
	if t := a.state.turn; t != nil {
		t.ctx.cancel()
	}
	if m := a.state.manual; m != nil {
		m.ctx.cancel()
	}
	idle := make(chan struct{})
	go func() { a.wg.Wait(); close(idle) }()
	for {
		select {
		case f := <-a.work:
			f()
		case <-idle:
			a.closeOut()
			return
		}
	}
}

// closeOut ends a turn that the actor's end interrupts, with a context of its own, and answers whoever waits.
func (a *actor) closeOut() {
	if a.state.turn != nil && a.broken == nil {
		if !a.state.turn.cancelled {
			a.state.turn.failure = &TurnError{Code: CodeInterrupted, Message: "the server stopped before the turn ended"}
		}
		a.finishTurn()
	}
	if t := a.state.turn; t != nil { // the store failed: nothing was written, the next load closes the turn
		*t.result = TurnResult{TurnID: t.turn.ID, Err: &TurnError{Code: CodeInternal, Message: "the session's state could not be stored"}}
		a.state.turn = nil
		close(t.done)
	}
	if m := a.state.manual; m != nil {
		m.reply <- manualReply{err: ErrShuttingDown}
		close(m.done)
		a.state.manual = nil
	}
}

// writeContext is the lifetime of the actor's own commits: they must not die with a turn or a client.
func (a *actor) writeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(a.ctx), closingLimit)
}

// commit runs one store method and publishes what it wrote. An error that leaves the session unusable breaks the actor.
func (a *actor) commit(what string, f func(ctx context.Context) (Commit, error)) (Commit, error) {
	ctx, cancel := a.writeContext()
	defer cancel()
	c, err := f(ctx)
	if err != nil {
		a.log.Error("commit failed", "what", what, "error", err)
		return c, err
	}
	if n := len(c.Stream); n > 0 {
		a.state.rec.StreamHead = c.Stream[n-1].Seq
	}
	a.deps.Bus.Publish(c.Stream, c.Events)
	return c, nil
}

// mustCommit is commit for writes without which the session cannot go on: their failure ends the actor, and the next
// load closes what is open.
func (a *actor) mustCommit(what string, f func(ctx context.Context) (Commit, error)) (Commit, bool) {
	c, err := a.commit(what, f)
	if err != nil {
		a.broken = err
		return c, false
	}
	return c, true
}

// append stores stream rows and events that belong to no other commit.
func (a *actor) append(t *teller) {
	a.mustCommit("append stream", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.AppendStream(ctx, a.id, t.out)
	})
}

// tick publishes an ephemeral gauge.
func (a *actor) tick(used int) {
	g := a.state.gauge(nil)
	g.Used = used
	t := event.Tick{SessionID: a.id, Gauge: g}
	if a.state.turn != nil {
		t.TurnID = a.state.turn.turn.ID
	}
	a.deps.Bus.PublishTick(t)
}
