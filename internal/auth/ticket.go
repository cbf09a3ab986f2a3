package auth

import (
	"sync"
	"time"
)

// maxTickets bounds the memory that unspent tickets may take.
const maxTickets = 4096

// tickets are one-use secrets with a short life. The zero value is ready.
type tickets struct {
	mu   sync.Mutex
	open map[string]ticket // by hash, so that a heap dump shows no usable ticket
}

type ticket struct {
	who     Principal
	origin  string // "" = bound to none
	expires time.Time
}

// issue makes a ticket.
func (t *tickets) issue(who Principal, origin string, now time.Time, ttl time.Duration) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep(now)
	if len(t.open) >= maxTickets {
		return "", ErrTooManyTickets
	}
	if t.open == nil {
		t.open = make(map[string]ticket)
	}
	secret := newSecret()
	t.open[Hash(secret)] = ticket{who, origin, now.Add(ttl)}
	return secret, nil
}

// redeem spends a ticket. A try with the wrong origin spends it too: whoever shows it elsewhere has stolen it.
func (t *tickets) redeem(secret, origin string, now time.Time) (Principal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := Hash(secret)
	found, ok := t.open[hash]
	delete(t.open, hash)
	if !ok || !now.Before(found.expires) || found.origin != origin {
		return Principal{}, ErrUnauthenticated
	}
	return found.who, nil
}

func (t *tickets) sweep(now time.Time) {
	for hash, tk := range t.open {
		if !now.Before(tk.expires) {
			delete(t.open, hash)
		}
	}
}
