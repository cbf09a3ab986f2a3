package app

import (
	"bytes"
	"io"
	"net/http"
)

// handlerTransport answers HTTP requests by calling a handler, so that commands use one interface whether a server runs
// or not. It is for answers that end; event streams and upgrades need a real connection.
type handlerTransport struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context())
	served.Host, served.RequestURI, served.RemoteAddr = r.URL.Host, r.URL.RequestURI(), "127.0.0.1:0"
	if served.Body == nil {
		served.Body = http.NoBody
	}
	w := &recorder{header: make(http.Header), status: http.StatusOK}
	t.handler.ServeHTTP(w, served)
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if !w.wrote {
		w.status, w.wrote = status, true
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.wrote = true
	return w.body.Write(b)
}
