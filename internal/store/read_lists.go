package store

import (
	"context"
	"strconv"

	"gorm.io/gorm"

	"tidemark/internal/compaction"
	"tidemark/internal/session"
)

// Kinds of cursors.
const (
	listSessions = "s"
	listTurns    = "t"
	listPasses   = "c"
	listLedger   = "l"
)

// Record implements session.Reader.
func (s *Sessions) Record(ctx context.Context, id session.ID) (session.Record, error) {
	r, err := s.db.record(s.db.reader.WithContext(ctx), id)
	return r, s.db.fail("session "+id, err)
}

// List implements session.Reader, newest first. System prompt and tools are left out: they can be large, and lists do
// not show them.
func (s *Sessions) List(ctx context.Context, f session.ListFilter) (session.Page[session.Record], error) {
	var none session.Page[session.Record]
	before, err := place(listSessions, f.Cursor)
	if err != nil {
		return none, err
	}
	limit := clamp(f.Limit)
	q := filterSessions(s.db.reader.WithContext(ctx), f, before)
	var rows []sessionRow
	if err := q.Omit("system", "tools").Order("id DESC").Limit(limit + 1).Find(&rows).Error; err != nil {
		return none, s.db.fail("list sessions", err)
	}
	rows, next := page(rows, limit, func(r sessionRow) string { return cursor(listSessions, r.H.ID) })
	items, err := mapRows(rows, func(r sessionRow) (session.Record, error) { return r.toRecord(s.db.epoch) })
	return session.Page[session.Record]{Items: items, Next: next}, s.db.fail("list sessions", err)
}

func filterSessions(q *gorm.DB, f session.ListFilter, before string) *gorm.DB {
	for _, c := range []struct{ column, value string }{
		{"owner", f.Owner}, {"cwd", f.CWD}, {"parent_id", f.ParentID}, {"state", string(f.State)},
	} {
		if c.value != "" {
			q = q.Where(c.column+" = ?", c.value)
		}
	}
	if before != "" {
		q = q.Where("id < ?", before)
	}
	return q
}

// listing is a list of a session's rows in the order of one number.
type listing[R, T any] struct {
	kind, column string
	before       int64 // in front of the first row
	number       func(R) int64
	to           func(R) (T, error)
}

var (
	turnsList = listing[turnRow, session.Turn]{
		listTurns, "open_seq", -1, func(r turnRow) int64 { return r.OpenSeq },
		func(r turnRow) (session.Turn, error) { return r.toTurn(), nil },
	}
	passesList = listing[passRow, compaction.Pass]{
		listPasses, "n", 0, func(r passRow) int64 { return r.N }, passRow.toPass,
	}
	ledgerList = listing[ledgerRow, session.LedgerRow]{
		listLedger, "n", 0, func(r ledgerRow) int64 { return r.N },
		func(r ledgerRow) (session.LedgerRow, error) { return r.toLedger(), nil },
	}
)

// read gets one page, oldest first.
func (l listing[R, T]) read(ctx context.Context, s *Sessions, id session.ID, cur string, limit int) (session.Page[T], error) {
	var none session.Page[T]
	after, err := placeNumber(l.kind, cur, l.before)
	if err != nil {
		return none, err
	}
	limit = clamp(limit)
	var rows []R
	err = s.db.reader.WithContext(ctx).Where("session_id = ? AND "+l.column+" > ?", id, after).
		Order(l.column).Limit(limit + 1).Find(&rows).Error
	if err == nil && len(rows) == 0 {
		err = s.exists(ctx, id)
	}
	if err != nil {
		return none, err
	}
	rows, next := page(rows, limit, func(r R) string { return cursor(l.kind, strconv.FormatInt(l.number(r), 10)) })
	items, err := mapRows(rows, l.to)
	return session.Page[T]{Items: items, Next: next}, err
}

// Turns implements session.Reader, oldest first.
func (s *Sessions) Turns(ctx context.Context, id session.ID, cursor string, limit int) (session.Page[session.Turn], error) {
	p, err := turnsList.read(ctx, s, id, cursor, limit)
	return p, s.db.fail("turns of session "+id, err)
}

// Passes implements session.Reader, oldest first.
func (s *Sessions) Passes(ctx context.Context, id session.ID, cursor string, limit int) (session.Page[compaction.Pass], error) {
	p, err := passesList.read(ctx, s, id, cursor, limit)
	return p, s.db.fail("compactions of session "+id, err)
}

// Ledger implements session.Reader, oldest first. The rows of a deleted session are still there.
func (s *Sessions) Ledger(ctx context.Context, id session.ID, cursor string, limit int) (session.Page[session.LedgerRow], error) {
	p, err := ledgerList.read(ctx, s, id, cursor, limit)
	return p, s.db.fail("ledger of session "+id, err)
}

// Pass implements session.Reader.
func (s *Sessions) Pass(ctx context.Context, id session.ID, passID string) (compaction.Pass, error) {
	var row passRow
	err := first(s.db.reader.WithContext(ctx), &row, "id = ? AND session_id = ?", passID, id)
	if err != nil {
		return compaction.Pass{}, s.db.fail("compaction "+passID, err)
	}
	p, err := row.toPass()
	return p, s.db.fail("compaction "+passID, err)
}

// PassRecord implements session.Store.
func (s *Sessions) PassRecord(ctx context.Context, id session.ID, passID string) (compaction.Pass, error) {
	return s.Pass(ctx, id, passID)
}

// Summary implements session.Reader.
func (s *Sessions) Summary(ctx context.Context, id session.ID, passID string) (compaction.Summary, error) {
	var row summaryRow
	err := first(s.db.reader.WithContext(ctx), &row, "id = ? AND session_id = ?", passID, id)
	if err != nil {
		return compaction.Summary{}, s.db.fail("summary "+passID, err)
	}
	sum, err := row.toSummary()
	return sum, s.db.fail("summary "+passID, err)
}

// RunningTurn implements session.Reader; nil when none runs.
func (s *Sessions) RunningTurn(ctx context.Context, id session.ID) (*session.Turn, error) {
	t, err := oneTurn(s.db.reader.WithContext(ctx).Where("session_id = ? AND state = 'running'", id))
	return t, s.db.fail("running turn of session "+id, err)
}
