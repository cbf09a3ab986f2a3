package store_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/internal/store"
)

// killed is the folder as a kill at this moment would leave it: database and write-ahead log, never closed.
func (f *fix) killed(t *testing.T) *fix {
	t.Helper()
	after := &fix{tb: t, dir: t.TempDir(), now: f.now, ids: f.ids + 1000}
	entries, err := os.ReadDir(f.dir)
	require.NoError(t, err)
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".db-shm" { // memory of the dead process
			continue
		}
		b, err := os.ReadFile(filepath.Join(f.dir, e.Name()))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(after.dir, e.Name()), b, 0o600))
	}
	after.reopen()
	t.Cleanup(func() { require.NoError(t, after.db.Close()) })
	return after
}

// A kill after each method of a session's life: what was acknowledged is there, no number is given twice, every call
// that reached the ledger counts once (spec 9).
func TestCrash_AfterEachMethod(t *testing.T) {
	f := open(t)
	id := f.turns(2)
	for _, o := range life(f, id) {
		done := f.ok(o.run(t.Context()))
		if o.name == "DeleteSession" {
			_, err := f.killed(t).Record(t.Context(), id)
			require.ErrorIs(t, err, session.ErrNotFound)
			break
		}
		after := f.killed(t)
		same(t, f.load(id), after.load(id))
		require.Equal(t, dump(t, rawDB(t, f.db.Path())), dump(t, rawDB(t, after.db.Path())), o.name)

		next := after.ok(after.AppendStream(t.Context(), id, told(after, id, "", 1)))
		if n := len(done.Stream); n > 0 {
			require.Equal(t, done.Stream[n-1].Seq+1, next.Stream[0].Seq, o.name)
			require.Equal(t, done.Events[n-1].ID+1, next.Events[0].ID, o.name)
		}
	}
}

// A second handle on the folder (a process that does not know that the first still lives) breaks nothing.
func TestCrash_TwoHandles(t *testing.T) {
	f := open(t)
	id := f.turns(1)
	other, err := store.Open(t.Context(), store.Config{Dir: f.dir})
	require.NoError(t, err)
	defer other.Close()
	f.turn(id, "0.01")
	done, err := other.Sessions().AppendStream(t.Context(), id, told(f, id, "", 1))
	require.NoError(t, err)
	require.EqualValues(t, 1, done.Stream[0].Seq)
	done = f.ok(f.AppendStream(t.Context(), id, told(f, id, "", 1)))
	require.EqualValues(t, 2, done.Stream[0].Seq)
}

// Many write at once, in one session and in many: every one succeeds, and numbers come out without holes (case D6 62).
func TestCaseD62_WritersNeverSeeALock(t *testing.T) {
	const writers, rounds = 8, 25
	f := open(t)
	shared := f.session()
	var own []session.ID
	for range writers {
		own = append(own, f.session())
	}
	var wg sync.WaitGroup
	seen := make([][]event.ID, writers)
	for w := range writers {
		wg.Go(func() {
			for range rounds {
				for _, id := range []session.ID{shared, own[w]} {
					done, err := f.AppendStream(background, id, told(f, id, "", 1))
					if err != nil {
						t.Error(err)
						return
					}
					seen[w] = append(seen[w], done.Events[0].ID)
				}
				if _, err := f.Load(background, shared); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, writers*rounds, f.record(shared).StreamHead)
	rows, err := f.Stream(t.Context(), shared, 0, 0)
	require.NoError(t, err)
	for i, r := range rows {
		require.EqualValues(t, i+1, r.Seq)
	}
	given := map[event.ID]bool{}
	for _, ids := range seen {
		for _, id := range ids {
			require.False(t, given[id])
			given[id] = true
		}
	}
	require.Len(t, given, 2*writers*rounds)
}

// One turn at a time, whoever asks: of many prompts at once one begins.
func TestBeginTurn_OneWins(t *testing.T) {
	const askers = 8
	f := open(t)
	id := f.session()
	errs := make(chan error)
	for i := range askers {
		go func() {
			_, err := f.BeginTurn(background, session.BeginTurn{
				Turn: session.Turn{ID: string(rune('a' + i)), SessionID: id}, Message: message.NewUser(message.Text{Text: "x"}), Digest: digestAt(0),
			})
			errs <- err
		}()
	}
	won := 0
	for range askers {
		if err := <-errs; err == nil {
			won++
		} else {
			require.ErrorIs(t, err, session.ErrBusy)
		}
	}
	require.Equal(t, 1, won)
}
