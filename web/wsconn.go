package web

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"tidemark/internal/acp"
	"tidemark/internal/auth"
)

// closing is why the server ends a socket. Reasons are short and fixed: the frame has room for 123 bytes.
type closing struct {
	code   websocket.StatusCode
	reason string
}

// wsConn is one session socket. One goroutine reads, one writes, one watches the clock; each request and each attached
// session has its own. run waits for all of them.
type wsConn struct {
	s       *Server
	id      string // Acp-Connection-Id
	ws      *websocket.Conn
	who     auth.Principal
	out     *outbox
	limiter *rate.Limiter
	ctx     context.Context // of the socket: ends with it, and with it everything that was asked for on it
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	closed  chan struct{} // the reader has ended

	attaching sync.Mutex   // one attach, load or close at a time
	cancels   atomic.Int64 // session/cancel on their way

	mu          sync.Mutex
	initialized bool
	signedOut   bool
	caps        acp.Capabilities
	calls       map[string]*call         // unanswered requests of the client, by id
	asked       map[string]chan answered // unanswered requests of ours, by id
	nextID      int64
	attached    map[string]*attachment
}

func newWSConn(s *Server, id string, ws *websocket.Conn, who auth.Principal) *wsConn {
	l := s.cfg.Limits
	ws.SetReadLimit(-1) // readMessage has the limit, so that it can say goodbye in order
	c := &wsConn{
		s: s, id: id, ws: ws, who: who, out: newOutbox(l), closed: make(chan struct{}),
		limiter: rate.NewLimiter(rate.Limit(l.RequestsPerSecond), l.RequestBurst),
		calls:   make(map[string]*call), asked: make(map[string]chan answered), attached: make(map[string]*attachment),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// run serves the socket until it ends and everything it started has ended too.
func (c *wsConn) run() {
	c.wg.Go(c.write)
	c.wg.Go(c.watch)
	c.wg.Go(c.ping)
	c.read()
	close(c.closed)
	c.cancel()
	c.out.close(closing{closeGoingAway, "the connection ended"}, true)
	_ = c.ws.CloseNow() // on every path (case D4 #32); what still writes ends with it
	c.wg.Wait()
	c.detachAll()
}

// shut ends the socket from our side: what is queued is still sent, then the close frame. Only the first call counts.
func (c *wsConn) shut(code websocket.StatusCode, reason string) {
	c.end(closing{code, reason}, false)
}

// tooSlow ends a socket whose client cannot keep up. The log makes that loss-free: it resumes.
func (c *wsConn) tooSlow() {
	c.end(closing{closeSlow, "too slow: reconnect and resume"}, true)
}

func (c *wsConn) end(why closing, discard bool) {
	if c.out.close(why, discard) {
		c.s.metrics.closes.WithLabelValues(strconv.Itoa(int(why.code))).Inc()
		c.s.Log.Debug("closing socket", keyConnID, c.id, "code", int(why.code), "reason", why.reason)
	}
}

// drop ends the socket without a word.
func (c *wsConn) drop() { _ = c.ws.CloseNow() }

// write is the only writer of frames, the close frame included.
func (c *wsConn) write() {
	for {
		f, ok, end := c.out.take()
		switch {
		case ok:
			if err := c.writeFrame(f.data); err != nil {
				if errors.Is(err, context.DeadlineExceeded) {
					c.tooSlow()
				}
				c.drop() // the reader ends with it
				return
			}
		case end != nil:
			_ = c.ws.Close(end.code, end.reason) // waits a little for the client's half
			return
		default:
			select {
			case <-c.out.ready:
			case <-c.closed:
				return
			}
		}
	}
}

func (c *wsConn) writeFrame(data []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.s.cfg.Limits.WriteWithin)
	defer cancel()
	c.s.metrics.framesOut.Inc()
	return c.ws.Write(ctx, websocket.MessageText, data)
}

// send queues a frame that must arrive.
func (c *wsConn) send(frame []byte) {
	if !c.out.push(frame) {
		c.tooSlow()
	}
}

// ping keeps the connection alive and finds half-open ones (cases D4 #33, #37): liveness is decided by protocol pings,
// which a hidden tab still answers.
func (c *wsConn) ping() {
	t := time.NewTicker(c.s.cfg.Limits.PingEvery)
	defer t.Stop()
	for {
		select {
		case <-c.closed:
			return
		case <-t.C:
		}
		ctx, cancel := context.WithTimeout(c.ctx, c.s.cfg.Limits.PongWithin)
		err := c.ws.Ping(ctx)
		cancel()
		if err != nil && c.ctx.Err() == nil {
			c.end(closing{closeNoPong, "no pong: reconnect and resume"}, true)
			return
		}
		if err := c.s.Auth.Recheck(c.ctx, c.who); errors.Is(err, auth.ErrUnauthenticated) {
			c.shut(closeExpired, "the credential ended: authenticate again")
			return
		}
	}
}

// watch ends the socket by the clock and with the server.
func (c *wsConn) watch() {
	l := c.s.cfg.Limits
	opening, age := time.NewTimer(l.InitializeWithin), time.NewTimer(l.SocketAge)
	defer opening.Stop()
	defer age.Stop()
	var keepalive <-chan time.Time
	if l.DataKeepalive > 0 {
		t := time.NewTicker(l.DataKeepalive)
		defer t.Stop()
		keepalive = t.C
	}
	for {
		select {
		case <-c.closed:
			return
		case <-c.s.ctx.Done():
			c.shut(closeRestart, "the server restarts: reconnect and resume")
			return
		case <-age.C:
			c.shut(closeMaxAge, "maximum age: reconnect and resume")
			return
		case <-opening.C:
			if !c.isInitialized() {
				c.shut(closeProtocol, "initialize did not come in time")
				return
			}
		case <-keepalive:
			c.dataKeepalive()
		}
	}
}

// keepaliveTick stands where a tick has its session.
const keepaliveTick = "keepalive"

// dataKeepalive sends a data frame for balancers that count nothing else (case D4 #36), to clients that know it.
func (c *wsConn) dataKeepalive() {
	if !c.capabilities().Ext {
		return
	}
	if frame, err := acp.EncodeNotification(acp.MethodExtKeepalive, acp.KeepaliveNotification{}); err == nil {
		c.out.pushTick(keepaliveTick, frame)
	}
}

func (c *wsConn) capabilities() acp.Capabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.caps
}

func (c *wsConn) isInitialized() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.initialized
}
