package main

import (
	"encoding/json"
	"fmt"
	"net/http"
)

type sessionCompactCmd struct {
	sessionArg
	Focus string `help:"What the summary should attend to." placeholder:"TEXT"`
	JSON  bool   `name:"json" help:"Print the compaction record as JSON."`
	serverFlags
}

// Run implements the command.
func (c *sessionCompactCmd) Run(e *env) error {
	a, err := c.open(e, false)
	if err != nil {
		return err
	}
	return c.print(e, a, c.JSON, c.path("compact"), map[string]string{"focus": c.Focus})
}

type sessionUndoCmd struct {
	sessionArg
	JSON bool `name:"json" help:"Print the compaction record as JSON."`
	serverFlags
}

// Run implements the command.
func (c *sessionUndoCmd) Run(e *env) error {
	a, err := c.open(e, false)
	if err != nil {
		return err
	}
	return c.print(e, a, c.JSON, c.path("undo"), nil)
}

// print asks for a pass and shows its record. A pass that changed nothing is a failure of the command.
func (s sessionArg) print(e *env, a *api, asJSON bool, path string, in any) error {
	var raw json.RawMessage
	if err := a.done(a.call(e.ctx, http.MethodPost, path, in, &raw)); err != nil {
		return naming("session", s.ID, err)
	}
	var p passRow
	if err := json.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("the record is not as expected: %w", err)
	}
	if asJSON {
		if err := printJSON(e.stdout, raw); err != nil {
			return err
		}
	}
	switch {
	case p.Outcome == "failed" || p.Outcome == "cancelled":
		return fmt.Errorf("session %s: %s", s.ID, p.line())
	case asJSON:
		return nil
	}
	_, err := fmt.Fprintln(e.stdout, p.line())
	return err
}
