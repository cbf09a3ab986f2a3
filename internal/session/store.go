package session

import (
	"context"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
)

// Out is what a commit tells: rows for the session's clients and catalog events, not yet numbered.
type Out struct {
	Stream  []event.StreamRow
	Events  []event.Event
	Posture *compaction.Posture // nil = unchanged
}

// Commit is what a store method wrote: the transcript rows with their seqs, the stream rows and events with their
// numbers. Publish it after the method returned, never before.
type Commit struct {
	Messages []message.Message
	Stream   []event.StreamRow
	Events   []event.Event
}

// Store keeps sessions. Each method is one business fact and one transaction; it gives seqs, stream numbers and event
// ids, and keeps the running totals of session and turn in step with the ledger. Missing sessions are ErrNotFound.
type Store interface {
	CreateSession(ctx context.Context, r Record, out Out) (Commit, error)
	// Load reads what an actor needs: the record, rows from the watermark on, the applied passes' summaries that are
	// in the view, and whatever a crash left open.
	Load(ctx context.Context, id ID) (Snapshot, error)
	Configure(ctx context.Context, c Configure) (Commit, error)
	BeginTurn(ctx context.Context, b BeginTurn) (Commit, error)
	FinishStep(ctx context.Context, f FinishStep) (Commit, error)
	AnswerTools(ctx context.Context, a AnswerTools) (Commit, error)
	FinishTurn(ctx context.Context, f FinishTurn) (Commit, error)
	// AppendStream stores merged deltas, tool states and turn marks with their catalog events.
	AppendStream(ctx context.Context, id ID, out Out) (Commit, error)
	// RecordCall stores the ledger line of a call that is not part of FinishStep or a pass.
	RecordCall(ctx context.Context, row LedgerRow, out Out) (Commit, error)
	BeginPass(ctx context.Context, p compaction.Pass, out Out) (Commit, error)
	// ApplyPass makes a pass part of the view by compare-and-set on the version; ErrStale when it moved.
	ApplyPass(ctx context.Context, a ApplyPass) (Commit, error)
	FailPass(ctx context.Context, f FailPass) (Commit, error)
	// SaveCandidate stores what became of a candidate, with the ledger lines of its calls.
	SaveCandidate(ctx context.Context, c SaveCandidate) (Commit, error)
	// Swap puts a candidate's text in the place of a mechanical one by compare-and-set on the version.
	Swap(ctx context.Context, s Swap) (Commit, error)
	// UndoPass takes back the newest applied pass; ErrStale when the version moved.
	UndoPass(ctx context.Context, u UndoPass) (Commit, error)
	CloseSession(ctx context.Context, id ID, out Out) (Commit, error)
	ReopenSession(ctx context.Context, id ID) error
	// DeleteSession removes transcript, stream, passes and summaries, keeps the ledger, leaves a tombstone.
	DeleteSession(ctx context.Context, id ID, out Out) (Commit, error)
	// TurnByKey finds the turn an idempotency key of the session was claimed by; ok is false when it is free.
	TurnByKey(ctx context.Context, id ID, key string) (t Turn, ok bool, err error)
	// Rows reads transcript rows of a span, Digests the stored digests of the same rows.
	Rows(ctx context.Context, id ID, span message.Span) ([]message.Message, error)
	Digests(ctx context.Context, id ID, span message.Span) ([]compaction.Digest, error)
	// ViewSummaries reads the summaries that are in the view now, by span start, for the link check of spec 6.8.
	ViewSummaries(ctx context.Context, id ID) ([]compaction.Summary, error)
	// LastApplied is the applied pass with the highest version that was not undone, repairs left out; ok is false when
	// there is none.
	LastApplied(ctx context.Context, id ID) (p compaction.Pass, ok bool, err error)
	// PassRecord reads one record.
	PassRecord(ctx context.Context, id ID, passID string) (compaction.Pass, error)
	// Unfinished lists sessions with an open turn, pass or call, to be closed at start.
	Unfinished(ctx context.Context) ([]ID, error)
}

// Snapshot is a session at rest as Load found it.
type Snapshot struct {
	Record    Record
	Rows      []message.Message    // from the watermark on
	Digests   []compaction.Digest  // of Rows, one each
	Summaries []compaction.Summary // in the view, by span start
	Elided    []message.Seq        // rows from the watermark on that applied elisions replaced by a note
	Passes    []compaction.Pass    // the newest five of any outcome, newest first
	OpenTurn  *Turn                // a turn that a crash left running
	LastTurn  *Turn                // the turn that started last
	OpenPass  []compaction.Pass    // passes without an outcome
	Running   []compaction.Pass    // ended passes whose candidate a crash left running
	Ready     *compaction.Pass     // the applied pass whose candidate waits for its swap
}

// Configure changes the model or the compaction mode between turns.
type Configure struct {
	SessionID  ID
	Model      string
	Window     int
	Title      string
	Compaction compaction.Config
	Posture    *compaction.Posture
	Out        Out
}

// BeginTurn accepts a prompt: the user row, the turn, its idempotency key.
type BeginTurn struct {
	Turn    Turn
	Message message.Message
	Digest  compaction.Digest
	Title   string // "" = leave as it is
	Factor  float64
	Out     Out
}

// FinishStep stores a model's answer and what it cost.
type FinishStep struct {
	SessionID ID
	TurnID    TurnID
	Message   *message.Message // nil: the answer was empty
	Digest    compaction.Digest
	Ledger    LedgerRow
	Measured  []compaction.Pass // passes whose tokens_after_measured this call told
	Out       Out
}

// AnswerTools stores one user row with all results of a step.
type AnswerTools struct {
	SessionID ID
	TurnID    TurnID
	Message   message.Message
	Digest    compaction.Digest
	Out       Out
}

// FinishTurn closes a turn with its closing rows.
type FinishTurn struct {
	Turn    Turn
	Closing []message.Message // results for open calls, a filler (spec 3.4)
	Digests []compaction.Digest
	Out     Out
}

// ApplyPass puts a pass into the view. Exactly one of Summary and the pass's elided seqs is the change.
type ApplyPass struct {
	Pass      compaction.Pass // Version is the new version
	Expect    int64           // the version it was made for
	Watermark message.Seq     // after it
	Summary   *compaction.Summary
	Replaces  []string // summaries that leave the view: a fold's parents, a repaired summary
	Ledger    []LedgerRow
	TakesOver []string // ledger rows of staged work that this pass uses (spec 6.5)
	Begin     bool     // the pass has no open row yet: insert it in this transaction
	Posture   *compaction.Posture
	Memory    *compaction.Memory // nil = unchanged
	Out       Out
}

// FailPass ends a pass that changed nothing.
type FailPass struct {
	Pass    compaction.Pass
	Ledger  []LedgerRow
	Begin   bool // no row yet (no_valid_boundary has no started event)
	Posture *compaction.Posture
	Memory  *compaction.Memory // nil = unchanged
	Out     Out
}

// SaveCandidate changes a pass's candidate; kind, outcome and events of the pass stay (spec 6.4).
type SaveCandidate struct {
	Pass    compaction.Pass
	Ledger  []LedgerRow
	Posture *compaction.Posture
	Out     Out
}

// Swap replaces the text of a pass's summary.
type Swap struct {
	Pass    compaction.Pass
	Summary compaction.Summary
	Expect  int64
	Version int64 // after it
	Posture *compaction.Posture
	Out     Out
}

// UndoPass takes back the newest applied pass. What stood for it leaves the view; the parents of a fold come back.
type UndoPass struct {
	Pass      compaction.Pass // outcome undone
	Expect    int64
	Version   int64       // after it
	Watermark message.Seq // after it
	Posture   *compaction.Posture
	Memory    *compaction.Memory // nil = unchanged
	Out       Out
}

// Page is one page of a list; Next is empty on the last.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next_cursor"`
}

// ListFilter narrows a list of sessions. Owner "" means all.
type ListFilter struct {
	Owner    string
	CWD      string
	ParentID ID
	State    State
	Cursor   string
	Limit    int
}

// EventFilter narrows the catalog. After is exclusive.
type EventFilter struct {
	SessionID ID
	Owner     string
	Types     []event.Kind
	After     event.ID
	Limit     int
	Newest    bool // the newest Limit events, still in increasing order
}

// StreamState is where a session's stream stands. Oldest is the first row still kept (Head+1 when none is).
type StreamState struct {
	Epoch  event.Epoch
	Head   event.StreamSeq
	Oldest event.StreamSeq
}

// Overview are the figures of the operators' cards for a range of time.
type Overview struct {
	From, To         time.Time
	Sessions         int // with a call in the range
	Running          int
	Calls            int
	UnpricedCalls    int
	CostPico         int64
	CompactionPico   int64
	Usage            message.Usage
	Passes           int // applied
	PassesFailed     int
	SummaryCacheHits int
	TokensCompacted  int64 // span tokens in
	TokensSummaries  int64 // span tokens out
	HeadID           event.ID
	Epoch            event.Epoch
}

// Reader is the read side: committed rows for pages and clients. Nothing it returns is live.
type Reader interface {
	Record(ctx context.Context, id ID) (Record, error)
	List(ctx context.Context, f ListFilter) (Page[Record], error)
	Messages(ctx context.Context, id ID, after message.Seq, limit int) ([]message.Message, error) // seq > after
	Turns(ctx context.Context, id ID, cursor string, limit int) (Page[Turn], error)
	Passes(ctx context.Context, id ID, cursor string, limit int) (Page[compaction.Pass], error)
	Pass(ctx context.Context, id ID, passID string) (compaction.Pass, error)
	Summary(ctx context.Context, id ID, passID string) (compaction.Summary, error)
	Ledger(ctx context.Context, id ID, cursor string, limit int) (Page[LedgerRow], error)
	Events(ctx context.Context, f EventFilter) ([]event.Event, error)
	EventHead(ctx context.Context) (event.Epoch, event.ID, event.ID, error) // epoch, oldest kept, newest
	StreamState(ctx context.Context, id ID) (StreamState, error)
	Stream(ctx context.Context, id ID, after event.StreamSeq, limit int) ([]event.StreamRow, error)
	Overview(ctx context.Context, from, to time.Time) (Overview, error)
	RunningTurn(ctx context.Context, id ID) (*Turn, error)
}
