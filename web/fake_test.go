package web_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
	"tidemark/internal/session"
	"tidemark/internal/tool"
)

const epoch = event.Epoch("e1")

// fake stands in for sessions and their rows: it keeps just enough to be asked about them. A function field takes the
// place of the method of its name.
type fake struct {
	bus event.Bus

	mu       sync.Mutex
	sessions map[string]*fakeSession
	order    []string
	events   []event.Event
	oldest   event.ID
	calls    []string // what was asked for, in order

	prompt  func(ctx context.Context, id string, p session.Prompt) (*session.Accepted, error)
	cancel  func(id string) error
	compact func(ctx context.Context, id, focus string) (compaction.Pass, error)
	undo    func(id string) (compaction.Pass, error)
	create  func(n session.NewSession) error
	broken  error // every read fails with it
}

type fakeSession struct {
	rec     session.Record
	rows    []event.StreamRow
	oldest  event.StreamSeq
	msgs    []message.Message
	passes  []compaction.Pass
	guess   int // the gauge is this estimate, 0 = measured
	sums    map[string]compaction.Summary
	turns   []session.Turn
	ledger  []session.LedgerRow
	turn    *session.Turn
	partial [3]string
	clients tool.Clients
}

var (
	_ session.Service = (*fake)(nil)
	_ session.Reader  = (*fake)(nil)
)

func newFake() *fake { return &fake{sessions: make(map[string]*fakeSession), oldest: 1} }

// add makes a session of an owner.
func (f *fake) add(id, owner string) *fakeSession {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Date(2026, 11, 30, 12, 0, len(f.order), 0, time.UTC)
	s := &fakeSession{oldest: 1, sums: make(map[string]compaction.Summary), rec: session.Record{
		ID: id, Owner: owner, State: session.StateIdle, CWD: "/", Model: "sim:assistant", Epoch: epoch,
		Compaction: compaction.DefaultConfig(), Disconnect: session.DisconnectContinue, CreatedAt: now, UpdatedAt: now,
		Posture: compaction.IdlePosture, WindowTokens: 200_000,
	}}
	f.sessions[id] = s
	f.order = append(f.order, id)
	return s
}

func (f *fake) get(id string) (*fakeSession, error) {
	if f.broken != nil {
		return nil, f.broken
	}
	if s := f.sessions[id]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("session %s: %w", id, session.ErrNotFound)
}

func (f *fake) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, fmt.Sprintf(format, args...))
}

func (f *fake) called() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// row numbers, stores and publishes one stream row.
func (f *fake) row(id, turn string, kind event.StreamKind, payload any) event.StreamSeq {
	f.mu.Lock()
	s := f.sessions[id]
	r := event.NewStreamRow(id, turn, kind, time.Now(), payload)
	s.rec.StreamHead++
	r.Seq, r.Epoch = s.rec.StreamHead, epoch
	s.rows = append(s.rows, r)
	f.mu.Unlock()
	f.bus.Publish([]event.StreamRow{r}, nil)
	return r.Seq
}

// event numbers, stores and publishes one catalog event.
func (f *fake) event(kind event.Kind, sessionID string, payload any) event.ID {
	f.mu.Lock()
	e := event.New(kind, sessionID, "alice", time.Now(), payload)
	e.ID, e.Epoch = event.ID(len(f.events)+1), epoch
	f.events = append(f.events, e)
	f.mu.Unlock()
	f.bus.Publish(nil, []event.Event{e})
	return e.ID
}

// say appends a transcript row.
func (f *fake) say(id string, m message.Message, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sessions[id]
	m.Seq, m.CreatedAt = s.rec.NextSeq, at
	s.msgs = append(s.msgs, m)
	s.rec.NextSeq++
}

// turn is a turn in the hands of a test.
type fakeTurn struct {
	f      *fake
	id     string
	turn   string
	done   chan struct{}
	result *session.TurnResult
}

func (f *fake) begin(id string, p session.Prompt) (*fakeTurn, *session.Accepted) {
	f.mu.Lock()
	s := f.sessions[id]
	t := &fakeTurn{f, id, fmt.Sprintf("T%d", len(s.turns)+1), make(chan struct{}), new(session.TurnResult)}
	s.turns = append(s.turns, session.Turn{ID: t.turn, SessionID: id, State: session.TurnRunning})
	s.turn = &session.Turn{ID: t.turn, State: session.TurnRunning}
	f.mu.Unlock()
	f.row(id, t.turn, event.StreamTurn, event.TurnMark{State: "started"})
	for _, b := range p.Blocks {
		raw, _ := message.Blocks{b}.MarshalJSON()
		f.row(id, t.turn, event.StreamUserMessage, event.UserMessage{MessageID: t.turn + "u", Block: raw})
	}
	return t, session.NewAccepted(t.turn, false, t.done, t.result)
}

func (t *fakeTurn) text(s string) {
	t.f.row(t.id, t.turn, event.StreamText, event.Text{MessageID: t.turn + "a", Text: s})
}

func (t *fakeTurn) end(r session.TurnResult) {
	t.f.mu.Lock()
	t.f.sessions[t.id].turn = nil
	t.f.mu.Unlock()
	t.f.row(t.id, t.turn, event.StreamTurn, event.TurnMark{State: "ended", StopReason: r.StopReason})
	r.TurnID = t.turn
	*t.result = r
	close(t.done)
}

// Create implements session.Service.
func (f *fake) Create(_ context.Context, n session.NewSession) (session.Record, error) {
	if f.create != nil {
		if err := f.create(n); err != nil {
			return session.Record{}, err
		}
	}
	f.mu.Lock()
	id := fmt.Sprintf("S%d", len(f.order)+1)
	f.mu.Unlock()
	s := f.add(id, n.Owner)
	f.mu.Lock()
	defer f.mu.Unlock()
	s.rec.CWD, s.rec.Tools, s.rec.System, s.rec.ParentID = n.CWD, n.Tools, n.System, n.ParentID
	return s.rec, nil
}

// Reopen implements session.Service.
func (f *fake) Reopen(_ context.Context, id session.ID) error {
	f.note("reopen %s", id)
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err == nil {
		s.rec.State = session.StateIdle
	}
	return err
}

// Prompt implements session.Service: an echo, unless the test has its own.
func (f *fake) Prompt(ctx context.Context, id session.ID, p session.Prompt) (*session.Accepted, error) {
	f.note("prompt %s", id)
	f.mu.Lock()
	s, err := f.get(id)
	closed := err == nil && s.rec.State == session.StateClosed
	f.mu.Unlock()
	switch {
	case err != nil:
		return nil, err
	case closed:
		return nil, session.ErrClosed
	case f.prompt != nil:
		return f.prompt(ctx, id, p)
	}
	t, acc := f.begin(id, p)
	t.text("echo: ")
	t.text(p.Blocks.PlainText())
	t.end(session.TurnResult{StopReason: "end_turn", Usage: usage()})
	return acc, nil
}

func usage() session.TurnUsage {
	cost := pricing.Must("0.00125")
	return session.TurnUsage{Input: 3, Output: 5, Steps: 1, CostUSD: &cost}
}

// Cancel implements session.Service.
func (f *fake) Cancel(_ context.Context, id session.ID) error {
	f.note("cancel %s", id)
	if f.cancel != nil {
		return f.cancel(id)
	}
	return nil
}

// Compact implements session.Service.
func (f *fake) Compact(ctx context.Context, id session.ID, focus string) (compaction.Pass, error) {
	f.note("compact %s %q", id, focus)
	if f.compact != nil {
		return f.compact(ctx, id, focus)
	}
	return compaction.Pass{ID: "P1", SessionID: id, Trigger: compaction.TriggerManual, Kind: compaction.KindMechanical, Outcome: compaction.OutcomeCompleted, Version: 1}, nil
}

// Undo implements session.Service.
func (f *fake) Undo(_ context.Context, id session.ID) (compaction.Pass, error) {
	f.note("undo %s", id)
	if f.undo != nil {
		return f.undo(id)
	}
	return compaction.Pass{}, session.ErrNothingToUndo
}

// SetOptions implements session.Service.
func (f *fake) SetOptions(_ context.Context, id session.ID, o session.Options) (session.Record, error) {
	f.mu.Lock()
	s, err := f.get(id)
	if err != nil {
		f.mu.Unlock()
		return session.Record{}, err
	}
	s.rec.Model, s.rec.Compaction.Mode = o.Model, o.CompactionMode
	f.mu.Unlock()
	f.row(id, "", event.StreamConfigOptions, event.ConfigOptions{Model: o.Model, CompactionMode: string(o.CompactionMode)})
	f.mu.Lock()
	defer f.mu.Unlock()
	return s.rec, nil
}

// Status implements session.Service.
func (f *fake) Status(_ context.Context, id session.ID) (session.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err != nil {
		return session.Status{}, err
	}
	return session.Status{Record: s.rec, Turn: s.turn, Posture: compaction.PostureRecord{
		SessionID: id, State: s.rec.Posture.State, Reason: s.rec.Posture.Reason, SummaryLink: "ok", Recent: s.passes,
		UsedTokens: max(s.guess, s.rec.ContextTokens), Estimated: s.guess > 0, WindowTokens: s.rec.WindowTokens,
	}}, nil
}

// Partial implements session.Service.
func (f *fake) Partial(_ context.Context, id session.ID) (messageID, text, thought string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err != nil {
		return "", "", "", err
	}
	return s.partial[0], s.partial[1], s.partial[2], nil
}

// Close implements session.Service.
func (f *fake) Close(_ context.Context, id session.ID) error {
	f.note("close %s", id)
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err == nil {
		s.rec.State = session.StateClosed
	}
	return err
}

// Delete implements session.Service.
func (f *fake) Delete(_ context.Context, id session.ID) error {
	f.note("delete %s", id)
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.get(id)
	if err == nil {
		s.rec.State = session.StateDeleted
	}
	return err
}

// Attach implements session.Service.
func (f *fake) Attach(_ context.Context, id session.ID, c tool.Client) (func(), error) {
	f.mu.Lock()
	s, err := f.get(id)
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return s.clients.Attach(c), nil
}

// Attached implements session.Service.
func (f *fake) Attached(id session.ID) int {
	f.mu.Lock()
	s := f.sessions[id]
	f.mu.Unlock()
	if s == nil {
		return 0
	}
	return s.clients.Len()
}

// Models implements session.Service.
func (f *fake) Models() []string { return []string{"sim:assistant", "sim:free"} }

// Note implements session.Service.
func (f *fake) Note(_ context.Context, id session.ID, text string) error {
	f.row(id, "", event.StreamText, event.Text{MessageID: "note", Text: text})
	return nil
}

// CompactOnce implements session.Service: nothing is due.
func (f *fake) CompactOnce(_ context.Context, q session.CompactRequest) (session.CompactResult, error) {
	return session.CompactResult{Messages: q.Messages}, nil
}
