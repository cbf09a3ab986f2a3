package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tidemark/internal/compaction"
)

// FileName is where a workspace keeps its settings.
const FileName = "config.yaml"

// Sources are what the settings come from, beside the file.
type Sources struct {
	Flags   map[string]string // by key; only those that were given
	Environ []string          // "NAME=value", as of os.Environ
	File    string            // --config; "" = TIDEMARK_CONFIG, else config.yaml in the data folder if there is one
}

// Error is a setting that cannot be, and where it was written.
type Error struct {
	compaction.KnobError
	Origin string
}

func (e *Error) Error() string { return e.KnobError.Error() + " (" + e.Origin + ")" }

// Unwrap gives the bare knob error.
func (e *Error) Unwrap() error { return &e.KnobError }

// source is where a value was written.
type source struct {
	kind  string // "flag", "environment", "file"
	where string // "--data", "TIDEMARK_DATA", "data/config.yaml line 3"
}

func (s source) String() string { return s.kind + " " + s.where }

// given is one value as somebody wrote it.
type given struct {
	spelling string
	value    any
	from     source
}

// layer holds what one source says, by canonical key.
type layer map[string]given

// Load reads and checks everything. The error is an *Error when a setting is wrong.
func Load(src Sources) (Config, error) {
	env := environ(src.Environ)
	flags, err := flagLayer(src.Flags)
	if err != nil {
		return Config{}, err
	}
	vars, warnings, err := envLayer(env)
	if err != nil {
		return Config{}, err
	}
	path, file, limits, err := fileLayer(src, env, flags, vars)
	if err != nil {
		return Config{}, err
	}
	c, err := build(file, vars, flags)
	if err != nil {
		return Config{}, err
	}
	c.File, c.OverrideLimits, c.Warnings = path, limits, append(warnings, odd(c)...)
	return c, nil
}

// add puts a value into the layer. Two spellings in one layer must agree.
func (l layer) add(g given) error {
	s, ok := bySpelling[g.spelling]
	if !ok {
		return unknown(g)
	}
	if _, ok := s.parse(g.value); !ok {
		return refuse(s, g, s.allowed)
	}
	if other, twice := l[s.key]; twice && fmt.Sprint(other.value) != fmt.Sprint(g.value) {
		return refuse(s, g, fmt.Sprintf("%s, which is the same setting, says %s", other.from.where, shown(s, other.value)))
	}
	l[s.key] = g
	return nil
}

func refuse(s *setting, g given, allowed string) error {
	return &Error{compaction.KnobError{Key: g.spelling, Value: shown(s, g.value), Allowed: allowed}, g.from.String()}
}

func unknown(g given) error {
	e := compaction.UnknownKey(g.spelling, slices.Collect(maps.Keys(bySpelling)))
	e.Key = clip(e.Key)
	return &Error{*e, g.from.String()}
}

// shown is a value for an error message: never a secret, never a page of it.
func shown(s *setting, v any) string {
	if s.secret {
		return mask
	}
	if str, ok := v.(string); ok {
		return clip(fmt.Sprintf("%q", str))
	}
	return clip(strings.Map(printable, fmt.Sprint(v)))
}

func flagLayer(flags map[string]string) (layer, error) {
	l := make(layer)
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		where := "--set " + key
		if key == "addr" || key == "data" { // the two that have a flag of their own
			where = "--" + key
		}
		g := given{key, compaction.Untyped(flags[key]), source{"flag", where}}
		if err := l.add(g); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// fileLayer finds and reads config.yaml. The one in the data folder may be missing; one that was named may not.
func fileLayer(src Sources, env map[string]string, flags, vars layer) (string, layer, compaction.OverrideLimits, error) {
	path, named := src.File, true
	if path == "" {
		path = env["TIDEMARK_CONFIG"]
	}
	if path == "" {
		data := Default().Data
		for _, l := range []layer{vars, flags} {
			if g, ok := l["data"]; ok {
				data = fmt.Sprint(g.value)
			}
		}
		path, named = filepath.Join(data, FileName), false
	}
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return "", nil, nil, nil
	}
	if err != nil {
		return "", nil, nil, fmt.Errorf("read the configuration: %w", err)
	}
	l, limits, err := parseFile(path, body)
	if g, ok := l["data"]; ok && !named {
		return "", nil, nil, &Error{compaction.KnobError{Key: "data", Value: fmt.Sprint(g.value), Allowed: "this file was " +
			"found through the data folder; name the folder with --data or TIDEMARK_DATA"}, g.from.String()}
	}
	return path, l, limits, err
}
