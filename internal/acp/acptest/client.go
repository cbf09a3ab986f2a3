package acptest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tidemark/internal/acp"
)

// Patience is how long a client waits for anything before the test fails.
const Patience = 20 * time.Second

// Options of a client.
type Options struct {
	Key          string // sent as a bearer token; "" = none
	Header       http.Header
	Subprotocols []string
	Schema       *Schema // when set, every frame that arrives is validated
	// OnRequest answers the server's requests; it runs in a goroutine of its own. Without it, or when it returns nil for
	// both, the request stays open.
	OnRequest func(ctx context.Context, method string, params json.RawMessage) (result any, err *acp.Error)
}

// Client is one socket that records what it receives.
type Client struct {
	tb      testing.TB
	ws      *websocket.Conn
	opts    Options
	Headers http.Header // of the handshake's answer
	wg      sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc

	mu      sync.Mutex
	frames  []acp.Envelope
	raw     [][]byte
	head    int64             // newest row that arrived
	methods map[string]string // of our requests, by id
	nextID  int64
	changed chan struct{}
	ended   error // why the reader stopped
	opened  map[string]context.CancelFunc
}

// Dial opens a socket; it is closed with the test.
func Dial(tb testing.TB, url string, o Options) *Client {
	tb.Helper()
	c, _, err := TryDial(tb, url, o)
	if err != nil {
		tb.Fatalf("dial %s: %v", url, err)
	}
	return c
}

// TryDial is Dial for handshakes that may be refused; the response is there in either case.
func TryDial(tb testing.TB, url string, o Options) (*Client, *http.Response, error) {
	tb.Helper()
	header := o.Header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+o.Key)
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPHeader: header, Subprotocols: o.Subprotocols})
	if err != nil {
		return nil, resp, err
	}
	ws.SetReadLimit(64 << 20)
	c := &Client{
		tb: tb, ws: ws, opts: o, Headers: resp.Header, methods: make(map[string]string), changed: make(chan struct{}),
		opened: make(map[string]context.CancelFunc),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.wg.Go(c.read)
	tb.Cleanup(c.Kill)
	return c, resp, nil
}

func (c *Client) read() {
	for {
		_, data, err := c.ws.Read(c.ctx)
		if err != nil {
			c.note(func() { c.ended = err })
			return
		}
		env, bad := acp.Decode(data)
		if bad != nil {
			c.tb.Errorf("the server sent a frame that is no message: %v: %.200s", bad, data)
			continue
		}
		c.validate(env, data)
		seq := Seq(env)
		c.note(func() {
			c.frames, c.raw, c.head = append(c.frames, env), append(c.raw, data), max(c.head, seq)
		})
		c.serve(env)
	}
}

func (c *Client) note(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Client) validate(env acp.Envelope, data []byte) {
	if c.opts.Schema == nil {
		return
	}
	c.mu.Lock()
	method := c.methods[env.ID.String()]
	c.mu.Unlock()
	if err := c.opts.Schema.Envelope(env, method); err != nil {
		c.tb.Errorf("frame does not validate: %v\n%.500s", err, data)
	}
}

// serve answers the server's requests and withdraws them.
func (c *Client) serve(env acp.Envelope) {
	if env.Method == acp.MethodCancelRequest {
		p, _ := acp.DecodeParams[acp.CancelRequestNotification](env.Params)
		c.mu.Lock()
		if stop := c.opened[p.RequestID.String()]; stop != nil {
			stop()
		}
		c.mu.Unlock()
	}
	if env.Kind() != acp.KindRequest || c.opts.OnRequest == nil {
		return
	}
	ctx, stop := context.WithCancel(c.ctx)
	c.mu.Lock()
	c.opened[env.ID.String()] = stop
	c.mu.Unlock()
	c.wg.Go(func() {
		defer stop()
		result, rpc := c.opts.OnRequest(ctx, env.Method, env.Params)
		switch {
		case rpc != nil:
			frame, _ := acp.EncodeError(env.ID, rpc)
			_ = c.write(frame)
		case result != nil:
			frame, _ := acp.EncodeResult(env.ID, result)
			_ = c.write(frame)
		}
	})
}

func (c *Client) write(frame []byte) error {
	ctx, cancel := context.WithTimeout(c.ctx, Patience)
	defer cancel()
	return c.ws.Write(ctx, websocket.MessageText, frame)
}

// Send writes a frame as it is.
func (c *Client) Send(frame string) {
	c.tb.Helper()
	if err := c.write([]byte(frame)); err != nil {
		c.tb.Fatalf("send: %v", err)
	}
}

// SendBinary writes a binary frame.
func (c *Client) SendBinary(data []byte) {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, Patience)
	defer cancel()
	if err := c.ws.Write(ctx, websocket.MessageBinary, data); err != nil {
		c.tb.Fatalf("send: %v", err)
	}
}

// Kill drops the connection without a word and waits for the client's goroutines.
func (c *Client) Kill() {
	c.cancel()
	_ = c.ws.CloseNow()
	c.wg.Wait()
}

// Close closes in order.
func (c *Client) Close() {
	_ = c.ws.Close(websocket.StatusNormalClosure, "")
	c.Kill()
}

// CloseCode waits for the end of the socket and returns the server's close code, -1 when it gave none.
func (c *Client) CloseCode() websocket.StatusCode {
	c.tb.Helper()
	var end error
	c.wait("the end of the socket", func() bool { end = c.ended; return end != nil })
	var ce websocket.CloseError
	if errors.As(end, &ce) {
		return ce.Code
	}
	return -1
}

// wait waits until a condition on the client's state holds; it is checked with the lock held.
func (c *Client) wait(what string, holds func() bool) {
	c.tb.Helper()
	timeout := time.NewTimer(Patience)
	defer timeout.Stop()
	for {
		c.mu.Lock()
		ok, changed := holds(), c.changed
		c.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-timeout.C:
			c.tb.Fatalf("waited %v for %s; frames so far: %d", Patience, what, len(c.Frames()))
		}
	}
}
