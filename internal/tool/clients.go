package tool

import (
	"context"
	"errors"
	"sync"
	"time"
)

// AskTimeout is how long clients have for an answer (protocol section 2).
const AskTimeout = 120 * time.Second

// ErrNoAnswer means that no client answered in time, or that none is there that could.
var ErrNoAnswer = errors.New("no attached client answered in time")

// Clients are the clients attached to one session. The zero value is ready.
type Clients struct {
	mu      sync.Mutex
	next    int
	clients map[int]Client
	open    map[*question]struct{}
}

// question is a request that nobody has answered yet.
type question struct {
	req    Request
	ctx    context.Context
	answer chan Answer // capacity 1: the first answer counts
	wg     *sync.WaitGroup
}

// Attach adds a client and asks it what is open. The returned function detaches it.
func (c *Clients) Attach(cl Client) (detach func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clients == nil {
		c.clients, c.open = make(map[int]Client), make(map[*question]struct{})
	}
	id := c.next
	c.next++
	c.clients[id] = cl
	for q := range c.open {
		q.ask(cl)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.clients, id)
	}
}

// Len is the number of attached clients.
func (c *Clients) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.clients)
}

// Ask puts a request to all clients that serve it, now and as they attach, and returns the first answer. It fails with
// ErrNoAnswer after limit, or with the context's error. It returns only when every asking goroutine has ended.
func (c *Clients) Ask(ctx context.Context, r Request, limit time.Duration) (Answer, error) {
	qctx, withdraw := context.WithCancel(ctx)
	q := &question{req: r, ctx: qctx, answer: make(chan Answer, 1), wg: new(sync.WaitGroup)}
	c.mu.Lock()
	if c.open == nil {
		c.clients, c.open = make(map[int]Client), make(map[*question]struct{})
	}
	c.open[q] = struct{}{}
	for _, cl := range c.clients {
		q.ask(cl)
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.open, q)
		c.mu.Unlock()
		withdraw()
		q.wg.Wait()
	}()

	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a := <-q.answer:
		return a, nil
	case <-timer.C:
		return Answer{}, ErrNoAnswer
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// ask starts one goroutine that waits for one client; Ask waits for it. Call it with the lock of Clients held.
func (q *question) ask(cl Client) {
	if q.ctx.Err() != nil || !cl.Serves(q.req) {
		return
	}
	q.wg.Add(1)
	go func() {
		defer q.wg.Done()
		a, err := cl.Ask(q.ctx, q.req)
		if err != nil {
			return // that client is gone or refused; another may answer
		}
		select {
		case q.answer <- a:
		default:
		}
	}()
}
