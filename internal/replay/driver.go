package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"tidemark/internal/acp"
)

// driver plays one recording into one session. It owns the connection; everything but the handlers runs on one goroutine.
type driver struct {
	cfg  Config
	rec  recording
	conn *conn

	sessionID string

	mu         sync.Mutex
	seq        int64 // of the newest stream row seen
	epoch      string
	violations []string
}

// play opens a session and drives every turn. It returns what the books cannot show: violations seen on the wire.
func (d *driver) play(ctx context.Context, turnDone func()) error {
	defer func() {
		if d.conn != nil {
			d.conn.close()
		}
	}()
	// A server that cannot be reached is told at once; one that hangs up is tried again.
	err := d.connect(ctx)
	for n := 0; errors.Is(err, errDropped) && n < tries && ctx.Err() == nil; n++ {
		err = d.reconnect(ctx, n)
	}
	if err != nil {
		return err
	}
	if err := d.open(ctx); err != nil {
		return err
	}
	for i := range d.rec.turns {
		if err := sleep(ctx, d.cfg.pause()); i > 0 && err != nil {
			return err
		}
		if err := d.turn(ctx, i); err != nil {
			return fmt.Errorf("turn %d: %w", i+1, err)
		}
		turnDone()
	}
	return nil
}

// connect opens a socket and introduces itself.
func (d *driver) connect(ctx context.Context) error {
	ws, err := dial(ctx, d.cfg)
	if err != nil {
		return err
	}
	d.conn = newConn(ctx, ws, d.notice, d.serve, d.cfg.drop)
	version := acp.ProtocolVersion
	_, err = d.conn.request(ctx, acp.MethodInitialize, acp.InitializeRequest{
		ProtocolVersion: &version,
		ClientCapabilities: acp.ClientCapabilities{
			Session: &acp.ClientSessionCapabilities{Compaction: json.RawMessage(`{}`)},
			Meta:    acp.Meta{}.With(acp.MetaExt, acp.Empty{}),
		},
		ClientInfo: &acp.Implementation{Name: "tidemark-replay", Version: "1"},
	})
	return err
}

// open creates the session of the file.
func (d *driver) open(ctx context.Context) error {
	meta := acp.Meta{}.With(acp.MetaConfig, acp.SessionConfig{
		Model: d.cfg.Model, System: d.rec.system, Compaction: d.cfg.Settings, Window: d.cfg.Window,
	}).With(acp.MetaTools, d.rec.tools)
	env, err := d.retried(ctx, func() (acp.Envelope, error) {
		return d.conn.request(ctx, acp.MethodSessionNew, acp.NewSessionRequest{CWD: "/", MCPServers: []json.RawMessage{}, Meta: meta})
	})
	if err != nil {
		return fmt.Errorf("open a session: %w", err)
	}
	var out acp.NewSessionResponse
	if err := json.Unmarshal(env.Result, &out); err != nil {
		return fmt.Errorf("open a session: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sessionID = out.SessionID // read by notice
	return nil
}

// turn sends one prompt until it is answered: again after a lost connection, under the same key.
func (d *driver) turn(ctx context.Context, i int) error {
	t := d.rec.turns[i]
	meta := acp.Meta{}.With(acp.MetaIdempotencyKey, fmt.Sprintf("turn-%d", i+1))
	if d.cfg.Model == DefaultModel {
		steps, err := acp.Marshal(t.steps)
		if err != nil {
			return err
		}
		meta.With(acp.MetaSim, map[string]json.RawMessage{"steps": steps})
	}
	_, err := d.retried(ctx, func() (acp.Envelope, error) {
		return d.conn.request(ctx, acp.MethodPrompt, acp.PromptRequest{SessionID: d.sessionID, Prompt: t.prompt, Meta: meta})
	})
	var refused *acp.Error
	if errors.As(err, &refused) && turnFailed(refused) {
		d.violate("turn %d failed: %s", i+1, refused.Message)
		return nil // the session stays usable (spec section 9)
	}
	return err
}

// turnFailed tells the end of a turn from the refusal of a request.
func turnFailed(e *acp.Error) bool {
	switch e.Code {
	case acp.CodeProviderError, acp.CodeBudgetExceeded, acp.CodeInterrupted, acp.CodeInternal, acp.CodeUnpricedModel:
		return true
	}
	return false
}

// notice follows the numbers of the stream: a hole means loss (protocol section 2).
func (d *driver) notice(env acp.Envelope) {
	var n struct {
		SessionID string   `json:"sessionId"`
		Seq       int64    `json:"seq"` // of a keepalive
		Meta      acp.Meta `json:"_meta"`
	}
	if json.Unmarshal(env.Params, &n) != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessionID != "" && n.SessionID != d.sessionID {
		return
	}
	epoch := d.epoch
	_ = n.Meta.Read(acp.MetaSeq, &n.Seq)
	_ = n.Meta.Read(acp.MetaEpoch, &epoch)
	switch {
	case n.Seq == 0:
		return
	case d.seq > 0 && epoch == d.epoch && n.Seq != d.seq+1:
		d.violations = append(d.violations, fmt.Sprintf("stream row %d came after row %d", n.Seq, d.seq))
	}
	d.seq, d.epoch = n.Seq, epoch
}

func (d *driver) violate(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.violations = append(d.violations, fmt.Sprintf(format, args...))
}
