package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"time"

	"github.com/oklog/ulid/v2"
)

// KeyPrefix starts every API key, so that people and secret scanners know one when they see it.
const KeyPrefix = "tmk_"

// Key is an API key as it is kept: without its secret.
type Key struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"` // the owner of what is done with it; rotation keeps it
	Role      Role       `json:"role"`
	Hash      string     `json:"-"`    // hex SHA-256 of the secret
	Hint      string     `json:"hint"` // first characters of the secret, to tell keys apart
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"` // nil = never
	RevokedAt *time.Time `json:"revoked_at"`
}

// Usable reports whether the key is neither revoked nor expired.
func (k Key) Usable(now time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || now.Before(*k.ExpiresAt))
}

// Login is a browser that signed in. The cookie's value is kept as its hash alone.
type Login struct {
	Hash      string // hex SHA-256 of the cookie value
	Owner     string
	Role      Role
	KeyID     string // as in Principal; names no stored key when empty or "env-…"
	CreatedAt time.Time
	ExpiresAt time.Time
}

// KeyStore keeps keys and logins. Missing ones are ErrNotFound.
type KeyStore interface {
	CreateKey(ctx context.Context, k Key) error
	Key(ctx context.Context, id string) (Key, error)
	KeyByHash(ctx context.Context, hash string) (Key, error)
	// Keys lists all keys, revoked ones too, by creation.
	Keys(ctx context.Context) ([]Key, error)
	// RevokeKey sets RevokedAt, removes the logins made with the key and returns it; a second time changes nothing.
	RevokeKey(ctx context.Context, id string, at time.Time) (Key, error)

	// CreateLogin stores a login and removes those that expired before it was created.
	CreateLogin(ctx context.Context, l Login) error
	LoginByHash(ctx context.Context, hash string) (Login, error)
	// DeleteLogin signs a browser out; a missing login is no error.
	DeleteLogin(ctx context.Context, hash string) error
	// EverSignedIn reports whether a login was ever created, expired and deleted ones included.
	EverSignedIn(ctx context.Context) (bool, error)
}

// nameForm keeps owners usable as folder names (spec 2.1, memory/<owner>/) and harmless in a terminal.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)

// newKey makes a key and the secret that is shown once.
func newKey(name string, role Role, now time.Time, expires *time.Time) (Key, string, error) {
	if !nameForm.MatchString(name) {
		return Key{}, "", &ParamError{"name", name, "1 to 64 letters, digits or . _ @ -, starting with a letter or digit"}
	}
	if _, err := ParseRole(string(role)); err != nil {
		return Key{}, "", err
	}
	if expires != nil && !expires.After(now) {
		return Key{}, "", &ParamError{"expires", expires.Format(time.RFC3339), "a time in the future"}
	}
	secret := KeyPrefix + newSecret()
	k := Key{
		ID: ulid.Make().String(), Name: name, Role: role, Hash: Hash(secret), Hint: secret[:len(KeyPrefix)+4] + "…",
		CreatedAt: now.UTC(), ExpiresAt: expires,
	}
	return k, secret, nil
}

// NewSecret makes a Config.LocalKey.
func NewSecret() string { return newSecret() }

// newSecret is 256 random bits in URL-safe text. crypto/rand never fails: it ends the program instead.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) //nolint:errcheck // documented never to return an error
	return base64.RawURLEncoding.EncodeToString(b)
}

// Hash is the form in which a secret is kept: hex SHA-256.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
