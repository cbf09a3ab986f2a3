package web

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/labstack/echo/v4"

	"tidemark/internal/message"
	"tidemark/internal/session"
)

// samplePlayer lets one sample session be played at a time.
type samplePlayer struct{ running atomic.Bool }

func (p *samplePlayer) playing() bool { return p.running.Load() }

const (
	sampleModel = "sim:assistant"
	sampleTitle = "Sample: the lost parcels"
)

// postSample plays the sample session in the background: an operator sees a live page without a key or a program. Close
// waits for it.
func (s *Server) postSample(c echo.Context) error {
	if len(s.Sample) == 0 {
		return fail("not_found", "this server has no sample session")
	}
	if !s.shown.sample.running.CompareAndSwap(false, true) {
		return fail("session_busy", "a sample session is being played already")
	}
	who, _ := principal(c)
	rec, err := s.Sessions.Create(c.Request().Context(), session.NewSession{
		Owner: who.Owner, CWD: "/", Title: sampleTitle, Model: sampleModel,
	})
	if err != nil || !s.begin() {
		s.shown.sample.running.Store(false)
		if err == nil {
			err = fail("shutting_down", "the server is shutting down")
		}
		return err
	}
	go func() {
		defer s.wg.Done()
		defer s.shown.sample.running.Store(false)
		s.playSample(s.ctx, rec.ID)
	}()
	if wantsHTML(c) {
		return c.Redirect(http.StatusSeeOther, "/ops/s/"+rec.ID)
	}
	return c.JSON(http.StatusAccepted, map[string]string{"session_id": rec.ID})
}

// playSample sends the prompts one after the other. It ends with the server, or when somebody closes the session.
func (s *Server) playSample(ctx context.Context, id session.ID) {
	for _, text := range s.Sample {
		acc, err := s.Sessions.Prompt(ctx, id, session.Prompt{Blocks: message.Blocks{message.Text{Text: text}}})
		if err != nil {
			s.Log.Info("sample session ended early", keySessionID, id, "error", err)
			return
		}
		select {
		case <-acc.Done():
		case <-ctx.Done():
			return
		}
	}
}
