package replay

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// dial opens the socket of a server.
func dial(ctx context.Context, cfg Config) (*websocket.Conn, error) {
	header := http.Header{}
	if cfg.Key != "" {
		header.Set("Authorization", "Bearer "+cfg.Key)
	}
	url := "ws" + strings.TrimPrefix(cfg.URL, "http") + "/acp"
	ws, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPHeader: header})
	if err != nil && resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, refusedDial(cfg, resp.StatusCode)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", cfg.URL, err)
	}
	ws.SetReadLimit(maxFrame)
	return ws, nil
}

// refusal is an answer that trying again would not change.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refusedDial(cfg Config, status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return &refusal{fmt.Sprintf("%s does not accept this key; make one with `tidemark key create --role client --name NAME`", cfg.URL)}
	case http.StatusNotFound, http.StatusUpgradeRequired, http.StatusOK:
		return &refusal{fmt.Sprintf("%s has no session socket at /acp; is it a Tidemark server?", cfg.URL)}
	}
	return fmt.Errorf("connect to %s: HTTP status %d", cfg.URL, status)
}
