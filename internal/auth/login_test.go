package auth_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/auth"
)

func TestSignInTicket_OnceAndInTime(t *testing.T) {
	s, _, c := newService(t, auth.Config{})
	ever, err := s.EverSignedIn(t.Context())
	require.NoError(t, err)
	require.False(t, ever)

	ticket, err := s.SignInTicket()
	require.NoError(t, err)
	c.advance(auth.DefaultSignInTTL - time.Second)
	cookie, p, err := s.RedeemSignIn(t.Context(), ticket)
	require.NoError(t, err)
	require.Equal(t, "admin", p.Owner)
	require.Equal(t, auth.RoleAdmin, p.Role)
	_, _, err = s.RedeemSignIn(t.Context(), ticket)
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "spent")

	got, err := s.AuthenticateLogin(t.Context(), cookie)
	require.NoError(t, err)
	require.Equal(t, p, got)
	ever, err = s.EverSignedIn(t.Context())
	require.NoError(t, err)
	require.True(t, ever)

	late, err := s.SignInTicket()
	require.NoError(t, err)
	c.advance(auth.DefaultSignInTTL)
	_, _, err = s.RedeemSignIn(t.Context(), late)
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "expired")
}

func TestLogin_KeyGivesOwnerAndRole(t *testing.T) {
	s, _, c := newService(t, auth.Config{})
	_, secret, err := s.CreateKey(t.Context(), "ada", auth.RoleOperator, 0)
	require.NoError(t, err)
	cookie, p, err := s.Login(t.Context(), secret)
	require.NoError(t, err)
	require.Equal(t, "ada", p.Owner)
	require.Equal(t, auth.RoleOperator, p.Role)
	require.NotContains(t, cookie, secret)

	c.advance(auth.DefaultLoginTTL)
	_, err = s.AuthenticateLogin(t.Context(), cookie)
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
}

func TestLogin_Ends(t *testing.T) {
	for name, end := range map[string]func(*auth.Service, string, auth.Principal) error{
		"logout": func(s *auth.Service, cookie string, _ auth.Principal) error { return s.Logout(t.Context(), cookie) },
		"revocation": func(s *auth.Service, _ string, p auth.Principal) error {
			_, err := s.RevokeKey(t.Context(), p.KeyID)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := newService(t, auth.Config{})
			_, secret, err := s.CreateKey(t.Context(), "ada", auth.RoleClient, 0)
			require.NoError(t, err)
			cookie, p, err := s.Login(t.Context(), secret)
			require.NoError(t, err)
			require.NoError(t, s.Recheck(t.Context(), p))
			require.NoError(t, end(s, cookie, p))
			_, err = s.AuthenticateLogin(t.Context(), cookie)
			require.ErrorIs(t, err, auth.ErrUnauthenticated)
			require.ErrorIs(t, s.Recheck(t.Context(), p), auth.ErrUnauthenticated)
		})
	}
}

func TestLogin_EndsWithItsKey(t *testing.T) {
	s, _, c := newService(t, auth.Config{})
	_, secret, err := s.CreateKey(t.Context(), "ada", auth.RoleClient, time.Minute)
	require.NoError(t, err)
	cookie, p, err := s.Login(t.Context(), secret)
	require.NoError(t, err)
	require.Equal(t, c.now().Add(time.Minute), p.ExpiresAt)
	c.advance(time.Minute)
	_, err = s.AuthenticateLogin(t.Context(), cookie)
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
}

// A new TIDEMARK_ADMIN_KEY must shut out whoever signed in with the old one.
func TestLogin_EndsWithTheAdminKey(t *testing.T) {
	s, store, c := newService(t, auth.Config{AdminKey: "old"})
	cookie, _, err := s.Login(t.Context(), "old")
	require.NoError(t, err)
	_, err = s.AuthenticateLogin(t.Context(), cookie)
	require.NoError(t, err)

	again := auth.NewService(store, auth.Config{AdminKey: "new", Now: c.now})
	_, err = again.AuthenticateLogin(t.Context(), cookie)
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
}

func TestSocketTicket(t *testing.T) {
	const origin = "https://app.example"
	s, _, c := newService(t, auth.Config{})
	k, secret, err := s.CreateKey(t.Context(), "ada", auth.RoleClient, 0)
	require.NoError(t, err)
	p, err := s.Authenticate(t.Context(), secret)
	require.NoError(t, err)
	issue := func() string {
		ticket, expires, err := s.SocketTicket(p, origin)
		require.NoError(t, err)
		require.Equal(t, c.now().Add(30*time.Second), expires)
		return ticket
	}

	ticket := issue()
	got, err := s.RedeemSocketTicket(t.Context(), ticket, origin)
	require.NoError(t, err)
	require.Equal(t, p, got)
	_, err = s.RedeemSocketTicket(t.Context(), ticket, origin)
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "spent")

	stolen := issue()
	_, err = s.RedeemSocketTicket(t.Context(), stolen, "https://evil.example")
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "wrong origin")
	_, err = s.RedeemSocketTicket(t.Context(), stolen, origin)
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "a stolen ticket is spent")

	late := issue()
	c.advance(30 * time.Second)
	_, err = s.RedeemSocketTicket(t.Context(), late, origin)
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "expired")

	mine := issue()
	_, err = s.RevokeKey(t.Context(), k.ID)
	require.NoError(t, err)
	_, err = s.RedeemSocketTicket(t.Context(), mine, origin)
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "key revoked meanwhile")

	_, _, err = s.RedeemSignIn(t.Context(), issue())
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "a socket ticket signs nobody in")
}

func TestTickets_AreBounded(t *testing.T) {
	s, _, c := newService(t, auth.Config{})
	var err error
	for range 5000 {
		if _, err = s.SignInTicket(); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, auth.ErrTooManyTickets)
	c.advance(auth.DefaultSignInTTL)
	_, err = s.SignInTicket()
	require.NoError(t, err)
}
