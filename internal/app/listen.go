package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// listen binds the address; the error says what to do about it.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("address %s is in use: stop what listens there, or choose another with --addr (127.0.0.1:0 picks a free port)", addr)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("address %s needs privileges this user does not have: choose a port above 1023 with --addr", addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("address %s is not one of this machine: choose another with --addr", addr)
	case err != nil:
		return nil, fmt.Errorf("address %s cannot be listened on (%w): choose another with --addr", addr, err)
	}
	return ln, nil
}

// baseURL is how a program on this machine reaches the listener.
func baseURL(ln net.Listener) string {
	addr := ln.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", addr.Port)
	}
	return "http://" + addr.String()
}

// newHTTPServer has no write timeout: event streams live for hours and set a deadline per write.
func newHTTPServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
}
