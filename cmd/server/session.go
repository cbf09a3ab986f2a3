package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// sessionCmd looks at sessions and acts on them (spec 6.6, 6.7).
type sessionCmd struct {
	List    sessionListCmd    `cmd:"" help:"List sessions, newest first."`
	Status  sessionStatusCmd  `cmd:"" help:"Show the posture record of a session: what compaction does and why."`
	Compact sessionCompactCmd `cmd:"" help:"Compact a session now."`
	Undo    sessionUndoCmd    `cmd:"" help:"Take back the newest compaction of a session."`
}

// sessionRow is a session as the API shows it.
type sessionRow struct {
	ID                string    `json:"id"`
	Owner             string    `json:"owner"`
	Model             string    `json:"model"`
	State             string    `json:"state"`
	Turns             int       `json:"turns"`
	ContextTokens     int       `json:"context_tokens"`
	WindowTokens      int       `json:"window_tokens"`
	Watermark         int64     `json:"watermark"`
	Messages          int       `json:"messages"`
	Compactions       int       `json:"compactions"`
	CostUSD           *string   `json:"cost_usd"`
	CompactionCostUSD string    `json:"compaction_cost_usd"`
	UpdatedAt         time.Time `json:"updated_at"`
}

type sessionListCmd struct {
	JSON bool `name:"json" help:"Print JSON, with everything that is known."`
	serverFlags
}

// Run implements the command.
func (c *sessionListCmd) Run(e *env) error {
	a, err := c.open(e, false)
	if err != nil {
		return err
	}
	raws, err := list[json.RawMessage](e.ctx, a, "/api/v1/sessions")
	if err = a.done(err); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.stdout, raws)
	}
	rows := make([][]any, len(raws))
	for i, raw := range raws {
		var s sessionRow
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("the list of sessions is not as expected: %w", err)
		}
		rows[i] = []any{
			s.ID, s.Owner, s.State, s.Model, s.Turns, gauge(s.ContextTokens, s.WindowTokens),
			fmt.Sprintf("%d/%d", s.Watermark, s.Messages), s.Compactions, dollars(s.CostUSD), dollars(&s.CompactionCostUSD),
			stamp(&s.UpdatedAt),
		}
	}
	return table(e.stdout, "ID\tOWNER\tSTATE\tMODEL\tTURNS\tCONTEXT\tWATERMARK\tPASSES\tCOST\tCOMPACTION\tUPDATED", rows)
}

func gauge(used, window int) string {
	if used == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", used, window)
}

func dollars(s *string) string {
	if s == nil {
		return "unpriced"
	}
	return "$" + *s
}

type sessionStatusCmd struct {
	sessionArg
	JSON bool `name:"json" help:"Print the record as JSON."`
	serverFlags
}

// sessionArg names a session.
type sessionArg struct {
	ID string `arg:"" help:"Id of the session, as session list shows it."`
}

func (s sessionArg) path(rest string) string {
	return "/api/v1/sessions/" + url.PathEscape(s.ID) + "/" + rest
}

// Run implements the command.
func (c *sessionStatusCmd) Run(e *env) error {
	a, err := c.open(e, false)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := a.done(a.call(e.ctx, http.MethodGet, c.path("posture"), nil, &raw)); err != nil {
		return naming("session", c.ID, err)
	}
	if c.JSON {
		return printJSON(e.stdout, raw)
	}
	return printPosture(e.stdout, raw)
}
