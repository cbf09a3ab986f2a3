package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// dump is every row of every table, so that two states can be compared.
func dump(t tb, raw *sql.DB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, table := range tables(t, raw) {
		rows, err := raw.Query("SELECT * FROM " + table)
		require.NoError(t, err)
		cols, err := rows.Columns()
		require.NoError(t, err)
		for rows.Next() {
			vals := make([]any, len(cols))
			for i := range vals {
				vals[i] = new(any)
			}
			require.NoError(t, rows.Scan(vals...))
			var sb strings.Builder
			for i, v := range vals {
				fmt.Fprintf(&sb, "%s=%v ", cols[i], *v.(*any))
			}
			out[table] = append(out[table], sb.String())
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
	}
	return out
}

func tables(t tb, raw *sql.DB) (out []string) {
	t.Helper()
	rows, err := raw.Query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		out = append(out, name)
	}
	require.NoError(t, rows.Err())
	return out
}

// Whatever statement of whatever method fails, nothing of it stays: transcript, view, totals and numbers are as they
// were, and the same call succeeds afterwards.
func TestCaseB81_NothingIsHalfWritten(t *testing.T) {
	f := open(t)
	id := f.session()
	f.turn(id, "0.01")
	f.turn(id, "0.02")
	raw := rawDB(t, f.db.Path())
	for _, o := range life(f, id) {
		for _, table := range o.tables {
			for _, verb := range []string{"INSERT", "UPDATE", "DELETE"} {
				before := dump(t, raw)
				_, err := raw.Exec(fmt.Sprintf("CREATE TRIGGER fault BEFORE %s ON %s BEGIN SELECT RAISE(ABORT, 'fault'); END", verb, table))
				require.NoError(t, err)
				gone, cancel := context.WithCancel(t.Context())
				commit, err := o.run(gone)
				cancel()
				_, drop := raw.Exec("DROP TRIGGER fault")
				require.NoError(t, drop)
				if err == nil {
					t.Logf("%s does not %s %s", o.name, verb, table)
					goto next
				}
				require.ErrorContains(t, err, "fault", o.name)
				require.Equal(t, session.Commit{}, commit, o.name)
				require.Equal(t, before, dump(t, raw), "%s with %s on %s refused", o.name, verb, table)
			}
		}
	next:
	}
}

// A cancelled caller leaves nothing behind either.
func TestWrite_CancelledContext(t *testing.T) {
	f := open(t)
	id := f.session()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.BeginTurn(ctx, session.BeginTurn{Turn: session.Turn{ID: "T", SessionID: id}, Message: message.NewUser(message.Text{Text: "x"})})
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, session.ErrStorage)
	f.turn(id, "0.01")
	require.EqualValues(t, 2, f.record(id).NextSeq)
}

// A deleted session does not come back by a late write (case D5 42).
func TestCaseD42_WritesToADeletedSession(t *testing.T) {
	f := open(t)
	id := f.session()
	f.turn(id, "0.01")
	f.turn(id, "0.02")
	ops := life(f, id)
	f.ok(f.DeleteSession(t.Context(), id, told(f, id, "", 1)))
	before := dump(t, rawDB(t, f.db.Path()))
	for _, o := range ops {
		_, err := o.run(t.Context())
		require.ErrorIs(t, err, session.ErrNotFound, o.name)
	}
	_, err := f.CreateSession(t.Context(), session.Record{ID: id}, session.Out{})
	require.ErrorContains(t, err, "used before")
	require.Equal(t, before, dump(t, rawDB(t, f.db.Path())))
}

// Side tables go with their session (case D6 61): every table that names a session is looked at, a new one too.
func TestCaseD61_DeleteLeavesNothingButSpend(t *testing.T) {
	f := open(t)
	id, other := f.session(), f.session()
	f.turn(id, "0.01")
	f.turn(id, "0.01")
	for _, o := range life(f, id) {
		if o.name != "DeleteSession" && o.name != "UndoPass" {
			f.ok(o.run(t.Context()))
		}
	}
	raw := rawDB(t, f.db.Path())
	spent := scalar[int64](t, raw, "SELECT SUM(cost_pico) FROM ledger WHERE session_id = ?", id)
	rest := len(dump(t, raw)["sessions"])
	f.ok(f.DeleteSession(t.Context(), id, session.Out{}))
	for _, table := range tables(t, raw) {
		if scalar[int](t, raw, "SELECT COUNT(*) FROM pragma_table_info(?) WHERE name = 'session_id'", table) == 0 {
			continue
		}
		n := scalar[int](t, raw, "SELECT COUNT(*) FROM "+table+" WHERE session_id = ?", id)
		if table == "ledger" || table == "tombstones" {
			require.NotZero(t, n, table)
		} else {
			require.Zero(t, n, table)
		}
	}
	require.Equal(t, spent, scalar[int64](t, raw, "SELECT SUM(cost_pico) FROM ledger WHERE session_id = ?", id))
	require.Len(t, dump(t, raw)["sessions"], rest-1)
	f.turn(other, "0.01")
}

// An attempt whose end was never written blocks nothing: it is found, closed, and the next one begins.
func TestCaseB84_DanglingAttempt(t *testing.T) {
	f := open(t)
	id := f.session()
	f.turn(id, "0.01")
	f.ok(f.BeginPass(t.Context(), compaction.Pass{ID: "P1", SessionID: id, SpanEnd: 2}, session.Out{}))
	f.restart()
	snap, err := f.Load(t.Context(), id)
	require.NoError(t, err)
	require.Len(t, snap.OpenPass, 1)
	p := snap.OpenPass[0]
	p.Outcome, p.ErrorClass = compaction.OutcomeFailed, "other"
	f.ok(f.FailPass(t.Context(), session.FailPass{Pass: p}))
	_, err = f.FailPass(t.Context(), session.FailPass{Pass: p})
	require.ErrorIs(t, err, session.ErrStale, "an attempt ends once")
	f.pass(id, 2)
	ids, err := f.Unfinished(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids)
}
