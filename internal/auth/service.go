package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"
)

// Lifetimes unless the Config says otherwise.
const (
	DefaultLoginTTL    = 7 * 24 * time.Hour
	DefaultSignInTTL   = time.Hour        // a link may wait in a terminal for a while
	DefaultWSTicketTTL = 30 * time.Second // protocol section 3
)

// Config tunes a Service; the zero value is usable.
type Config struct {
	AdminKey    string // TIDEMARK_ADMIN_KEY: speaks for owner admin, role admin; "" = none
	LocalKey    string // the same for the command line on this machine, made anew at each start; "" = none
	LoginTTL    time.Duration
	SignInTTL   time.Duration
	WSTicketTTL time.Duration
	Now         func() time.Time
}

// envKey starts the ids that stand for the two admin secrets that no store keeps. They change with the secret, so that a
// rotation ends the logins made with the old one.
const envKey = "env-"

// Service answers who is asking.
type Service struct {
	store   KeyStore
	cfg     Config
	admins  map[string]string // hash of an admin secret -> the id that stands for it
	signIns tickets
	sockets tickets
}

// NewService makes a Service on a store.
func NewService(store KeyStore, cfg Config) *Service {
	if cfg.LoginTTL <= 0 {
		cfg.LoginTTL = DefaultLoginTTL
	}
	if cfg.SignInTTL <= 0 {
		cfg.SignInTTL = DefaultSignInTTL
	}
	if cfg.WSTicketTTL <= 0 {
		cfg.WSTicketTTL = DefaultWSTicketTTL
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Service{store: store, cfg: cfg, admins: make(map[string]string)}
	for _, secret := range []string{cfg.AdminKey, cfg.LocalKey} {
		if secret != "" {
			hash := Hash(secret)
			s.admins[hash] = envKey + hash[:12]
		}
	}
	s.cfg.AdminKey, s.cfg.LocalKey = "", "" // needed no more, and cannot leak from here
	return s
}

// Authenticate resolves an API key.
func (s *Service) Authenticate(ctx context.Context, secret string) (Principal, error) {
	if secret == "" {
		return Principal{}, ErrUnauthenticated
	}
	hash := Hash(secret)
	for admin, id := range s.admins {
		if equal(hash, admin) {
			return Principal{Owner: AdminOwner, Role: RoleAdmin, KeyID: id}, nil
		}
	}
	k, err := s.store.KeyByHash(ctx, hash)
	if err != nil {
		return Principal{}, refused("look up key", err)
	}
	// The lookup went by hash, whose bytes an attacker cannot steer; comparing again costs nothing and does not lean
	// on how the database compares text.
	if !equal(k.Hash, hash) || !k.Usable(s.cfg.Now()) {
		return Principal{}, ErrUnauthenticated
	}
	return principalOf(k), nil
}

func principalOf(k Key) Principal {
	p := Principal{Owner: k.Name, Role: k.Role, KeyID: k.ID}
	if k.ExpiresAt != nil {
		p.ExpiresAt = *k.ExpiresAt
	}
	return p
}

// refused hides what is wrong with a credential, but not that the store is broken.
func refused(what string, err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrUnauthenticated
	}
	return fmt.Errorf("%s: %w", what, err)
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// CreateKey makes a key and returns the secret, which is shown once and kept nowhere. A zero ttl never expires.
func (s *Service) CreateKey(ctx context.Context, name string, role Role, ttl time.Duration) (Key, string, error) {
	now := s.cfg.Now()
	var expires *time.Time
	if ttl != 0 {
		at := now.Add(ttl).UTC()
		expires = &at
	}
	k, secret, err := newKey(name, role, now, expires)
	if err != nil {
		return Key{}, "", err
	}
	if err := s.store.CreateKey(ctx, k); err != nil {
		return Key{}, "", fmt.Errorf("create key: %w", err)
	}
	return k, secret, nil
}

// Keys lists all keys, revoked ones too.
func (s *Service) Keys(ctx context.Context) ([]Key, error) { return s.store.Keys(ctx) }

// RevokeKey ends a key and the logins made with it; ErrNotFound when there is none.
func (s *Service) RevokeKey(ctx context.Context, id string) (Key, error) {
	return s.store.RevokeKey(ctx, id, s.cfg.Now().UTC())
}
