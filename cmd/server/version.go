package main

import (
	"runtime"
	"runtime/debug"

	"tidemark/internal/app"
)

// versionCmd prints build facts.
type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// buildFacts say what this binary is.
type buildFacts struct {
	Version    string `json:"version"`
	Revision   string `json:"revision"`
	Modified   bool   `json:"modified"`
	BuiltFrom  string `json:"commit_time"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
	PriceTable string `json:"price_table"`
}

// Run implements the command.
func (c *versionCmd) Run(e *env) error {
	f := facts()
	if c.JSON {
		return printJSON(e.stdout, f)
	}
	return table(e.stdout, "tidemark\t"+f.Version, [][]any{
		{"revision", f.Revision + map[bool]string{true: " (modified)"}[f.Modified]}, {"commit time", f.BuiltFrom},
		{"go", f.Go}, {"platform", f.Platform}, {"price table", f.PriceTable},
	})
}

// version is the module's version, or its revision when it was built from a working tree.
func version() string { return facts().Version }

func facts() buildFacts {
	f := buildFacts{
		Version: "dev", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, PriceTable: app.PriceTable,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return f
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			f.Revision = s.Value
		case "vcs.time":
			f.BuiltFrom = s.Value
		case "vcs.modified":
			f.Modified = s.Value == "true"
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		f.Version = v
	}
	return f
}
