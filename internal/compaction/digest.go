package compaction

import "tidemark/internal/message"

// Digest is what a stored row, or a bounded merge of rows, contributes to a mechanical summary (spec 6.1). It is made
// once, when the row is stored, and it is JSON: the digest of a row stands beside the row, the digest of a summary
// beside the summary. Everything in it is masked (spec 4.6). Lists are in order of first appearance.
type Digest struct {
	Version int         `json:"v,omitempty"` // ExtractorVersion it was made with
	First   message.Seq `json:"first"`       // oldest and newest row it speaks of
	Last    message.Seq `json:"last"`
	Rows    int         `json:"rows,omitempty"`   // rows it speaks of; fillers count 0
	Tokens  int         `json:"tokens,omitempty"` // fallback tokens of those rows
	Masked  int         `json:"masked,omitempty"` // secrets masked in them

	Asks      []Ask       `json:"asks,omitempty"`
	Answers   []Note      `json:"answers,omitempty"` // assistant texts that ended a turn, cut
	Says      []Note      `json:"says,omitempty"`    // other assistant texts: what it was about to do, cut
	Files     []FileFact  `json:"files,omitempty"`
	Commands  []RunFact   `json:"commands,omitempty"` // shell commands, checks among them
	Tools     []RunFact   `json:"tools,omitempty"`    // every other call
	Errors    []ErrorFact `json:"errors,omitempty"`
	Decisions []Note      `json:"decisions,omitempty"`
	Limits    []Note      `json:"limits,omitempty"`      // standing instructions, sentence by sentence
	Permits   []Note      `json:"permissions,omitempty"` // approvals and denials
	Pressure  []Note      `json:"pressure,omitempty"`    // rate limits, budget warnings, model switches
	Plan      *PlanFact   `json:"plan,omitempty"`        // newest list of steps that the model kept
	Topics    []Topic     `json:"topics,omitempty"`
	Specifics Specifics   `json:"specifics,omitempty"`

	Left Left `json:"left,omitzero"` // what bounds left out of the lists
}

// Empty reports whether the digest says nothing, as that of a filler.
func (d Digest) Empty() bool { return d.Rows == 0 }

// Left counts what the bound of each list left out.
type Left struct {
	Asks      int `json:"asks,omitempty"`
	Files     int `json:"files,omitempty"`
	Commands  int `json:"commands,omitempty"`
	Tools     int `json:"tools,omitempty"`
	Errors    int `json:"errors,omitempty"`
	Decisions int `json:"decisions,omitempty"`
	Limits    int `json:"limits,omitempty"`
	Permits   int `json:"permissions,omitempty"`
	Pressure  int `json:"pressure,omitempty"`
	Specifics int `json:"specifics,omitempty"`
}

// AskState is what became of a request of the user (cases B28, B48).
type AskState string

// States of an ask. Open is the zero value.
const (
	AskOpen     AskState = ""
	AskAnswered AskState = "answered" // the assistant ended a turn after it
	AskFollowed AskState = "followed" // the user spoke again before an answer
)

// Ask is a text block of a user message without results, word for word (spec 6.1).
type Ask struct {
	Text  string      `json:"text"`
	Seq   message.Seq `json:"seq"`
	State AskState    `json:"state,omitempty"`
	Times int         `json:"times,omitempty"` // said before in the same words
	Size  int         `json:"size,omitempty"`  // tokens of the original when Text is its head and tail
}

// Note is one line of text with the row it stands in.
type Note struct {
	Text string      `json:"text"`
	Seq  message.Seq `json:"seq"`
	User bool        `json:"user,omitempty"` // the user said it, not the model (case B54)
}

// FileFact is a path and what was done to it.
type FileFact struct {
	Path   string      `json:"path"`
	Read   int         `json:"read,omitempty"`
	Edited int         `json:"edited,omitempty"`
	Wrote  int         `json:"wrote,omitempty"`
	Failed int         `json:"failed,omitempty"`
	Last   message.Seq `json:"last"` // newest success, else newest failure
}

// done reports whether anything was done to the file.
func (f *FileFact) done() bool { return f.Read+f.Edited+f.Wrote > 0 }

// RunFact is a call and its newest outcome: a shell command, or another tool with its target.
type RunFact struct {
	Tool   string      `json:"tool"`
	Target string      `json:"target,omitempty"` // first line of the command, or what the tool was pointed at
	Runs   int         `json:"runs"`
	OK     bool        `json:"ok"`
	Result string      `json:"result,omitempty"` // outcome word with counts, or the first error line
	Check  bool        `json:"check,omitempty"`  // a test, build or lint command
	Last   message.Seq `json:"last"`
}

// PlanFact is a list of steps with their states, as a to-do tool was given it (case B28).
type PlanFact struct {
	Items []PlanItem  `json:"items"`
	Seq   message.Seq `json:"seq"`
}

// PlanItem is one step and its state in the tool's own word.
type PlanItem struct {
	Text  string `json:"text"`
	State string `json:"state,omitempty"`
}

// ErrorFact is one failure with its circumstances; no rule is drawn from it (case B46).
type ErrorFact struct {
	Tool   string      `json:"tool"`
	Target string      `json:"target,omitempty"`
	Text   string      `json:"text"`
	Seq    message.Seq `json:"seq"`
	Times  int         `json:"times,omitempty"` // beyond the first
	Fixed  bool        `json:"fixed,omitempty"` // the same call succeeded later
}
