package auth

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Login signs a browser in with an API key and returns the cookie's value.
func (s *Service) Login(ctx context.Context, secret string) (cookie string, p Principal, err error) {
	p, err = s.Authenticate(ctx, secret)
	if err != nil {
		return "", Principal{}, err
	}
	return s.startLogin(ctx, p)
}

// SignInTicket makes a one-use ticket for a sign-in link: owner admin, role admin (spec section 10).
func (s *Service) SignInTicket() (string, error) {
	return s.signIns.issue(Principal{Owner: AdminOwner, Role: RoleAdmin}, "", s.cfg.Now(), s.cfg.SignInTTL)
}

// RedeemSignIn spends a sign-in ticket, signs the browser in and returns the cookie's value.
func (s *Service) RedeemSignIn(ctx context.Context, secret string) (cookie string, p Principal, err error) {
	p, err = s.signIns.redeem(secret, "", s.cfg.Now())
	if err != nil {
		return "", Principal{}, err
	}
	return s.startLogin(ctx, p)
}

// startLogin stores a login that ends no later than the key behind it.
func (s *Service) startLogin(ctx context.Context, p Principal) (string, Principal, error) {
	now := s.cfg.Now().UTC()
	ends := now.Add(s.cfg.LoginTTL)
	if !p.ExpiresAt.IsZero() && p.ExpiresAt.Before(ends) {
		ends = p.ExpiresAt
	}
	cookie := newSecret()
	l := Login{Hash: Hash(cookie), Owner: p.Owner, Role: p.Role, KeyID: p.KeyID, CreatedAt: now, ExpiresAt: ends}
	if err := s.store.CreateLogin(ctx, l); err != nil {
		return "", Principal{}, refused("store login", err)
	}
	return cookie, principalOfLogin(l), nil
}

func principalOfLogin(l Login) Principal {
	return Principal{Owner: l.Owner, Role: l.Role, KeyID: l.KeyID, Login: l.Hash, ExpiresAt: l.ExpiresAt}
}

// AuthenticateLogin resolves a cookie's value.
func (s *Service) AuthenticateLogin(ctx context.Context, cookie string) (Principal, error) {
	if cookie == "" {
		return Principal{}, ErrUnauthenticated
	}
	return s.login(ctx, Hash(cookie))
}

func (s *Service) login(ctx context.Context, hash string) (Principal, error) {
	l, err := s.store.LoginByHash(ctx, hash)
	if err != nil {
		return Principal{}, refused("look up login", err)
	}
	if !equal(l.Hash, hash) || !s.cfg.Now().Before(l.ExpiresAt) {
		return Principal{}, ErrUnauthenticated
	}
	if l.KeyID != "" {
		if err := s.keyUsable(ctx, l.KeyID); err != nil {
			return Principal{}, err
		}
	}
	return principalOfLogin(l), nil
}

func (s *Service) keyUsable(ctx context.Context, id string) error {
	if strings.HasPrefix(id, envKey) {
		for _, admin := range s.admins {
			if id == admin {
				return nil
			}
		}
		return ErrUnauthenticated
	}
	k, err := s.store.Key(ctx, id)
	if err != nil {
		return refused("look up key", err)
	}
	if !k.Usable(s.cfg.Now()) {
		return ErrUnauthenticated
	}
	return nil
}

// Logout ends a login; an unknown cookie is no error.
func (s *Service) Logout(ctx context.Context, cookie string) error {
	err := s.store.DeleteLogin(ctx, Hash(cookie))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Recheck reports whether a principal resolved a while ago still holds, for links that outlive a request: the key is
// not revoked, the login not ended, nothing expired.
func (s *Service) Recheck(ctx context.Context, p Principal) error {
	switch {
	case !p.ExpiresAt.IsZero() && !s.cfg.Now().Before(p.ExpiresAt):
		return ErrUnauthenticated
	case p.Login != "":
		_, err := s.login(ctx, p.Login)
		return err
	case p.KeyID != "":
		return s.keyUsable(ctx, p.KeyID)
	}
	return nil
}

// SocketTicket makes a one-use ticket that opens one socket as p, from that origin only (protocol section 3).
func (s *Service) SocketTicket(p Principal, origin string) (secret string, expires time.Time, err error) {
	now := s.cfg.Now()
	secret, err = s.sockets.issue(p, origin, now, s.cfg.WSTicketTTL)
	return secret, now.Add(s.cfg.WSTicketTTL), err
}

// RedeemSocketTicket spends a socket ticket shown from an origin.
func (s *Service) RedeemSocketTicket(ctx context.Context, secret, origin string) (Principal, error) {
	p, err := s.sockets.redeem(secret, origin, s.cfg.Now())
	if err != nil {
		return Principal{}, err
	}
	return p, s.Recheck(ctx, p)
}

// EverSignedIn reports whether anybody ever signed in, in a browser or by a link.
func (s *Service) EverSignedIn(ctx context.Context) (bool, error) { return s.store.EverSignedIn(ctx) }
