package web

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"tidemark/internal/event"
)

// sseWriter writes events with a deadline of their own each: the server's write timeout would cut the stream (case D3
// #26).
type sseWriter struct {
	res    http.ResponseWriter
	ctl    *http.ResponseController
	epoch  event.Epoch
	within time.Duration
}

func newSSEWriter(s *Server, c echo.Context, epoch event.Epoch) *sseWriter {
	return &sseWriter{c.Response(), http.NewResponseController(c.Response()), epoch, s.cfg.Limits.WriteWithin}
}

func (w *sseWriter) begin() error {
	h := w.res.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.res.WriteHeader(http.StatusOK)
	return w.flush(fmt.Appendf(nil, "retry: %d\n\n", sseRetry))
}

// heartbeat keeps the connection busy and moves the client's place over events that its filter left out.
func (w *sseWriter) heartbeat(last event.ID) error {
	return w.flush(fmt.Appendf(nil, ": heartbeat\nid: %s\n\n", feedID(w.epoch, last)))
}

func (w *sseWriter) write(frames []sseFrame) error {
	if len(frames) == 0 {
		return nil
	}
	var buf bytes.Buffer
	for _, f := range frames {
		if f.ID > 0 {
			fmt.Fprintf(&buf, "id: %s\n", feedID(w.epoch, f.ID))
		}
		if f.Name != "" {
			fmt.Fprintf(&buf, "event: %s\n", f.Name)
		}
		for line := range bytes.Lines(f.Data) {
			buf.WriteString("data: ")
			buf.Write(bytes.TrimRight(line, "\r\n"))
			buf.WriteByte('\n')
		}
		buf.WriteByte('\n')
	}
	return w.flush(buf.Bytes())
}

func (w *sseWriter) flush(b []byte) error {
	if err := w.ctl.SetWriteDeadline(time.Now().Add(w.within)); err != nil {
		return err
	}
	if _, err := w.res.Write(b); err != nil {
		return err
	}
	return w.ctl.Flush()
}
