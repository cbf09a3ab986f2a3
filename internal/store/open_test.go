package store_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tidemark/internal/session"
	"tidemark/internal/store"
)

// TestMain keeps the property check short: each of its steps is a durable transaction. -rapid.checks asks for more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

func TestOpen_CreatesFolderAndPrivateFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?#%", "data")
	db, err := store.Open(t.Context(), store.Config{Dir: dir})
	require.NoError(t, err)
	defer db.Close()
	require.Equal(t, filepath.Join(dir, store.FileName), db.Path())
	seen := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		seen++
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 4, seen, "folder, database, write-ahead log, its index")
}

func TestOpen_TakesAFileFromTheEyesOfOthers(t *testing.T) {
	f := open(t)
	require.NoError(t, os.Chmod(f.db.Path(), 0o644))
	f.restart()
	info, err := os.Stat(f.db.Path())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// The epoch is the generation of the logs: a restart does not change it, another database has its own.
func TestOpen_EpochStays(t *testing.T) {
	f, other := open(t), open(t)
	epoch := f.db.Epoch()
	require.NotEmpty(t, epoch)
	require.NotEqual(t, epoch, other.db.Epoch())
	f.restart()
	require.Equal(t, epoch, f.db.Epoch())
}

// Each refusal is one line that names the file and the mend, and leaves the file as it was.
func TestOpen_Refuses(t *testing.T) {
	for name, c := range map[string]struct {
		want  error
		spoil func(t *testing.T, path string)
	}{
		"text": {store.ErrNotOurs, func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("words "), 500), 0o600))
		}},
		"another program's database": {store.ErrNotOurs, func(t *testing.T, path string) {
			_, err := rawDB(t, path).Exec("CREATE TABLE theirs (a)")
			require.NoError(t, err)
		}},
		"another application id": {store.ErrNotOurs, func(t *testing.T, path string) {
			_, err := rawDB(t, path).Exec("PRAGMA application_id = 7")
			require.NoError(t, err)
		}},
		"newer schema": {store.ErrNewerSchema, func(t *testing.T, path string) {
			ours(t, path)
			_, err := rawDB(t, path).Exec("PRAGMA user_version = 99")
			require.NoError(t, err)
		}},
		"unknown migration": {store.ErrNewerSchema, func(t *testing.T, path string) {
			ours(t, path)
			_, err := rawDB(t, path).Exec("INSERT INTO migrations (id) VALUES ('9999')")
			require.NoError(t, err)
		}},
		"damaged": {store.ErrDamaged, func(t *testing.T, path string) {
			ours(t, path)
			b := fileBytes(path)
			copy(b[100:], bytes.Repeat([]byte{0xff}, 2000))
			require.NoError(t, os.WriteFile(path, b, 0o600))
		}},
		"a folder": {store.ErrMissing, func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }},
		"below a file": {store.ErrMissing, func(t *testing.T, path string) {
			require.NoError(t, os.Remove(filepath.Dir(path)))
			require.NoError(t, os.WriteFile(filepath.Dir(path), nil, 0o600))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			require.NoError(t, os.Mkdir(dir, 0o700))
			path := filepath.Join(dir, store.FileName)
			c.spoil(t, path)
			before := fileBytes(path)
			_, err := store.Open(t.Context(), store.Config{Dir: dir})
			require.ErrorIs(t, err, c.want)
			require.ErrorIs(t, err, session.ErrStorage)
			require.Contains(t, err.Error(), path)
			require.NotContains(t, err.Error(), "\n")
			require.Equal(t, before, fileBytes(path))
		})
	}
}

// ours makes a database of this program, closed.
func ours(t *testing.T, path string) {
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Dir(path)})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func TestOpen_LockedByAnotherProcess(t *testing.T) {
	f := open(t)
	raw := rawDB(t, f.db.Path())
	_, err := raw.Exec("BEGIN IMMEDIATE")
	require.NoError(t, err)
	_, err = store.Open(t.Context(), store.Config{Dir: f.dir, BusyTimeout: time.Millisecond})
	require.ErrorIs(t, err, store.ErrLocked)
	require.ErrorIs(t, err, session.ErrStorage)
	require.True(t, strings.HasPrefix(err.Error(), f.db.Path()+": "), err)
	_, err = raw.Exec("ROLLBACK")
	require.NoError(t, err)
}

func TestOpen_ReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o500))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	_, err := store.Open(t.Context(), store.Config{Dir: dir})
	require.ErrorIs(t, err, store.ErrReadOnly)
}

// A look at a data folder creates nothing.
func TestOpen_Existing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	_, err := store.Open(t.Context(), store.Config{Dir: dir, Existing: true})
	require.ErrorIs(t, err, store.ErrNoDatabase)
	require.NoDirExists(t, dir)
	require.NoError(t, os.Mkdir(dir, 0o700))
	ours(t, filepath.Join(dir, store.FileName))
	db, err := store.Open(t.Context(), store.Config{Dir: dir, Existing: true})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// A file that was taken away gets no more acknowledged rows; what was read before can still be read.
func TestWrite_FileRemovedUnderneath(t *testing.T) {
	f := open(t)
	id := f.turns(1)
	aside := filepath.Join(f.dir, "aside")
	require.NoError(t, os.Rename(f.db.Path(), aside))
	_, err := f.AppendStream(t.Context(), id, told(f, id, "", 1))
	require.ErrorIs(t, err, store.ErrGone)
	require.ErrorIs(t, err, session.ErrStorage)
	require.Contains(t, err.Error(), f.db.Path())
	require.Len(t, f.load(id).Rows, 2)
	require.NoError(t, os.Rename(aside, f.db.Path()))
	f.ok(f.AppendStream(t.Context(), id, told(f, id, "", 1)))
}

// Two processes may start on a fresh folder at once: one creates, the other finds.
func TestOpen_TwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	results := make(chan error)
	for range 4 {
		go func() {
			db, err := store.Open(background, store.Config{Dir: dir})
			if err == nil {
				err = db.Close()
			}
			results <- err
		}()
	}
	var errs []error
	for range 4 {
		errs = append(errs, <-results)
	}
	require.NoError(t, errors.Join(errs...))
}

// The table of requirements B6.5 has exactly its eleven columns.
func TestSchema_BatchHandlesToTheLetter(t *testing.T) {
	raw := rawDB(t, open(t).db.Path())
	require.Equal(t, "custom_id*,batch_id,provider,submitted_at_ms,subject_kind,subject_id,session_id,turn_id,judge_model,status,ingested_at_ms",
		scalar[string](t, raw, "SELECT group_concat(name || CASE pk WHEN 1 THEN '*' ELSE '' END) FROM pragma_table_info('evaluator_batch_handles')"))
	require.Equal(t, "status", scalar[string](t, raw, "SELECT name FROM pragma_index_info('idx_evaluator_batch_handles_status')"))
}

// Every foreign key has an index to follow it by, or deleting one session would walk through all of them.
func TestSchema_ForeignKeysAreIndexed(t *testing.T) {
	raw := rawDB(t, open(t).db.Path())
	for _, table := range tables(t, raw) {
		n := scalar[int](t, raw, `SELECT COUNT(*) FROM pragma_foreign_key_list(?1) k WHERE NOT EXISTS (
			SELECT 1 FROM pragma_index_list(?1) i, pragma_index_info(i.name) c
			WHERE c.seqno = 0 AND c.name = k."from" AND i.partial = 0)`, table)
		require.Zero(t, n, table)
	}
}
