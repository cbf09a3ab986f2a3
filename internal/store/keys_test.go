package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/auth"
	"tidemark/internal/store"
)

func testKey(n int) auth.Key {
	return auth.Key{
		ID: fmt.Sprintf("K%d", n), Name: "ann", Role: auth.RoleClient, Hash: auth.Hash(fmt.Sprint(n)), Hint: "tmk_ab…",
		CreatedAt: start,
	}
}

func TestKeys_CreateListRevoke(t *testing.T) {
	f := open(t)
	keys := f.db.Keys()
	for _, n := range []int{3, 1, 2} {
		require.NoError(t, keys.CreateKey(t.Context(), testKey(n)))
	}
	require.Error(t, keys.CreateKey(t.Context(), testKey(1)))
	list, err := keys.Keys(t.Context())
	require.NoError(t, err)
	same(t, []auth.Key{testKey(3), testKey(1), testKey(2)}, list)

	login := auth.Login{Hash: "h", Owner: "ann", Role: auth.RoleClient, KeyID: "K1", CreatedAt: start, ExpiresAt: start.Add(time.Hour)}
	require.NoError(t, keys.CreateLogin(t.Context(), login))
	revoked, err := keys.RevokeKey(t.Context(), "K1", start.Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, start.Add(time.Minute), *revoked.RevokedAt)
	again, err := keys.RevokeKey(t.Context(), "K1", start.Add(time.Hour))
	require.NoError(t, err)
	same(t, revoked, again)
	_, err = keys.LoginByHash(t.Context(), "h")
	require.ErrorIs(t, err, auth.ErrNotFound, "a key takes its logins along")
	_, err = keys.RevokeKey(t.Context(), "none", start)
	require.ErrorIs(t, err, auth.ErrNotFound)
	_, err = keys.Key(t.Context(), "none")
	require.ErrorIs(t, err, auth.ErrNotFound)
	_, err = keys.KeyByHash(t.Context(), "none")
	require.ErrorIs(t, err, auth.ErrNotFound)
}

func TestKeys_Logins(t *testing.T) {
	f := open(t)
	keys := f.db.Keys()
	ever, err := keys.EverSignedIn(t.Context())
	require.NoError(t, err)
	require.False(t, ever)
	old := auth.Login{Hash: "old", Owner: "ann", Role: auth.RoleAdmin, CreatedAt: start, ExpiresAt: start.Add(time.Hour)}
	require.NoError(t, keys.CreateLogin(t.Context(), old))
	fresh := auth.Login{Hash: "fresh", Owner: "ann", Role: auth.RoleAdmin, CreatedAt: old.ExpiresAt, ExpiresAt: start.Add(2 * time.Hour)}
	require.NoError(t, keys.CreateLogin(t.Context(), fresh))
	_, err = keys.LoginByHash(t.Context(), "old")
	require.ErrorIs(t, err, auth.ErrNotFound, "expired ones go when another comes")
	require.NoError(t, keys.DeleteLogin(t.Context(), "fresh"))
	require.NoError(t, keys.DeleteLogin(t.Context(), "fresh"))
	f.restart()
	ever, err = f.db.Keys().EverSignedIn(t.Context())
	require.NoError(t, err)
	require.True(t, ever, "deleted ones count")
}

func TestAudit_NewestFirst(t *testing.T) {
	f := open(t)
	for i := range 3 {
		require.NoError(t, f.db.Audit(t.Context(), store.AuditEntry{Actor: "ann", Action: "session.undo", Target: fmt.Sprint(i)}))
	}
	first, next, err := f.db.AuditLog(t.Context(), "", 2)
	require.NoError(t, err)
	require.Equal(t, []string{"2", "1"}, []string{first[0].Target, first[1].Target})
	require.Equal(t, f.now, first[0].At)
	rest, next, err := f.db.AuditLog(t.Context(), next, 2)
	require.NoError(t, err)
	require.Empty(t, next)
	require.Equal(t, "0", rest[0].Target)
}
