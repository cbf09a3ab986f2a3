package main

import (
	"fmt"
	"strings"

	"tidemark/internal/config"
)

// folderFlags say which workspace is meant.
type folderFlags struct {
	Data       string   `help:"The data folder (TIDEMARK_DATA; default: data)." placeholder:"FOLDER" type:"path"`
	ConfigFile string   `name:"config" help:"The configuration file (TIDEMARK_CONFIG; default: config.yaml in the data folder)." placeholder:"FILE" type:"path"`
	Set        []string `help:"Set any setting, such as compaction.threshold_tokens=20000; may be repeated." placeholder:"KEY=VALUE" sep:"none"`
}

// load reads the configuration; more are settings that have flags of their own.
func (f folderFlags) load(e *env, more map[string]string) (config.Config, error) {
	flags := make(map[string]string)
	for _, pair := range f.Set {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return config.Config{}, usageError{fmt.Errorf("--set %s: write it as KEY=VALUE", pair)}
		}
		if old, twice := flags[key]; twice && old != value {
			return config.Config{}, usageError{fmt.Errorf("--set %s is given twice, as %q and %q", key, old, value)}
		}
		flags[key] = value
	}
	if f.Data != "" {
		flags["data"] = f.Data
	}
	for key, value := range more {
		if value != "" {
			flags[key] = value
		}
	}
	return config.Load(config.Sources{Flags: flags, Environ: e.environ, File: f.ConfigFile})
}

// serverFlags name a running server; without them the server of the data folder is meant, or the folder itself.
type serverFlags struct {
	Server string `help:"URL of a running server (TIDEMARK_SERVER). Without it: the server that uses the data folder, or the folder itself at rest." placeholder:"URL"`
	Key    string `help:"API key for --server (TIDEMARK_KEY)." placeholder:"KEY"`
	folderFlags
}

// lookup finds a variable; an empty one is the same as none.
func (e *env) lookup(name string) string {
	for _, line := range e.environ {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return ""
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
