package main

// configCmd prints the effective configuration (spec 2.2).
type configCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
	folderFlags
}

// Run implements the command.
func (c *configCmd) Run(e *env) error {
	cfg, err := c.load(e, nil)
	if err != nil {
		return err
	}
	for _, w := range cfg.Warnings {
		_, _ = e.stderr.Write([]byte("tidemark: warning: " + w + "\n"))
	}
	if c.JSON {
		return printJSON(e.stdout, cfg.Lines())
	}
	return cfg.Render(e.stdout)
}
