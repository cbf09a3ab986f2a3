package views

// SessionPage is one session for operators.
type SessionPage struct {
	Page    Page
	ID      string
	Title   string
	Named   bool
	Model   string
	Owner   string
	State   Chip
	Marks   []Chip // simulated, fork, unpriced
	Figures []Figure
	Actions Actions
	Chart   Chart
	Mark    WatermarkHistory
	Posture PosturePanel
	Passes  PassList
	Ledger  Ledger
	Turns   TurnList
	Head    string
	Data    Moment
	Stream  string
}

// Actions are the buttons of the session page. A button that cannot be used now says why.
type Actions struct {
	ID      string
	Show    bool // the viewer may act
	Chat    bool // the viewer may open the session in the chat
	Running bool
	Closed  bool
	CanUndo bool
}

// PosturePanel says in words what compaction is doing in the session and why.
type PosturePanel struct {
	Chip   Chip
	Words  string // the state in a sentence
	Reason string // the reason in a sentence
	Code   string // state · reason, the codes themselves
	Facts  []Fact
	Split  []Share // tokens of the next request by part
	Pinned string  // an open call that holds the watermark, "" = none
}

// Fact is a name and a value.
type Fact struct {
	Name  string
	Value string
	About string
}

// Share is one part of a whole, drawn as a bar. X and W are SVG lengths.
type Share struct {
	Name  string
	Tone  string
	Value string
	X, W  string
}

// Ledger is the table of model calls, newest first.
type Ledger struct {
	ID      string
	Rows    []LedgerRow
	Summary string
	Older   string // address of older rows, "" = none
}

// LedgerRow is one model call.
type LedgerRow struct {
	ID      string
	At      Moment
	Turn    string // T12 · step 3
	Purpose Chip
	Model   string
	Attempt string
	Fresh   string
	Read    string
	Write5m string
	Write1h string
	Output  string
	Reason  string // reasoning tokens, part of the output
	Prices  string // version of the price table used
	Cost    string
	Latency string
	Outcome Chip
	Break   string // why the prompt cache missed, "" = it did not
}

// TurnList is the table of turns, newest first.
type TurnList struct {
	Rows    []TurnRow
	Summary string
}

// TurnRow is one turn.
type TurnRow struct {
	ID      string
	Number  string
	State   Chip
	Stop    string
	Steps   string
	Input   string
	Cached  string
	Output  string
	Cost    string
	Compact string
	Started Moment
	Took    string
	Error   string
}
