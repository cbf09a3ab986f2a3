package store_test

import (
	"context"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// op is one store method in the life of a session, with the tables that it writes.
type op struct {
	name   string
	tables []string
	run    func(ctx context.Context) (session.Commit, error)
}

// life is a session's life from its first prompt to its close: each writing method once, each with rows and events to
// tell. The session has four rows when it begins.
func life(f *fix, id session.ID) []op {
	const turn, pass, failed = "LT", "LP", "LF"
	user, answer := message.NewUser(message.Text{Text: "u"}), message.NewAssistant(message.Text{Text: "a"})
	toldTables := []string{"stream", "events", "sessions"}
	with := func(tables ...string) []string { return append(tables, toldTables...) }
	out := func() session.Out { return told(f, id, turn, 2) }
	open := compaction.Pass{ID: pass, SessionID: id, SpanEnd: 2, WatermarkAfter: 2, Trigger: compaction.TriggerManual}
	done := open
	done.Outcome = compaction.OutcomeCompleted
	undone := open
	undone.Outcome = compaction.OutcomeUndone
	sum := compaction.Summary{ID: pass, Span: open.Span(), Text: "s"}
	call := func(p session.Purpose, passID string) session.LedgerRow {
		row := f.call(p, "0.000000000001")
		row.SessionID, row.CompactionID = id, passID
		return row
	}
	return []op{
		{"Configure", toldTables, func(ctx context.Context) (session.Commit, error) {
			return f.Configure(ctx, session.Configure{SessionID: id, Model: "sim:free", Out: out()})
		}},
		{"BeginTurn", with("turns", "messages", "idempotency"), func(ctx context.Context) (session.Commit, error) {
			return f.BeginTurn(ctx, session.BeginTurn{
				Turn: session.Turn{ID: turn, SessionID: id, Key: "key", BodyHash: "h"}, Message: user, Digest: digestAt(4), Out: out(),
			})
		}},
		{"BeginPass", with("compactions"), func(ctx context.Context) (session.Commit, error) {
			return f.BeginPass(ctx, open, out())
		}},
		{"ApplyPass", with("ledger", "turns", "compactions", "summaries"), func(ctx context.Context) (session.Commit, error) {
			return f.ApplyPass(ctx, session.ApplyPass{
				Pass: done, Watermark: 2, Summary: &sum, Ledger: []session.LedgerRow{call(session.PurposeCompaction, pass)}, Out: out(),
			})
		}},
		{"FinishStep", with("ledger", "turns", "messages", "compactions"), func(ctx context.Context) (session.Commit, error) {
			tokens := 12
			measured := done
			measured.TokensAfterMeasured = &tokens
			return f.FinishStep(ctx, session.FinishStep{
				SessionID: id, TurnID: turn, Message: &answer, Digest: digestAt(5), Ledger: call(session.PurposeTurn, ""),
				Measured: []compaction.Pass{measured}, Out: out(),
			})
		}},
		{"AnswerTools", with("messages"), func(ctx context.Context) (session.Commit, error) {
			return f.AnswerTools(ctx, session.AnswerTools{SessionID: id, TurnID: turn, Message: user, Digest: digestAt(6), Out: out()})
		}},
		{"AppendStream", toldTables, func(ctx context.Context) (session.Commit, error) { return f.AppendStream(ctx, id, out()) }},
		{"RecordCall", with("ledger", "turns", "compactions"), func(ctx context.Context) (session.Commit, error) {
			return f.RecordCall(ctx, call(session.PurposeCompaction, pass), out())
		}},
		{"SaveCandidate", with("ledger", "turns", "compactions"), func(ctx context.Context) (session.Commit, error) {
			ready := done
			ready.Candidate = &compaction.Candidate{State: compaction.CandidateReady}
			return f.SaveCandidate(ctx, session.SaveCandidate{
				Pass: ready, Ledger: []session.LedgerRow{call(session.PurposeCompaction, pass)}, Out: out(),
			})
		}},
		{"Swap", with("compactions", "summaries"), func(ctx context.Context) (session.Commit, error) {
			better := sum
			better.Text, better.Hash, better.Kind = "better", "h2", compaction.KindSemantic
			return f.Swap(ctx, session.Swap{Pass: done, Summary: better, Expect: 1, Version: 2, Out: out()})
		}},
		{"FailPass", with("ledger", "turns", "compactions"), func(ctx context.Context) (session.Commit, error) {
			return f.FailPass(ctx, session.FailPass{
				Pass: compaction.Pass{ID: failed, SessionID: id, Outcome: compaction.OutcomeFailed}, Begin: true,
				Ledger: []session.LedgerRow{call(session.PurposeCompaction, failed)}, Out: out(),
			})
		}},
		{"FinishTurn", with("turns", "messages"), func(ctx context.Context) (session.Commit, error) {
			return f.FinishTurn(ctx, session.FinishTurn{
				Turn: session.Turn{ID: turn, SessionID: id, State: session.TurnCompleted}, Out: out(),
				Closing: []message.Message{message.Filler(message.FillerNoAnswer)}, Digests: []compaction.Digest{{}},
			})
		}},
		{"UndoPass", with("compactions", "summaries"), func(ctx context.Context) (session.Commit, error) {
			return f.UndoPass(ctx, session.UndoPass{Pass: undone, Expect: 2, Out: out()})
		}},
		{"CloseSession", toldTables, func(ctx context.Context) (session.Commit, error) { return f.CloseSession(ctx, id, out()) }},
		{"ReopenSession", []string{"sessions"}, func(ctx context.Context) (session.Commit, error) {
			return session.Commit{}, f.ReopenSession(ctx, id)
		}},
		{"DeleteSession", []string{"tombstones", "sessions", "messages", "stream", "turns", "events"}, func(ctx context.Context) (session.Commit, error) {
			return f.DeleteSession(ctx, id, out())
		}},
	}
}
