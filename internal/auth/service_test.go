package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/auth"
	"tidemark/internal/auth/authtest"
)

// clock is a hand-moved clock.
type clock struct{ t time.Time }

func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

func newService(t *testing.T, cfg auth.Config) (*auth.Service, *authtest.Store, *clock) {
	t.Helper()
	c := &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	cfg.Now = c.now
	store := &authtest.Store{}
	return auth.NewService(store, cfg), store, c
}

func TestService_KeyIsShownOnceAndStoredHashed(t *testing.T) {
	s, store, _ := newService(t, auth.Config{})
	k, secret, err := s.CreateKey(t.Context(), "ada", auth.RoleClient, 0)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(secret, auth.KeyPrefix))
	require.GreaterOrEqual(t, len(secret), 43, "256 bits")

	stored, err := store.Key(t.Context(), k.ID)
	require.NoError(t, err)
	require.Equal(t, auth.Hash(secret), stored.Hash)
	shown, err := json.Marshal(stored)
	require.NoError(t, err)
	require.NotContains(t, string(shown), secret)
	require.NotContains(t, string(shown), stored.Hash)

	p, err := s.Authenticate(t.Context(), secret)
	require.NoError(t, err)
	require.Equal(t, auth.Principal{Owner: "ada", Role: auth.RoleClient, KeyID: k.ID}, p)
}

func TestService_AuthenticateRefuses(t *testing.T) {
	s, _, c := newService(t, auth.Config{AdminKey: "the-admin-key"})
	_, short, err := s.CreateKey(t.Context(), "a", auth.RoleClient, time.Minute)
	require.NoError(t, err)
	gone, revoked, err := s.CreateKey(t.Context(), "a", auth.RoleClient, 0)
	require.NoError(t, err)
	_, err = s.RevokeKey(t.Context(), gone.ID)
	require.NoError(t, err)
	c.advance(time.Minute)
	for name, secret := range map[string]string{
		"nothing": "", "unknown": "tmk_nope", "expired": short, "revoked": revoked,
		"nearly the admin key": "the-admin-key ", "hash of the admin key": auth.Hash("the-admin-key"),
	} {
		_, err := s.Authenticate(t.Context(), secret)
		require.ErrorIs(t, err, auth.ErrUnauthenticated, name)
	}
}

func TestService_AdminKey(t *testing.T) {
	s, _, _ := newService(t, auth.Config{AdminKey: "the-admin-key"})
	p, err := s.Authenticate(t.Context(), "the-admin-key")
	require.NoError(t, err)
	require.Equal(t, "admin", p.Owner)
	require.Equal(t, auth.RoleAdmin, p.Role)

	both, _, _ := newService(t, auth.Config{AdminKey: "the-admin-key", LocalKey: "of-this-run"})
	for _, secret := range []string{"the-admin-key", "of-this-run"} {
		p, err := both.Authenticate(t.Context(), secret)
		require.NoError(t, err)
		require.Equal(t, auth.RoleAdmin, p.Role)
		require.NoError(t, both.Recheck(t.Context(), p))
	}

	none, _, _ := newService(t, auth.Config{})
	_, err = none.Authenticate(t.Context(), "")
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
}

func TestService_CreateKeyRefuses(t *testing.T) {
	s, store, _ := newService(t, auth.Config{})
	for _, tc := range []struct {
		name  string
		role  auth.Role
		ttl   time.Duration
		param string
	}{
		{"", auth.RoleClient, 0, "name"},
		{"../up", auth.RoleClient, 0, "name"},
		{"a/b", auth.RoleClient, 0, "name"},
		{"esc\x1b[31m", auth.RoleClient, 0, "name"},
		{strings.Repeat("a", 65), auth.RoleClient, 0, "name"},
		{"ada", "root", 0, "role"},
		{"ada", auth.RoleClient, -time.Second, "expires"},
	} {
		_, secret, err := s.CreateKey(t.Context(), tc.name, tc.role, tc.ttl)
		var pe *auth.ParamError
		require.ErrorAs(t, err, &pe, tc.name)
		require.Equal(t, tc.param, pe.Param)
		require.Empty(t, secret)
	}
	keys, err := store.Keys(t.Context())
	require.NoError(t, err)
	require.Empty(t, keys)
}

func TestService_RotationKeepsTheOwner(t *testing.T) {
	s, _, _ := newService(t, auth.Config{})
	old, _, err := s.CreateKey(t.Context(), "ada", auth.RoleClient, 0)
	require.NoError(t, err)
	_, secret, err := s.CreateKey(t.Context(), "ada", auth.RoleClient, 0)
	require.NoError(t, err)
	_, err = s.RevokeKey(t.Context(), old.ID)
	require.NoError(t, err)
	p, err := s.Authenticate(t.Context(), secret)
	require.NoError(t, err)
	require.Equal(t, "ada", p.Owner)
}

func TestService_RevokeUnknown(t *testing.T) {
	s, _, _ := newService(t, auth.Config{})
	_, err := s.RevokeKey(t.Context(), "nope")
	require.ErrorIs(t, err, auth.ErrNotFound)
}

// brokenStore is a database that cannot be read: not a reason to call a credential wrong.
type brokenStore struct{ authtest.Store }

var errDisk = errors.New("disk on fire")

func (*brokenStore) KeyByHash(context.Context, string) (auth.Key, error) { return auth.Key{}, errDisk }

func TestService_BrokenStoreIsNotARefusal(t *testing.T) {
	s := auth.NewService(&brokenStore{}, auth.Config{})
	_, err := s.Authenticate(t.Context(), "tmk_x")
	require.ErrorIs(t, err, errDisk)
	require.NotErrorIs(t, err, auth.ErrUnauthenticated)
}
