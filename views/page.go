package views

// Page is what every page says about itself.
type Page struct {
	Title   string // of the document; the product's name is added
	Nav     string // NavChat, NavOps or ""
	Who     Viewer
	Styles  []string // sheets below /static/app/ beside base.css
	Scripts []string // modules below /static/app/
	Live    bool     // loads htmx and its event stream
	Fixed   bool     // the page fills the window and its parts scroll (the chat)
}

// Places of the navigation.
const (
	NavChat = "chat"
	NavOps  = "ops"
)

// Viewer is who looks at the page; the zero value is somebody who is not signed in.
type Viewer struct {
	Owner string
	Role  string
	Chat  bool // has sessions of their own
	Ops   bool // sees the figures of all sessions
	Act   bool // may stop, close, compact and undo
}

// SignedIn reports whether the viewer is known.
func (v Viewer) SignedIn() bool { return v.Role != "" }

// Tones colour a chip or a figure. Text always says the same, so that no colour stands alone.
const (
	TonePlain   = ""
	ToneSea     = "sea"     // at work
	ToneSand    = "sand"    // near a limit
	ToneCoral   = "coral"   // refused, failed
	ToneViolet  = "violet"  // compaction
	ToneLeaf    = "leaf"    // good
	ToneOutline = "outline" // a remark
)

// Chip is a short word with a colour.
type Chip struct {
	Text  string
	Tone  string
	About string // what the word means
}

// Figure is one number with its name, a note below it and an explanation of how it is made.
type Figure struct {
	ID    string
	Label string
	Value string
	Note  string
	Tone  string
	About string
}

// Moment is a point in time: UTC for those without script, the reader's own zone with it.
type Moment struct {
	ISO  string // RFC 3339; "" = never
	Text string
	Form string // clock, date or age: how the script shows it
}

// Gauge is a filled bar with a tick. Percentages are SVG lengths such as "62.5%".
type Gauge struct {
	Known bool
	Fill  string
	Tick  string // "" = none
	Tone  string
	Text  string // the same in words
	About string
}

// Class joins the base class of a component and its tone.
func class(base, tone string) string {
	if tone == "" {
		return base
	}
	return base + " " + base + "-" + tone
}
