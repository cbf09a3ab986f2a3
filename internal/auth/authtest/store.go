// Package authtest has a KeyStore in memory for tests of what stands above auth.
package authtest

import (
	"context"
	"sync"
	"time"

	"tidemark/internal/auth"
)

// Store is an auth.KeyStore in memory. The zero value is ready.
type Store struct {
	mu     sync.Mutex
	keys   []auth.Key
	logins map[string]auth.Login
	ever   bool
}

var _ auth.KeyStore = (*Store)(nil)

// CreateKey implements auth.KeyStore.
func (s *Store) CreateKey(_ context.Context, k auth.Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = append(s.keys, k)
	return nil
}

// Key implements auth.KeyStore.
func (s *Store) Key(_ context.Context, id string) (auth.Key, error) {
	return s.find(func(k auth.Key) bool { return k.ID == id })
}

// KeyByHash implements auth.KeyStore.
func (s *Store) KeyByHash(_ context.Context, hash string) (auth.Key, error) {
	return s.find(func(k auth.Key) bool { return k.Hash == hash })
}

func (s *Store) find(is func(auth.Key) bool) (auth.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keys {
		if is(k) {
			return k, nil
		}
	}
	return auth.Key{}, auth.ErrNotFound
}

// Keys implements auth.KeyStore.
func (s *Store) Keys(context.Context) ([]auth.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]auth.Key{}, s.keys...), nil
}

// RevokeKey implements auth.KeyStore.
func (s *Store) RevokeKey(_ context.Context, id string, at time.Time) (auth.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.keys {
		if s.keys[i].ID != id {
			continue
		}
		if s.keys[i].RevokedAt == nil {
			s.keys[i].RevokedAt = &at
		}
		for hash, l := range s.logins {
			if l.KeyID == id {
				delete(s.logins, hash)
			}
		}
		return s.keys[i], nil
	}
	return auth.Key{}, auth.ErrNotFound
}

// CreateLogin implements auth.KeyStore.
func (s *Store) CreateLogin(_ context.Context, l auth.Login) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.logins == nil {
		s.logins = make(map[string]auth.Login)
	}
	for hash, old := range s.logins {
		if old.ExpiresAt.Before(l.CreatedAt) {
			delete(s.logins, hash)
		}
	}
	s.logins[l.Hash], s.ever = l, true
	return nil
}

// LoginByHash implements auth.KeyStore.
func (s *Store) LoginByHash(_ context.Context, hash string) (auth.Login, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.logins[hash]
	if !ok {
		return auth.Login{}, auth.ErrNotFound
	}
	return l, nil
}

// DeleteLogin implements auth.KeyStore.
func (s *Store) DeleteLogin(_ context.Context, hash string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.logins, hash)
	return nil
}

// EverSignedIn implements auth.KeyStore.
func (s *Store) EverSignedIn(context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ever, nil
}
