package replay

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"tidemark/internal/acp"
)

// tries is how often a request is sent again after the connection was lost or the server asked to wait.
const tries = 30

// retried sends a request until it is answered with anything but "later".
func (d *driver) retried(ctx context.Context, send func() (acp.Envelope, error)) (env acp.Envelope, err error) {
	for n := range tries {
		env, err = send()
		if err == nil || ctx.Err() != nil {
			return env, err
		}
		var refused *acp.Error
		if errors.As(err, &refused) && !later(refused) {
			return env, err
		}
		if again := d.recover(ctx, n, refused); again != nil {
			return env, again
		}
	}
	return env, err
}

// recover gets ready for another try: it waits as long as the server asked, or opens a new socket. Only what another
// try cannot mend is an error.
func (d *driver) recover(ctx context.Context, n int, refused *acp.Error) error {
	if refused != nil {
		return sleep(ctx, max(backoff(n), retryAfter(refused)))
	}
	err := d.reconnect(ctx, n)
	var final *refusal
	if errors.As(err, &final) || ctx.Err() != nil {
		return err
	}
	return nil
}

// later tells answers that a wait will change.
func later(e *acp.Error) bool {
	return e.Code == acp.CodeRateLimited || e.Code == acp.CodeShuttingDown || e.Code == acp.CodeTooManySessions
}

func retryAfter(e *acp.Error) time.Duration {
	if e.Data == nil {
		return 0
	}
	return time.Duration(e.Data.RetryAfterMS) * time.Millisecond
}

// backoff grows to two seconds, with jitter so that many clients do not return together (case D3 #28).
func backoff(n int) time.Duration {
	most := min(2*time.Second, 20*time.Millisecond<<min(n, 10))
	return most/2 + rand.N(most/2+1)
}

// reconnect opens a new socket and resumes the session where the old one ended.
func (d *driver) reconnect(ctx context.Context, n int) error {
	d.conn.close()
	if err := sleep(ctx, backoff(n)); err != nil {
		return err
	}
	if err := d.connect(ctx); err != nil || d.sessionID == "" {
		return err
	}
	d.mu.Lock()
	meta := acp.Meta{}.With(acp.MetaTools, d.rec.tools)
	if d.epoch != "" {
		meta.With(acp.MetaAfter, d.seq).With(acp.MetaEpoch, d.epoch)
	}
	d.mu.Unlock()
	env, err := d.conn.request(ctx, acp.MethodSessionResume, acp.ResumeSessionRequest{SessionID: d.sessionID, CWD: "/", Meta: meta})
	if err == nil {
		err = d.resumed(env)
	}
	if err != nil {
		d.conn.close() // not attached: the next try must begin from here again
	}
	return err
}

// resumed takes the new place in the stream when the old one is no longer kept.
func (d *driver) resumed(env acp.Envelope) error {
	var out acp.ResumeSessionResponse
	if err := json.Unmarshal(env.Result, &out); err != nil {
		return err
	}
	var where acp.Resume
	if bad := out.Meta.Read(acp.MetaResume, &where); bad != nil {
		return bad
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !where.Recovered && d.epoch != "" {
		d.seq, d.epoch = 0, ""
	}
	return nil
}

// sleep waits, or returns early with the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
