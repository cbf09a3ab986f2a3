package main

import (
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// keyCmd manages API keys.
type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Make a key and print it. It is shown this once."`
	List   keyListCmd   `cmd:"" help:"List keys."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key and end what was signed in with it."`
}

// keyRow is a key as the API shows it.
type keyRow struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Role      string     `json:"role"`
	Hint      string     `json:"hint"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at"`
}

type keyCreateCmd struct {
	Role    string        `required:"" enum:"client,viewer,operator,admin" help:"What the key may do: client (own sessions), viewer (figures of all), operator (also stop, close, compact, undo), admin (also keys)."`
	Name    string        `required:"" help:"Whose key it is. Two keys of one name have the same sessions, so a key can be replaced." placeholder:"NAME"`
	Expires time.Duration `help:"Lifetime, such as 720h; none: the key never expires." placeholder:"DURATION"`
	JSON    bool          `name:"json" help:"Print JSON."`
	serverFlags
}

// Run implements the command. The key alone goes to stdout, so that a script can take it.
func (c *keyCreateCmd) Run(e *env) error {
	a, err := c.open(e, true)
	if err != nil {
		return err
	}
	var out struct {
		Key    keyRow `json:"key"`
		Secret string `json:"secret"`
	}
	in := map[string]any{"name": c.Name, "role": c.Role}
	if c.Expires != 0 {
		in["ttl_seconds"] = int64(c.Expires / time.Second)
	}
	err = a.done(a.call(e.ctx, http.MethodPost, "/api/v1/keys", in, &out))
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(e.stdout, out)
	}
	fmt.Fprintf(e.stderr, "Key %s of %s, role %s. It is shown this once:\n", out.Key.ID, out.Key.Name, out.Key.Role)
	_, err = fmt.Fprintln(e.stdout, out.Secret)
	return err
}

type keyListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
	serverFlags
}

// Run implements the command.
func (c *keyListCmd) Run(e *env) error {
	a, err := c.open(e, false)
	if err != nil {
		return err
	}
	keys, err := list[keyRow](e.ctx, a, "/api/v1/keys")
	if err = a.done(err); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.stdout, keys)
	}
	rows := make([][]any, len(keys))
	for i, k := range keys {
		rows[i] = []any{k.ID, k.Name, k.Role, k.Hint, stamp(&k.CreatedAt), stamp(k.ExpiresAt), stamp(k.RevokedAt)}
	}
	return table(e.stdout, "ID\tNAME\tROLE\tKEY\tCREATED\tEXPIRES\tREVOKED", rows)
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"Id of the key, as key list shows it."`
	serverFlags
}

// Run implements the command.
func (c *keyRevokeCmd) Run(e *env) error {
	a, err := c.open(e, false)
	if err != nil {
		return err
	}
	var k keyRow
	if err := a.done(a.call(e.ctx, http.MethodDelete, "/api/v1/keys/"+url.PathEscape(c.ID), nil, &k)); err != nil {
		return naming("key", c.ID, err)
	}
	_, err = fmt.Fprintf(e.stdout, "Key %s of %s is revoked.\n", k.ID, k.Name)
	return err
}

func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}
