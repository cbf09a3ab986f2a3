package main

import (
	"errors"
	"fmt"
	"net/http"
)

// signinCmd asks a running server for a link: the ticket in it lives in that server's memory.
type signinCmd struct{ serverFlags }

// Run implements the command.
func (c *signinCmd) Run(e *env) error {
	a, err := c.open(e, false)
	if err != nil {
		return err
	}
	defer a.close() //nolint:errcheck // nothing was changed
	if !a.running() {
		return errors.New("no server runs on this data folder: start one with tidemark serve, which prints a link")
	}
	var out struct {
		URL string `json:"url"`
	}
	if err := a.call(e.ctx, http.MethodPost, "/api/v1/signin", nil, &out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.stdout, out.URL)
	return err
}
