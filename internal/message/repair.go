package message

import (
	"sort"
)

// RepairKind is what [Repair] did at one place: one kind for each rule of spec 3.4, and RepairRole for blocks and
// messages under a role they cannot have, which those rules presume.
type RepairKind string

// The closed set of repairs, in the order of spec 3.4. The strings are wire values.
const (
	RepairUserStub        RepairKind = "user_stub"        // the assistant opened: a user stub stands in front
	RepairResultMoved     RepairKind = "result_moved"     // a late or early result went to its call
	RepairCallRenamed     RepairKind = "call_renamed"     // a repeated or missing call id (or name) was replaced
	RepairResultsFirst    RepairKind = "results_first"    // results went before other blocks of their message
	RepairDuplicateResult RepairKind = "duplicate_result" // a result gave way to a later one for the same call
	RepairOpenCall        RepairKind = "open_call"        // a call without result got one that says "interrupted"
	RepairOrphanResult    RepairKind = "orphan_result"    // a result without call became labeled text
	RepairEmptyDropped    RepairKind = "empty_dropped"    // an empty message, a blank block or lone thinking went
	RepairMerged          RepairKind = "merged"           // the message was joined to its neighbor of the same role
	RepairFiller          RepairKind = "filler"           // an assistant filler went in front of human text
	RepairRole            RepairKind = "role_mended"      // a block or message stood under a role it cannot have
)

// RepairKinds lists the set in its order.
func RepairKinds() []RepairKind {
	return []RepairKind{
		RepairUserStub, RepairResultMoved, RepairCallRenamed, RepairResultsFirst, RepairDuplicateResult, RepairOpenCall,
		RepairOrphanResult, RepairEmptyDropped, RepairMerged, RepairFiller, RepairRole,
	}
}

// RepairNote says what was done and where. Index is the place of the message in the input. Detail names ids and counts,
// never transcript text.
type RepairNote struct {
	Kind   RepairKind `json:"kind"`
	Index  int        `json:"index"`
	Detail string     `json:"detail"`
}

// Texts that repair writes into a history.
const (
	// StubText opens a history whose first message was the assistant's. The stub is synthetic: it opens no turn.
	StubText = "(start of the recorded conversation)"
	// InterruptedResult answers a call whose result never came.
	InterruptedResult = "interrupted"
)

// Repair makes an imported history valid without losing text (spec 3.4) and lists what it did, ordered by index.
//
// The output passes [ValidatePrefix]; repairing it again changes nothing and notes nothing. Rows are renumbered from 0
// and counted anew. The input is never written to, and the output shares no slice of blocks with it.
//
// A result belongs to the newest open call of its id before it, in order within one message; failing that to the next
// open call of that id after it; failing that it is a duplicate of the newest answered one, or an orphan. What loses to a
// later duplicate stays as labeled text, unless it says the same. A message made of nothing but labeled results is
// synthetic: nobody said it, so it must neither open a turn nor pass for the user's instructions.
func Repair(in []Message) ([]Message, []RepairNote) {
	r := &repairer{in: in}
	r.split()
	r.match()
	r.rename()
	r.settle()
	out := r.build()
	for i := range out {
		out[i].Seq = Seq(i)
		out[i].Count()
	}
	sort.SliceStable(r.notes, func(i, j int) bool { return r.notes[i].Index < r.notes[j].Index })
	return out, r.notes
}

// repairer carries one run of Repair: split cuts the input into pieces of one role, match finds the call of each result,
// rename makes ids unique, settle decides what becomes of each result, build puts messages together again.
type repairer struct {
	in     []Message
	pieces []*piece
	calls  []*call
	early  []slot // results with no call before them, then the orphans among them
	ids    map[string]bool
	out    []Message
	notes  []RepairNote
}

// piece is a run of blocks of one message that stand under one role.
type piece struct {
	src    int // index of the message it came from
	role   Role
	blocks Blocks
	human  bool // its message brought no results, so it opens a turn of its own
	run    int  // number of the last run of assistant pieces at or before it
	calls  []*call
}

// call is one tool_use and the results that claim it, in order of appearance.
type call struct {
	at      slot
	id      string
	run     int
	results []slot
	late    *ToolResult // the result, when it stands elsewhere
}

// slot is the place of one block.
type slot struct {
	piece *piece
	block int
}

func (s slot) get() Block  { return s.piece.blocks[s.block] }
func (s slot) set(b Block) { s.piece.blocks[s.block] = b }

func (r *repairer) note(kind RepairKind, index int, detail string) {
	r.notes = append(r.notes, RepairNote{Kind: kind, Index: index, Detail: detail})
}
