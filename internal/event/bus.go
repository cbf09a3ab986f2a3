package event

import (
	"sync"
	"sync/atomic"
)

// DefaultQueue is how many deliveries a subscriber may lag before its subscription ends.
const DefaultQueue = 1024

// Delivery is what a subscriber hears: exactly one field is set.
type Delivery struct {
	Row   *StreamRow // durable, of a session
	Tick  *Tick      // ephemeral, of a session
	Event *Event     // durable, catalog
}

// Tick is an ephemeral gauge update; it may be dropped.
type Tick struct {
	SessionID string
	TurnID    string
	Gauge     Gauge
}

// Bus hands committed rows and events to subscribers. The zero value is ready. Publishing never blocks.
type Bus struct {
	mu       sync.RWMutex
	sessions map[string]map[*Subscription]struct{}
	catalog  map[*Subscription]struct{}
	closed   bool
	dropped  atomic.Int64
}

// Subscription is one listener's bounded queue. C closes when Close is called, the bus ends or the listener lagged so
// far that a durable delivery did not fit; Lagged tells which.
type Subscription struct {
	C       <-chan Delivery
	c       chan Delivery
	bus     *Bus
	session string
	mu      sync.Mutex
	done    bool
	lagged  bool
}

// SubscribeSession listens to the rows and ticks of one session. Subscribe first, then read what was missed (case D1.8).
func (b *Bus) SubscribeSession(id string, queue int) *Subscription {
	s := b.newSubscription(queue)
	s.session = id
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		s.end(false)
		return s
	}
	if b.sessions == nil {
		b.sessions = make(map[string]map[*Subscription]struct{})
	}
	if b.sessions[id] == nil {
		b.sessions[id] = make(map[*Subscription]struct{})
	}
	b.sessions[id][s] = struct{}{}
	return s
}

// SubscribeCatalog listens to all catalog events.
func (b *Bus) SubscribeCatalog(queue int) *Subscription {
	s := b.newSubscription(queue)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		s.end(false)
		return s
	}
	if b.catalog == nil {
		b.catalog = make(map[*Subscription]struct{})
	}
	b.catalog[s] = struct{}{}
	return s
}

func (b *Bus) newSubscription(queue int) *Subscription {
	if queue <= 0 {
		queue = DefaultQueue
	}
	c := make(chan Delivery, queue)
	return &Subscription{C: c, c: c, bus: b}
}

// Publish hands out committed rows and events in order. Call it from the goroutine that owns the session.
func (b *Bus) Publish(rows []StreamRow, events []Event) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for i := range rows {
		for s := range b.sessions[rows[i].SessionID] {
			s.send(Delivery{Row: &rows[i]}, Durable)
		}
	}
	for i := range events {
		for s := range b.catalog {
			s.send(Delivery{Event: &events[i]}, Durable)
		}
	}
}

// PublishTick hands out an ephemeral gauge; whoever has no room misses it, counted by Dropped.
func (b *Bus) PublishTick(t Tick) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for s := range b.sessions[t.SessionID] {
		if !s.send(Delivery{Tick: &t}, Ephemeral) {
			b.dropped.Add(1)
		}
	}
}

// Dropped counts ephemeral deliveries that found no room.
func (b *Bus) Dropped() int64 { return b.dropped.Load() }

// Listeners counts the subscriptions on a session.
func (b *Bus) Listeners(sessionID string) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.sessions[sessionID])
}

// Close ends all subscriptions; later ones end at once.
func (b *Bus) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, subs := range b.sessions {
		for s := range subs {
			s.end(false)
		}
	}
	for s := range b.catalog {
		s.end(false)
	}
	b.sessions, b.catalog = nil, nil
}

// send queues a delivery. A full queue drops an ephemeral one and ends the subscription on a durable one.
func (s *Subscription) send(d Delivery, c Class) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return false
	}
	select {
	case s.c <- d:
		return true
	default:
	}
	if c == Durable {
		s.done, s.lagged = true, true
		close(s.c)
	}
	return false
}

func (s *Subscription) end(lagged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	s.done, s.lagged = true, lagged
	close(s.c)
}

// Lagged reports whether the subscription ended because its reader was too slow.
func (s *Subscription) Lagged() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lagged
}

// Close ends the subscription. It is safe to call twice.
func (s *Subscription) Close() {
	b := s.bus
	b.mu.Lock()
	delete(b.catalog, s)
	if subs := b.sessions[s.session]; subs != nil {
		delete(subs, s)
		if len(subs) == 0 {
			delete(b.sessions, s.session)
		}
	}
	b.mu.Unlock()
	s.end(false)
}
