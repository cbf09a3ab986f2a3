package views

// PassList is the table of compactions, newest first.
type PassList struct {
	Session string
	Rows    []PassRow
	Summary string
	None    string
}

// PassRow is one attempt at compaction, with its record to unfold.
type PassRow struct {
	ID          string
	Href        string // address of the record, loaded when it is unfolded
	At          Moment
	Moved       string // watermark before → after
	Trigger     string
	Place       string
	Kind        Chip
	Cache       string // hit or miss, and the first 12 characters of the key
	Before      string
	Estimated   string
	Measured    string
	Summary     string // tokens of it
	Took        string
	Cost        string
	Invalidated string
	BreakEven   string
	Gate        Chip
	Candidate   Chip
	Outcome     Chip
	Attempt     string
}

// DOMID is the id of the row's element.
func (r PassRow) DOMID() string { return "pass-" + r.ID }

// PassRecord is the whole record of a pass.
type PassRecord struct {
	ID        string
	Facts     []Fact
	Gate      *GateTable
	Candidate *CandidateCard
	Summary   string // its text; "" = there is none, or the viewer may not read text
	Covered   []CoveredRow
	CoveredN  string // how many rows the span has, when not all are shown
	Hidden    string // why text is not shown
	Error     string
}

// GateTable is what the retention check found, class by class.
type GateTable struct {
	Verdict Chip
	Reason  string
	Rows    []GateRow
	Missing []string
}

// GateRow is one class of facts.
type GateRow struct {
	Class string
	Kept  string
	Fill  string // share kept, an SVG length
	Tone  string
}

// CandidateCard is what became of a semantic text.
type CandidateCard struct {
	State  Chip
	Reason string
	Facts  []Fact
	Gate   *GateTable
}

// CoveredRow is one message of the span that the summary stands for.
type CoveredRow struct {
	Seq  string
	Role string
	Text string
}
