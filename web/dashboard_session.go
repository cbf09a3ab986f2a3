package web

import (
	"slices"

	"tidemark/internal/compaction"
	"tidemark/internal/session"
	"tidemark/views"
)

// sessionFacts is everything the page of a session shows, as it was read. Lists are oldest first.
type sessionFacts struct {
	rec     session.Record
	info    session.Info
	posture compaction.PostureRecord
	turns   []session.Turn
	passes  []compaction.Pass
	ledger  []session.LedgerRow
	more    bool // the ledger goes on
}

func newSessionPage(r reader, f sessionFacts) views.SessionPage {
	name, titled := r.sessionName(f.rec)
	numbers := turnNumbers(f.turns)
	return views.SessionPage{
		ID: f.rec.ID, Title: name, Named: titled, Model: f.rec.Model, Owner: f.rec.Owner,
		State: stateChip(f.rec, compacting(f.passes)), Marks: sessionMarks(f), Figures: newSessionFigures(f),
		Actions: newActions(r, f), Chart: newChart(f), Mark: newWatermark(f), Posture: newPosturePanel(f.posture),
		Passes: newPassList(r, f), Ledger: newLedger(f, numbers), Turns: newTurnList(r, f),
		Data: shownAt(f.rec.UpdatedAt, formClock, r.now),
	}
}

// compacting reports whether the newest attempt is still open.
func compacting(passes []compaction.Pass) bool {
	return len(passes) > 0 && passes[len(passes)-1].Outcome == compaction.OutcomeOpen
}

func sessionMarks(f sessionFacts) []views.Chip {
	var marks []views.Chip
	if simulated(f.rec.Model) {
		marks = append(marks, views.Chip{Text: "simulated", Tone: views.ToneOutline, About: "Answered by the built-in simulated model: no provider was called"})
	}
	if f.rec.ForkedFrom != nil {
		marks = append(marks, views.Chip{
			Text: "fork of " + shortID(f.rec.ForkedFrom.SessionID), Tone: views.ToneOutline,
			About: "Copied from that session up to message " + number(f.rec.ForkedFrom.Seq),
		})
	}
	if f.rec.UnpricedCalls > 0 {
		marks = append(marks, views.Chip{
			Text: plural(f.rec.UnpricedCalls, "unpriced call", "unpriced calls"), Tone: views.ToneSand,
			About: "These calls have no known price; the spend leaves them out",
		})
	}
	return marks
}

func newActions(r reader, f sessionFacts) views.Actions {
	return views.Actions{
		ID: f.rec.ID, Show: r.who.MayOperate(f.rec.Owner), Chat: r.reads(f.rec.Owner),
		Running: f.rec.State == session.StateRunning, Closed: f.rec.State == session.StateClosed,
		CanUndo: slices.ContainsFunc(f.passes, compaction.Pass.Applied),
	}
}

// turnNumbers counts the turns of a session from 1.
func turnNumbers(turns []session.Turn) map[session.TurnID]int {
	numbers := make(map[session.TurnID]int, len(turns))
	for i, t := range turns {
		numbers[t.ID] = i + 1
	}
	return numbers
}

// maxListed bounds the rows of turns, calls and passes on the page; all of them are in the exports.
const maxListed = 200

// newestFirst takes the last n of a list and turns them round.
func newestFirst[T any](list []T, n int) []T {
	out := slices.Clone(list[max(0, len(list)-n):])
	slices.Reverse(out)
	return out
}
