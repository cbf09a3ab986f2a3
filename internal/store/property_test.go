package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// machine does to a session whatever comes, and knows what must be there afterwards.
type machine struct {
	*fix
	id      session.ID
	turn    session.TurnID
	texts   []string // the transcript, as it was written
	stream  []string // payloads told
	applied []compaction.Pass
	version int64
	lastID  event.ID
}

// TestProperty_AnySequenceKeepsTheInvariants: numbers without holes, totals equal to the sums of the rows, versions
// compared, and a transcript that nobody rewrites (cases B81, B90, B91, D6 54).
func TestProperty_AnySequenceKeepsTheInvariants(t *testing.T) {
	f := open(t)
	raw := rawDB(t, f.db.Path())
	for _, verb := range []string{"UPDATE", "DELETE"} {
		_, err := raw.Exec("CREATE TRIGGER append_only_" + verb + " BEFORE " + verb +
			" ON messages BEGIN SELECT RAISE(ABORT, 'the transcript is append-only'); END")
		require.NoError(t, err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		on := *f
		on.tb = rt
		m := &machine{fix: &on, id: on.session()}
		rt.Repeat(map[string]func(*rapid.T){
			"begin": m.begins, "step": m.steps, "answer": m.answers, "end": m.ends, "told": m.tells, "call": m.calls,
			"pass": m.passes, "fail": m.fails, "stale": m.stale, "undo": m.undoes, "swap": m.swaps, "": m.check,
		})
		f.ids = on.ids
	})
}

func (m *machine) out(rt *rapid.T) session.Out {
	out := told(m.fix, m.id, m.turn, rapid.IntRange(0, 3).Draw(rt, "rows"))
	for _, r := range out.Stream {
		m.stream = append(m.stream, string(r.Payload))
	}
	return out
}

// wrote checks the numbers of a commit against those before it.
func (m *machine) wrote(c session.Commit) {
	for i, r := range c.Stream {
		require.EqualValues(m, len(m.stream)-len(c.Stream)+i+1, r.Seq)
	}
	for _, e := range c.Events {
		require.Greater(m, e.ID, m.lastID)
		m.lastID = e.ID
	}
	for _, row := range c.Messages {
		require.EqualValues(m, len(m.texts), row.Seq)
		m.texts = append(m.texts, row.PlainText())
	}
}

func (m *machine) text() message.Block { return message.Text{Text: m.fix.id("text")} }

func (m *machine) digest() compaction.Digest { return digestAt(message.Seq(len(m.texts))) }

func (m *machine) price(rt *rapid.T) session.LedgerRow {
	cost := ""
	if rapid.IntRange(0, 9).Draw(rt, "priced") > 0 {
		cost = fmt.Sprintf("%d.%012d", rapid.IntRange(0, 2).Draw(rt, "usd"), rapid.IntRange(0, 999_999_999_999).Draw(rt, "pico"))
	}
	purpose := rapid.SampledFrom([]session.Purpose{session.PurposeTurn, session.PurposeCompaction, session.PurposeEval}).Draw(rt, "purpose")
	row := m.call(purpose, cost)
	row.SessionID, row.Estimated = m.id, rapid.Bool().Draw(rt, "estimated")
	return row
}

func (m *machine) begins(rt *rapid.T) {
	turn := m.fix.id("T")
	b := session.BeginTurn{
		Turn:    session.Turn{ID: turn, SessionID: m.id, Key: turn, BodyHash: turn},
		Message: message.NewUser(m.text()), Digest: m.digest(),
	}
	if m.turn != "" {
		_, err := m.BeginTurn(rt.Context(), b)
		require.ErrorIs(m, err, session.ErrBusy)
		return
	}
	m.turn = turn
	b.Out = m.out(rt)
	m.wrote(m.ok(m.BeginTurn(rt.Context(), b)))
}

func (m *machine) steps(rt *rapid.T) {
	if m.turn == "" {
		return
	}
	f := session.FinishStep{SessionID: m.id, TurnID: m.turn, Ledger: m.price(rt)}
	if rapid.Bool().Draw(rt, "answer") {
		answer := message.NewAssistant(m.text())
		f.Message, f.Digest = &answer, m.digest()
	}
	f.Out = m.out(rt)
	m.wrote(m.ok(m.FinishStep(rt.Context(), f)))
}

func (m *machine) answers(rt *rapid.T) {
	if m.turn != "" {
		m.wrote(m.ok(m.AnswerTools(rt.Context(), session.AnswerTools{
			SessionID: m.id, TurnID: m.turn, Message: message.NewUser(m.text()), Digest: m.digest(), Out: m.out(rt),
		})))
	}
}

func (m *machine) ends(rt *rapid.T) {
	if m.turn == "" {
		return
	}
	f := session.FinishTurn{Turn: session.Turn{ID: m.turn, SessionID: m.id, State: session.TurnCancelled}, Out: m.out(rt)}
	if rapid.Bool().Draw(rt, "filler") {
		f.Closing, f.Digests = []message.Message{message.Filler(message.FillerInterrupted)}, []compaction.Digest{{}}
	}
	m.wrote(m.ok(m.FinishTurn(rt.Context(), f)))
	m.turn = ""
}

func (m *machine) tells(rt *rapid.T) {
	m.wrote(m.ok(m.AppendStream(rt.Context(), m.id, m.out(rt))))
}

func (m *machine) calls(rt *rapid.T) {
	m.wrote(m.ok(m.RecordCall(rt.Context(), m.price(rt), m.out(rt))))
}
