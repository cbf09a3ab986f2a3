package web

import "sync"

// sockets is the registry of open session sockets. The zero value is ready.
type sockets struct {
	mu   sync.Mutex
	open map[*wsConn]struct{}
}

// add registers a socket unless its owner has as many as allowed.
func (s *sockets) add(c *wsConn, perOwner int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for other := range s.open {
		if other.who.Owner == c.who.Owner {
			n++
		}
	}
	if n >= perOwner {
		return false
	}
	if s.open == nil {
		s.open = make(map[*wsConn]struct{})
	}
	s.open[c] = struct{}{}
	return true
}

func (s *sockets) remove(c *wsConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

func (s *sockets) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

func (s *sockets) all() []*wsConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*wsConn, 0, len(s.open))
	for c := range s.open {
		out = append(out, c)
	}
	return out
}

// endLogin closes the sockets of a browser login that ended.
func (s *sockets) endLogin(hash string) {
	s.expire(func(c *wsConn) bool { return c.who.Login == hash })
}

// endKey closes the sockets of a key that was revoked.
func (s *sockets) endKey(id string) {
	s.expire(func(c *wsConn) bool { return c.who.KeyID == id })
}

func (s *sockets) expire(ended func(*wsConn) bool) {
	for _, c := range s.all() {
		if ended(c) {
			c.shut(closeExpired, "the credential ended: authenticate again")
		}
	}
}

// closeNow drops what did not close in time.
func (s *sockets) closeNow() {
	for _, c := range s.all() {
		c.drop()
	}
}
