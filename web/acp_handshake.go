package web

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"
	"github.com/oklog/ulid/v2"

	"tidemark/internal/auth"
)

// Subprotocols of a handshake (protocol section 3, "Auth"). The first is the only one that is ever echoed: a credential
// that stood in the list must not come back (case D7 #66).
const (
	subprotocol  = "acp.v1"
	bearerPrefix = "bearer." // then an API key as base64url
	ticketPrefix = "ticket." // then a ticket of POST /ws-ticket
)

// serveACP upgrades to a session socket and serves it to its end.
func (s *Server) serveACP(c echo.Context) error {
	r, w := c.Request(), c.Response()
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		return fail("upgrade_required", "this address speaks ACP over a WebSocket")
	}
	id, err := s.socketIdentity(c)
	if err != nil {
		return err
	}
	if !s.begin() {
		return &failure{name: "shutting_down", detail: "the server is shutting down", retryAfter: sseRetryAfter}
	}
	defer s.wg.Done()
	connID := ulid.Make().String()
	w.Header().Set("Acp-Connection-Id", connID)
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{subprotocol}, OriginPatterns: s.cfg.Origins, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return nil //nolint:nilerr // Accept has answered
	}
	s.serveSocket(newWSConn(s, connID, ws, id.who))
	return nil
}

// serveSocket admits a socket and runs it. What browsers cannot read from a refused handshake is told by a close code.
func (s *Server) serveSocket(c *wsConn) {
	switch {
	case !c.who.Can(auth.CapSessions):
		c.shut(closeForbidden, "this role opens no sessions")
	case !s.sockets.add(c, s.cfg.Limits.SocketsPerOwner):
		c.shut(closeTooManyConn, "too many connections of this owner")
	default:
		defer s.sockets.remove(c)
	}
	s.metrics.sockets.Inc()
	defer s.metrics.sockets.Dec()
	c.run()
}

// socketIdentity checks Host, Origin and credential of a handshake, in this order: a ticket must not be spent by a page
// that may not use it. A missing Origin passes with a bearer token alone, which no browser adds by itself; without any
// credential it is the credential that is asked for.
func (s *Server) socketIdentity(c echo.Context) (identity, error) {
	r, id := c.Request(), identityOf(c)
	offer := offeredCredential(r)
	none := id.via == viaNone && offer == ""
	if err := s.origins.check(r, none || id.via == viaBearer || strings.HasPrefix(offer, bearerPrefix)); err != nil {
		return identity{}, err
	}
	switch {
	case none:
		return id, fail("auth_required", "sign in, or send an API key as a bearer token")
	case id.via == viaBearer || offer == "":
		return id, nil
	}
	return s.redeem(r, offer)
}

// offeredCredential finds a credential among the subprotocols, where a script of another origin can put one.
func offeredCredential(r *http.Request) string {
	for _, h := range r.Header.Values("Sec-WebSocket-Protocol") {
		for offer := range strings.SplitSeq(h, ",") {
			offer = strings.TrimSpace(offer)
			if strings.HasPrefix(offer, ticketPrefix) || strings.HasPrefix(offer, bearerPrefix) {
				return offer
			}
		}
	}
	return ""
}

// redeem resolves an offered credential.
func (s *Server) redeem(r *http.Request, offer string) (identity, error) {
	if secret, ok := strings.CutPrefix(offer, ticketPrefix); ok {
		who, err := s.Auth.RedeemSocketTicket(r.Context(), secret, strings.ToLower(r.Header.Get("Origin")))
		return identity{who, viaTicket}, err
	}
	secret, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.TrimPrefix(offer, bearerPrefix), "="))
	if err != nil {
		return identity{}, errors.Join(auth.ErrUnauthenticated, err)
	}
	who, err := s.Auth.Authenticate(r.Context(), string(secret))
	return identity{who, viaBearer}, err
}
