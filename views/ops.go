package views

// OpsPage is the operators' overview.
type OpsPage struct {
	Page     Page
	Bar      OpsBar
	Figures  []Figure
	Table    SessionTable
	Feed     Feed
	Stream   string // address of the event stream, with the place this page was drawn at
	Empty    *EmptyOps
	Glossary []Figure
}

// OpsBar is the line above the cards: how fresh the page is and which range it shows.
type OpsBar struct {
	Ranges []Link
	Data   Moment // data through
	Head   string // newest event shown
}

// Link is a choice in a row of links.
type Link struct {
	Text    string
	Href    string
	Current bool
	Sort    string // aria-sort of a column head: ascending, descending or ""
	About   string
}

// EmptyOps is what a server without sessions shows.
type EmptyOps struct {
	CanSample bool
	Running   bool // a sample session is being played
	Turns     int
}

// Field is a hidden field of a form.
type Field struct{ Name, Value string }

// SessionTable is the live table with its filter.
type SessionTable struct {
	Filter  SessionFilter
	Heads   []Link
	Rows    []SessionRow
	Summary string // such as "12 of 40 sessions"
	None    string // said when no row passes the filter
}

// SessionFilter holds what the filter form was sent with.
type SessionFilter struct {
	Query  string
	State  string
	Keep   []Field // sort, dir, range: sent along
	States []string
}

// SessionRow is one session in numbers. Title is its id for a viewer who may not read text.
type SessionRow struct {
	ID        string
	Href      string
	Title     string
	Named     bool // Title is a title, not an id
	Model     string
	Simulated bool
	State     Chip
	Posture   Chip // no text: nothing to say
	Turns     string
	Spend     string
	Compact   string // spend on compaction
	Unpriced  string // such as "3 calls unpriced"
	CacheHit  string
	Summaries string // summary-cache hits of passes
	Mark      Gauge  // watermark of messages
	Context   Gauge
	Last      Moment
	Attached  string
}

// DOMID is the id of the row's element, which the event stream aims at.
func (r SessionRow) DOMID() string { return "session-" + r.ID }

// Feed is the list of what happened, newest first.
type Feed struct {
	Items  []FeedItem
	From   string // replayed from this event id, "" = the newest
	Latest string // address without the replay
	Action string // where the replay form goes
	Keep   []Field
}

// FeedItem is one catalog event in words.
type FeedItem struct {
	ID      string
	Group   string // compaction, turn, call, tool, other: what the filter chooses
	Trouble bool
	Minor   bool // left out of the highlights
	At      Moment
	Chip    Chip
	Session string // title or short id
	Href    string
	Text    string
}

// DOMID is the id of the item's element.
func (i FeedItem) DOMID() string { return "event-" + i.ID }
