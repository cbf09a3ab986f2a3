package session

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"

	"github.com/oklog/ulid/v2"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/tool"
)

var ulids = struct {
	sync.Mutex
	entropy *ulid.MonotonicEntropy
}{entropy: ulid.Monotonic(rand.Reader, 0)}

// newULID is the default id maker: monotonic within the process (spec 3.3).
func newULID() string {
	ulids.Lock()
	defer ulids.Unlock()
	return ulid.MustNew(ulid.Now(), ulids.entropy).String()
}

// Create implements Service.
func (m *Manager) Create(ctx context.Context, n NewSession) (Record, error) {
	if m.isClosed() {
		return Record{}, ErrShuttingDown
	}
	r, err := m.newRecord(ctx, n)
	if err != nil {
		return Record{}, err
	}
	out := Out{Events: []event.Event{event.New(event.SessionCreated, r.ID, r.Owner, r.CreatedAt, event.SessionCreatedPayload{
		SessionID: r.ID, Model: r.Model, ParentSessionID: r.ParentID,
	})}}
	c, err := m.deps.Store.CreateSession(ctx, r, out)
	if err != nil {
		return Record{}, err
	}
	m.deps.Bus.Publish(c.Stream, c.Events)
	return r, nil
}

// newRecord checks what a client asks for and fills in the server's defaults.
func (m *Manager) newRecord(ctx context.Context, n NewSession) (Record, error) {
	now := m.deps.Now().UTC()
	r := Record{
		ID: m.deps.NewID(), Owner: n.Owner, Title: n.Title, Model: orDefault(n.Model, m.deps.Config.DefaultModel),
		State: StateIdle, CWD: n.CWD, System: orDefault(n.System, m.deps.Config.System), ParentID: n.ParentID,
		Disconnect: orDefault(n.Disconnect, DisconnectContinue), CreatedAt: now, UpdatedAt: now, Factor: 1,
		Compaction: m.deps.Config.Compaction, Posture: compaction.IdlePosture,
	}
	if n.ParentID != "" {
		if err := m.inherit(ctx, &r); err != nil {
			return r, err
		}
	}
	if err := m.override(&r, n); err != nil {
		return r, err
	}
	mod, err := m.deps.Models.Model(r.Model)
	if err != nil {
		return r, &ParamError{Param: "model", Reason: err.Error()}
	}
	r.WindowTokens = mod.Card().Window
	if n.Window > 0 {
		if mod.Card().Name != "sim:replay" || n.Window > mod.Card().Window {
			return r, &ParamError{Param: "window", Reason: "only sim:replay takes a window, of at most its own"}
		}
		r.WindowTokens = n.Window
	}
	r.Posture.Reason = idleReason(r.WindowTokens)
	if !r.Compaction.Enabled {
		r.Posture = compaction.Posture{State: compaction.StateDisabled, Reason: compaction.ReasonConfigDisabled}
	}
	r.Tools, err = toolSpecs(n)
	return r, err
}

// idleReason is why nothing is compacted in a session at rest: with an unknown window only the thresholds watch.
func idleReason(window int) compaction.Reason {
	if window == 0 {
		return compaction.ReasonWindowUnknown
	}
	return compaction.ReasonNoActiveCompaction
}

// inherit takes over the compaction configuration of a parent of the same owner (requirements A12.1).
func (m *Manager) inherit(ctx context.Context, r *Record) error {
	snap, err := m.deps.Store.Load(ctx, r.ParentID)
	if err != nil || snap.Record.Owner != r.Owner {
		return &ParamError{Param: "parent", Reason: "there is no such session"}
	}
	r.Compaction = snap.Record.Compaction
	return nil
}

// override applies a session's own knobs inside the operator's limits (spec 2.3).
func (m *Manager) override(r *Record, n NewSession) error {
	c, err := compaction.Override(r.Compaction, n.Overrides, m.deps.Config.Limits)
	if err != nil {
		return err
	}
	r.Compaction = c
	return nil
}

// Reopen implements Service.
func (m *Manager) Reopen(ctx context.Context, id ID) error {
	var err error
	cerr := m.call(ctx, id, func(a *actor) {
		if a.state.rec.State != StateClosed {
			return
		}
		wctx, cancel := a.writeContext()
		defer cancel()
		if err = a.deps.Store.ReopenSession(wctx, id); err == nil {
			a.state.rec.State = StateIdle
		}
	})
	return firstError(cerr, err)
}

func firstError(errs ...error) error {
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// Prompt implements Service.
func (m *Manager) Prompt(ctx context.Context, id ID, p Prompt) (*Accepted, error) {
	if err := checkPrompt(p); err != nil {
		return nil, err
	}
	var acc *Accepted
	var err error
	cerr := m.call(ctx, id, func(a *actor) {
		if p.Script != nil && a.state.rec.Model != "sim:replay" {
			err = &ParamError{Param: "tidemark/sim", Reason: "only the model sim:replay speaks recorded answers"}
			return
		}
		acc, err = a.prompt(p)
	})
	return acc, firstError(cerr, err)
}

// checkPrompt refuses what a user message may not hold (spec 3.1, 3.3).
func checkPrompt(p Prompt) error {
	if len(p.Blocks) == 0 {
		return &ParamError{Param: "prompt", Reason: "it is empty"}
	}
	for _, b := range p.Blocks {
		switch v := b.(type) {
		case message.Text:
			if strings.TrimSpace(v.Text) == "" {
				return &ParamError{Param: "prompt", Reason: "a text block is blank"}
			}
		case message.Image:
			if err := v.Check(); err != nil {
				return &ParamError{Param: "prompt", Reason: err.Error()}
			}
		default:
			return &ParamError{Param: "prompt", Reason: "a user message holds text and images, not " + b.Type()}
		}
	}
	return checkScript(p.Script)
}

// Cancel implements Service.
func (m *Manager) Cancel(ctx context.Context, id ID) error {
	return m.call(ctx, id, func(a *actor) { a.cancelTurn() })
}

// Compact implements Service: the same engine as the automatic passes (spec 6.7).
func (m *Manager) Compact(ctx context.Context, id ID, focus string) (compaction.Pass, error) {
	reply := make(chan manualReply, 1)
	var err error
	cerr := m.call(ctx, id, func(a *actor) { err = a.compactNow(focus, reply) })
	if err := firstError(cerr, err); err != nil {
		return compaction.Pass{}, err
	}
	select {
	case r := <-reply:
		return r.pass, r.err
	case <-ctx.Done():
		return compaction.Pass{}, ctx.Err()
	}
}

// compactNow starts a manual pass.
func (a *actor) compactNow(focus string, reply chan manualReply) error {
	s := a.state
	switch {
	case s.turn != nil || s.manual != nil || a.ending:
		return ErrBusy
	case s.rec.State == StateClosed:
		return ErrClosed
	case !s.rec.Compaction.Enabled:
		return &ParamError{Param: "compaction.enabled", Reason: "compaction is switched off in this session"}
	}
	m := &manualRun{check: newCheck(compaction.AtIdle), focus: focus, reply: reply, done: make(chan struct{})}
	m.ctx.ctx, m.ctx.cancel = context.WithCancel(a.ctx)
	s.manual = m
	return nil
}

// Undo implements Service.
func (m *Manager) Undo(ctx context.Context, id ID) (compaction.Pass, error) {
	var p compaction.Pass
	var err error
	cerr := m.call(ctx, id, func(a *actor) { p, err = a.undo() })
	return p, firstError(cerr, err)
}

// SetOptions implements Service.
func (m *Manager) SetOptions(ctx context.Context, id ID, o Options) (Record, error) {
	var rec Record
	var err error
	cerr := m.call(ctx, id, func(a *actor) {
		err = a.setOptions(o)
		rec = a.state.rec
	})
	return rec, firstError(cerr, err)
}

// setOptions changes model or mode between turns; a new model has its own window (case B69).
func (a *actor) setOptions(o Options) error {
	s := a.state
	if s.turn != nil || s.manual != nil {
		return ErrBusy
	}
	c := Configure{SessionID: a.id, Model: s.rec.Model, Window: s.rec.WindowTokens, Compaction: s.rec.Compaction}
	if o.Model != "" && o.Model != s.rec.Model {
		mod, err := a.deps.Models.Model(o.Model)
		if err != nil {
			return &ParamError{Param: "model", Reason: err.Error()}
		}
		c.Model, c.Window = o.Model, mod.Card().Window
	}
	if o.CompactionMode != "" {
		if !slices.Contains([]compaction.Mode{compaction.ModeSemantic, compaction.ModeTwoPhase, compaction.ModeMechanical}, o.CompactionMode) {
			return &ParamError{Param: "compaction_mode", Reason: "semantic, two_phase or mechanical"}
		}
		c.Compaction.Mode = o.CompactionMode
	}
	changed := c.Model != s.rec.Model
	t := a.tell().row(event.StreamConfigOptions, event.ConfigOptions{Model: c.Model, CompactionMode: string(c.Compaction.Mode)})
	if changed && s.rec.Posture.State == compaction.StateIdle {
		was := s.rec.Posture
		t.posture(compaction.StateIdle, idleReason(c.Window))
		defer func() { // the commit may fail
			if s.rec.Model != c.Model {
				s.rec.Posture = was
			}
		}()
	}
	c.Out = t.out
	if _, err := a.commit("configure", func(ctx context.Context) (Commit, error) { return a.deps.Store.Configure(ctx, c) }); err != nil {
		return err
	}
	s.rec.Model, s.rec.WindowTokens, s.rec.Compaction = c.Model, c.Window, c.Compaction
	s.card = a.cardOf(c.Model).WithWindow(c.Window)
	s.maxOutput = min(a.deps.Config.MaxOutputTokens, s.card.MaxOutput)
	if changed {
		s.rec.Factor, s.ratio, s.estimated = 1, 0, true // what the other model measured says nothing of this one
	}
	return nil
}

// Status implements Service.
func (m *Manager) Status(ctx context.Context, id ID) (Status, error) {
	var st Status
	err := m.call(ctx, id, func(a *actor) {
		st = Status{Record: a.state.rec, Posture: a.state.postureRecord(a.deps.Now())}
		if a.state.turn != nil {
			t := a.state.turn.turn
			st.Turn = &t
		}
	})
	return st, err
}

// Partial implements Service.
func (m *Manager) Partial(ctx context.Context, id ID) (messageID, text, thought string, err error) {
	err = m.call(ctx, id, func(a *actor) {
		if t := a.state.turn; t != nil {
			messageID, text, thought = t.messageID, t.text, t.thought
		}
	})
	return messageID, text, thought, err
}

// Note implements Service.
func (m *Manager) Note(ctx context.Context, id ID, text string) error {
	return m.call(ctx, id, func(a *actor) {
		a.append(a.tell().row(event.StreamText, event.Text{MessageID: a.deps.NewID(), Text: text}))
	})
}

// Close implements Service: the session's turn is cancelled, its attachments end with the session's stream.
func (m *Manager) Close(ctx context.Context, id ID) error { return m.end(ctx, id, StateClosed) }

// Delete implements Service.
func (m *Manager) Delete(ctx context.Context, id ID) error { return m.end(ctx, id, StateDeleted) }

// Attached implements Service.
func (m *Manager) Attached(id ID) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.clients[id]; c != nil {
		return c.Len()
	}
	return 0
}

// Models implements Service.
func (m *Manager) Models() []string { return slices.Clone(m.deps.Config.ModelNames) }

// Attach implements Service.
func (m *Manager) Attach(ctx context.Context, id ID, c tool.Client) (func(), error) {
	var detach func()
	err := m.call(ctx, id, func(a *actor) {
		detach = a.clients.Attach(c)
		a.stopGrace()
	})
	if err != nil {
		return nil, err
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			detach()
			m.detached(id)
		})
	}, nil
}
