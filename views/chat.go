package views

// ChatPage is the chat: the list of sessions, and the frame that the script fills over the session socket.
type ChatPage struct {
	Page       Page
	List       SessionList
	Session    *ChatSession // nil: a new one begins with the first message
	Models     []Choice
	MaxMessage int // bytes of one frame, so that a too long message is refused before it is sent
}

// ChatSession is the session that the chat opens with.
type ChatSession struct {
	ID        string
	Title     string
	Model     string
	Simulated bool
	State     Chip
	Cost      string
	Owner     string
	Drive     bool // the viewer may prompt; else the session is only read
}

// Choice is an option of a select.
type Choice struct{ Value, Text string }

// SessionList is the list beside the chat.
type SessionList struct {
	Items []SessionItem
}

// SessionItem is one session of the list.
type SessionItem struct {
	ID      string
	Href    string
	Title   string
	State   Chip
	Running bool
	Cost    string
	Last    Moment
	Current bool
}

// ContextPanel is what the context dialog of the chat shows.
type ContextPanel struct {
	Posture PosturePanel
	Gauge   Gauge
	Passes  []PassRow
	Operate bool
	Running bool
	CanUndo bool
}

// id is the id of the opened session, "" for a new one.
func (p ChatPage) id() string {
	if p.Session == nil {
		return ""
	}
	return p.Session.ID
}

// drive reports whether the viewer may write in the session.
func (p ChatPage) drive() bool { return p.Session == nil || p.Session.Drive }
